"""Load the skills of a space into a workspace, and write its edits back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from memories.text.words.language_detection import detect_language
from skills.catalogue.listing import list_visible_skills
from skills.catalogue.write import (
    NewSkill,
    SkillChanges,
    create_skill,
    embed_skill,
    parse_skill_text,
    revise_skill,
)
from skills.learning.workspace.workspace import MAX_TEXT, Workspace, WorkspaceSkill
from skills.models import LearningSpace, Skill, SkillFile
from skills.packages.files import NewFile
from skills.packages.ownership import SkillOwner
from skills.packages.unpack import SKILL_MD
from skills.spaces.spaces import link_skill
from skills.values import SkillOrigin, SkillState

ACTOR = "learner"
# Of all skills of a space together, in bytes.
MAX_READ = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Signature:
    """Reason and actor of the skill versions that a run writes."""

    reason: str
    actor: str = ACTOR


def load_workspace_skills(space: LearningSpace) -> list[WorkspaceSkill]:
    """Load the skills of a space with their files, in the order in which it lists them; inside its tenant scope."""
    seen = list_visible_skills(space.project).filter(links__space=space)
    skills = list(seen.order_by("links__created_at", "links__id"))
    files: dict[UUID, dict[str, str | None]] = {skill.pk: {} for skill in skills}
    rows = SkillFile.objects.within(space.account_id).filter(skill__in=skills, until=None)
    texts = _load_texts(rows)
    for key, skill, path in rows.order_by("path").values_list("pk", "skill", "path"):
        files[skill][path] = texts.get(key)
    return [_build_workspace_skill(space, skill, files[skill.pk]) for skill in skills]


def _load_texts(rows: QuerySet[SkillFile]) -> dict[UUID, str]:
    """Load texts by the key of their file, each SKILL.md first; without those over the limits of one or of all."""
    listed = rows.exclude(text=None).filter(size__lte=MAX_TEXT).values_list("pk", "path", "size")
    chosen, left = [], MAX_READ
    for key, _, size in sorted(listed, key=lambda row: (row[1].lower() != SKILL_MD, row[0])):
        left -= size
        if left >= 0:
            chosen.append(key)
    read = rows.filter(pk__in=chosen).values_list("pk", "text")
    return {key: text for key, text in read if text is not None}


def _build_workspace_skill(
    space: LearningSpace, skill: Skill, files: dict[str, str | None]
) -> WorkspaceSkill:
    """A skill of a knowledge base is shared by several projects, so it is locked here."""
    is_own = skill.project_id == space.project_id and skill.state == SkillState.ACTIVE
    return WorkspaceSkill(skill.name, skill.description, files, skill.pk, skill.version, is_locked=not is_own)


def embed_changed_skills(workspace: Workspace, skills: Iterable[WorkspaceSkill]) -> dict[str, list[float]]:
    """Embed the skills whose SKILL.md changed; vectors by name. Not inside a transaction."""
    before = {skill.name: skill.schema for skill in skills}
    changed = [
        skill for skill in workspace.skills.values() if before.get(skill.name, skill.schema) != skill.schema
    ]
    return {skill.name: embed_skill(parse_skill_text(skill.schema)) for skill in changed}


def save_workspace_skills(
    space: LearningSpace,
    workspace: Workspace,
    fresh: Iterable[WorkspaceSkill],
    signature: Signature,
    vectors: Mapping[str, list[float]],
) -> list[Skill]:
    """Write a version of each changed skill, and create and link new ones, in the caller's transaction and locks."""
    before = {skill.name: skill for skill in fresh}
    written = []
    for skill in workspace.skills.values():
        if skill.pk is None:
            written.append(_create_skill(space, skill, signature))
        elif skill.files != before[skill.name].files:
            written.append(
                _revise_skill(space, skill, before[skill.name], signature, vectors.get(skill.name))
            )
    return written


def _create_skill(space: LearningSpace, edited: WorkspaceSkill, signature: Signature) -> Skill:
    files = [NewFile.of_text(path, text) for path, text in edited.files.items() if text is not None]
    skill = create_skill(
        NewSkill(
            SkillOwner.of_space(space.project),
            parse_skill_text(edited.schema),
            files,
            SkillOrigin.LEARNED,
            signature.actor,
            signature.reason,
            language=detect_language(edited.schema),
            person=space.person,
        )
    )
    link_skill(space, skill)
    return skill


def _revise_skill(
    space: LearningSpace,
    edited: WorkspaceSkill,
    before: WorkspaceSkill,
    signature: Signature,
    vector: list[float] | None,
) -> Skill:
    texts = {path: text for path, text in edited.files.items() if before.files.get(path) != text}
    gone: dict[str, str | None] = {path: None for path in before.files if path not in edited.files}
    skill = Skill.objects.within(space.account_id).get(pk=edited.pk)
    changes = SkillChanges(texts=texts | gone)
    return revise_skill(skill, changes, actor=signature.actor, reason=signature.reason, vector=vector)
