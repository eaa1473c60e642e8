"""Skills of a space, loaded for a learner and written back by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from memories.text.words.language_detection import detect_language
from skills.catalogue.listing import list_visible_skills
from skills.catalogue.write import (
    Changes,
    NewSkill,
    create_skill,
    embed_skill,
    parse_skill_text,
    revise_skill,
)
from skills.learning.workspace.workspace import MAX_TEXT, Book, Workspace
from skills.models import LearningSpace, Skill, SkillFile
from skills.packages.files import NewFile
from skills.packages.ownership import Place
from skills.packages.unpack import SKILL_MD
from skills.spaces.spaces import link_skill
from skills.values import Origin, SkillState

ACTOR = "learner"
# Of all skills of a space together, in bytes.
MAX_READ = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Signature:
    """What stands in the versions that a run makes."""

    reason: str
    actor: str = ACTOR


def open_books(space: LearningSpace) -> list[Book]:
    """In the order in which the space lists them; inside its scope."""
    seen = list_visible_skills(space.project).filter(links__space=space)
    skills = list(seen.order_by("links__created_at", "links__id"))
    files: dict[UUID, dict[str, str | None]] = {skill.pk: {} for skill in skills}
    rows = SkillFile.objects.within(space.account_id).filter(skill__in=skills, until=None)
    texts = _load_texts(rows)
    for key, skill, path in rows.order_by("path").values_list("pk", "skill", "path"):
        files[skill][path] = texts.get(key)
    return [_build_book(space, skill, files[skill.pk]) for skill in skills]


def _load_texts(rows: QuerySet[SkillFile]) -> dict[UUID, str]:
    """Each SKILL.md first; what is too long to be edited here, or too much together, counts as no text."""
    listed = rows.exclude(text=None).filter(size__lte=MAX_TEXT).values_list("pk", "path", "size")
    chosen, left = [], MAX_READ
    for key, _, size in sorted(listed, key=lambda row: (row[1].lower() != SKILL_MD, row[0])):
        left -= size
        if left >= 0:
            chosen.append(key)
    read = rows.filter(pk__in=chosen).values_list("pk", "text")
    return {key: text for key, text in read if text is not None}


def _build_book(space: LearningSpace, skill: Skill, files: dict[str, str | None]) -> Book:
    """What several projects share by a knowledge base is not one space's to change."""
    is_own = skill.project_id == space.project_id and skill.state == SkillState.ACTIVE
    return Book(skill.name, skill.description, files, skill.pk, skill.version, is_locked=not is_own)


def embed_changed_skills(workspace: Workspace, books: Iterable[Book]) -> dict[str, list[float]]:
    """Of the skills whose SKILL.md changed, by name; outside of transactions."""
    before = {book.name: book.schema for book in books}
    changed = [book for book in workspace.books.values() if before.get(book.name, book.schema) != book.schema]
    return {book.name: embed_skill(parse_skill_text(book.schema)) for book in changed}


def save_books(
    space: LearningSpace,
    workspace: Workspace,
    fresh: Iterable[Book],
    signature: Signature,
    vectors: Mapping[str, list[float]],
) -> list[Skill]:
    """A version of each skill that is not what it was; new ones linked. In the caller's transaction and locks."""
    before = {book.name: book for book in fresh}
    written = []
    for book in workspace.books.values():
        if book.pk is None:
            written.append(_make(space, book, signature))
        elif book.files != before[book.name].files:
            written.append(_revise(space, book, before[book.name], signature, vectors.get(book.name)))
    return written


def _make(space: LearningSpace, book: Book, signature: Signature) -> Skill:
    files = [NewFile.of_text(path, text) for path, text in book.files.items() if text is not None]
    skill = create_skill(
        NewSkill(
            Place.of_space(space.project),
            parse_skill_text(book.schema),
            files,
            Origin.LEARNED,
            signature.actor,
            signature.reason,
            language=detect_language(book.schema),
            person=space.person,
        )
    )
    link_skill(space, skill)
    return skill


def _revise(
    space: LearningSpace, book: Book, before: Book, signature: Signature, vector: list[float] | None
) -> Skill:
    texts = {path: text for path, text in book.files.items() if before.files.get(path) != text}
    gone: dict[str, str | None] = {path: None for path in before.files if path not in book.files}
    skill = Skill.objects.within(space.account_id).get(pk=book.pk)
    changes = Changes(texts=texts | gone)
    return revise_skill(skill, changes, actor=signature.actor, reason=signature.reason, vector=vector)
