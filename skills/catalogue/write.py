"""Create, change, approve, archive and delete skills: used by packages, learners and members alike.

The memory by which searches find a skill is written in the same transaction as the skill, so that both say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.consolidation.cube_locks import lock_cube
from memories.engine import get_embedder
from memories.files import storage
from memories.models import MemCube
from skills.catalogue.search_memory import delete_recall_memory, recall_text, write_recall_memory
from skills.models import Episode, Skill, SkillFile, SkillVersion, SpaceUser
from skills.models.skill import get_owner_fields
from skills.packages.files import NewFile, list_skill_files, list_storage_keys, write_files
from skills.packages.ownership import SkillOwner
from skills.packages.skill_md import BadFrontMatter, SkillText, parse_skill_md
from skills.packages.unpack import SKILL_MD
from skills.signals import announce_skill, skill_deleting
from skills.values import SkillOrigin, SkillState
from tenancy.errors import InvalidFile, NotFound
from tenancy.ids import uuid7

PATH = "SKILL.md"
MAX_STORED_NAME = 200


@dataclass(frozen=True, slots=True)
class NewSkill:
    """A skill to create. `language` is that of its text; `meta` and `person` come from the caller."""

    owner: SkillOwner
    text: SkillText
    files: Sequence[NewFile]
    origin: SkillOrigin
    actor: str
    reason: str
    state: SkillState = SkillState.ACTIVE
    language: str = "en"
    confidence: float = 1.0
    person: SpaceUser | None = None
    meta: dict[str, Any] | None = None
    source_file: UUID | None = None


@dataclass(frozen=True, slots=True)
class SkillChanges:
    """Changes of a new version: texts by path (None deletes the file), and files that are stored already.

    `confidence`: 0 to 1.
    """

    texts: Mapping[str, str | None] = field(default_factory=dict)
    files: Sequence[NewFile] = ()
    confidence: float | None = None


Vector = list[float] | None


def record_nothing(skill: Skill) -> None:
    """Record no audit entry. Changes by members pass a function that writes one in the same transaction."""


def embed_skill(text: SkillText) -> list[float]:
    """Compute the vector for `create_skill` and `revise_skill`, before their transaction."""
    return get_embedder().embed_passages([recall_text(text)])[0]


def create_skill(new: NewSkill, vector: Vector = None) -> Skill:
    """Write the skill with files, first version and memory, in the caller's transaction and scope."""
    owner, text = new.owner, new.text
    skill: Skill = Skill.objects.create(
        id=uuid7(),
        account_id=owner.account_id,
        project_id=owner.project_id,
        cube=owner.cube,
        person=new.person,
        origin=new.origin,
        state=new.state,
        name=text.name[:MAX_STORED_NAME],
        title=text.title,
        description=text.description,
        value=text.value,
        meta=new.meta,
        language=new.language,
        confidence=new.confidence,
        source_file=new.source_file,
    )
    write_files(skill, new.files)
    _write_version(skill, new.actor, new.reason)
    write_recall_memory(skill, vector)
    announce_skill(skill, "created")
    return skill


def revise_skill(
    skill: Skill, changes: SkillChanges, *, actor: str, reason: str, vector: Vector = None
) -> Skill:
    """Write a new version, in the caller's transaction. The skill is read again under its lock.

    Raises `InvalidFile` when the SKILL.md would not be one, or would go.
    """
    current = lock_skill(skill)
    texts = {path: text for path, text in changes.texts.items() if text is not None}
    gone = [path for path, text in changes.texts.items() if text is None]
    if any(path.lower() == SKILL_MD for path in gone):
        raise InvalidFile("a skill keeps its SKILL.md")
    files = [*changes.files, *(NewFile.of_text(path, text) for path, text in texts.items())]
    top = next((text for path, text in texts.items() if path.lower() == SKILL_MD), None)
    current.version += 1
    if top is not None:
        _take_over(current, parse_skill_text(top))
    if changes.confidence is not None:
        current.confidence = changes.confidence
    current.updated_at = timezone.now()
    current.save()
    write_files(current, files, gone=gone)
    _write_version(current, actor, reason)
    write_recall_memory(current, vector)
    announce_skill(current, "changed")
    return current


def parse_skill_text(text: str) -> SkillText:
    """Parse a SKILL.md. Raises `InvalidFile` with the rule that it breaks."""
    try:
        return parse_skill_md(text)
    except BadFrontMatter as error:
        raise InvalidFile(f"{PATH}: {error}") from None


def _take_over(skill: Skill, text: SkillText) -> None:
    skill.name, skill.title = text.name[:MAX_STORED_NAME], text.title
    skill.description, skill.value = text.description, text.value


def lock_skill(skill: Skill) -> Skill:
    """Lock the skill and return its current row. Raises `NotFound` when it was deleted."""
    row: Skill | None = (
        Skill.objects.within(skill.account_id).select_for_update(no_key=True).filter(pk=skill.pk).first()
    )
    if row is None:
        raise NotFound("the skill is gone")
    return row


def set_state(skill: Skill, state: SkillState, *, actor: str, vector: Vector = None) -> Skill:
    """Approve, archive or restore; does nothing when the skill has this state already."""
    current = lock_skill(skill)
    if current.state == state:
        return current
    current.state, current.updated_at = state.value, timezone.now()
    current.save(update_fields=["state", "updated_at"])
    write_recall_memory(current, vector)
    announce_skill(current, state.value)
    return current


def restore_version(skill: Skill, number: int, *, actor: str, vector: Vector = None) -> Skill:
    """Write a new version with the files of an old one. Raises `NotFound` for an unknown version."""
    current = lock_skill(skill)
    old = list(list_skill_files(current, number))
    if number >= current.version or not old:
        raise NotFound(f"version {number}")
    now = {file.path: file for file in list_skill_files(current)}
    wanted = {file.path: file for file in old}
    changed = [file for path, file in wanted.items() if path not in now or now[path].sha256 != file.sha256]
    gone: dict[str, str | None] = {
        path: None for path in now if path not in wanted and path.lower() != SKILL_MD
    }
    changes = SkillChanges(
        texts=gone | {file.path: file.text for file in changed if file.text is not None},
        files=[_as_new(file) for file in changed if file.text is None],
    )
    return revise_skill(current, changes, actor=actor, reason=f"version {number} restored", vector=vector)


def _as_new(file: SkillFile) -> NewFile:
    return NewFile(file.path, file.mime, file.size, file.sha256, file.text, file.storage_key)


def delete_skill(skill: Skill, *, may_regenerate: bool = False) -> None:
    """Delete the skill with versions, evidence and memory; stored files are deleted after the commit.

    Its episodes do not generate another one, unless it `may_regenerate`.
    """
    if skill.cube_id is not None:
        lock_cube(skill.cube_id)  # before its rows, as generation does
    current = lock_skill(skill)
    delete_recall_memory(current)
    if not may_regenerate:
        skill_deleting.send(None, skill=current)
    storage.delete_on_commit(
        list_storage_keys(SkillFile.objects.within(current.account_id).filter(skill=current))
    )
    announce_skill(current, "deleted")
    current.delete()


def delete_skills(skills: Iterable[Skill]) -> int:
    gone = 0
    for skill in skills:
        delete_skill(skill)
        gone += 1
    return gone


def delete_skills_of_cube(project_id: UUID, cube_id: UUID) -> None:
    """Delete the skills of a deleted subject, together with the memories of its cube."""
    Episode.objects.within(project_id).filter(cube=cube_id).delete()
    mine = Skill.objects.within(MemCube.objects.within(project_id).filter(pk=cube_id).values("account"))
    delete_skills(mine.filter(cube=cube_id, project=project_id).select_related("cube", "memory"))


def _write_version(skill: Skill, actor: str, reason: str) -> None:
    SkillVersion.objects.create(
        id=uuid7(),
        **get_owner_fields(skill),
        skill=skill,
        number=skill.version,
        title=skill.title,
        description=skill.description,
        actor=actor[:60],
        reason=reason[:200],
        confidence=skill.confidence,
    )
