"""Edits of skills by members: validated like packages, embedded outside of transactions, each a new version.

`record` is called in the transaction of the change, for its entry in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memories.engine import get_embedder
from skills.catalogue.listing import find_skill
from skills.catalogue.search_memory import recall_text
from skills.catalogue.write import (
    MAX_STORED_NAME,
    SkillChanges,
    embed_skill,
    lock_skill,
    parse_skill_text,
    record_nothing,
    restore_version,
    revise_skill,
    set_state,
)
from skills.models import LearningSpace, Skill, SkillFile
from skills.packages.files import list_skill_files, sort_files
from skills.packages.limits import MAX_SKILL_MD
from skills.packages.skill_md import SkillText
from skills.packages.unpack import SKILL_MD
from skills.values import SkillState
from tenancy.errors import Conflict, InvalidFile
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope


class StaleEdit(Conflict):
    """The edit is based on a version that is not the last one."""


@dataclass(frozen=True, slots=True)
class SkillEdit:
    """A new text of the SKILL.md, and the version that it is based on."""

    text: str
    seen: int
    actor: str
    reason: str = ""

    def refuse_stale(self, skill: Skill) -> None:
        """Raises `StaleEdit` when the skill has a newer version than its author saw."""
        if skill.version != self.seen:
            raise StaleEdit(f"there is a version {skill.version} meanwhile")


def read_text(text: str) -> SkillText:
    """Parse and validate the text. Raises `InvalidFile` with the rule that it breaks."""
    if len(text.encode()) > MAX_SKILL_MD:
        raise InvalidFile(f"SKILL.md: larger than {MAX_SKILL_MD // 1024} KB")
    if "\0" in text:
        raise InvalidFile("SKILL.md: it holds a sign that no text has")
    return parse_skill_text(text)


def edit_skill(
    project: Project, skill_id: UUID, edit: SkillEdit, record: Callable[[Skill], None] = record_nothing
) -> Skill:
    """Write the next version. Raises `InvalidFile`, `NotFound`, `StaleEdit`, and `Conflict` where a name is taken."""
    text = read_text(edit.text)
    vector = embed_skill(text)
    with storage_scope(project):
        skill = find_editable_skill(project, skill_id)
        refuse_taken_name(project, skill, text)
        skill = lock_skill(skill)
        edit.refuse_stale(skill)
        changes = SkillChanges(texts={load_skill_md(skill).path: edit.text})
        edited = revise_skill(skill, changes, actor=edit.actor, reason=edit.reason, vector=vector)
        record(edited)
    return edited


def refuse_taken_name(project: Project, skill: Skill, text: SkillText) -> None:
    """Raises `Conflict` where a learning space of the skill has another skill of the new name: agents name skills.

    Locks these spaces, before the skill, so that none gets a skill of the name meanwhile.
    """
    name = text.name[:MAX_STORED_NAME]
    if name == skill.name:
        return
    spaces = LearningSpace.objects.within(project).filter(links__skill=skill)
    locked = list(spaces.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    others = Skill.objects.within(project.account_id).filter(links__space__in=locked, name=name)
    if others.exclude(pk=skill.pk).exists():
        raise Conflict("a learning space of this skill has another skill of that name")


def load_skill_md(skill: Skill, version: int | None = None) -> SkillFile:
    """The SKILL.md, in any capitalisation; inside the scope."""
    file: SkillFile = sort_files(list_skill_files(skill, version).filter(path__iexact=SKILL_MD))[0]
    return file


def move_skill(
    project: Project,
    skill_id: UUID,
    state: SkillState,
    actor: str,
    record: Callable[[Skill], None] = record_nothing,
) -> Skill:
    """Approve, archive or restore a skill."""
    with tenant_scope(project):
        skill = find_skill(project, skill_id)
    vector = get_embedder().embed_passages([recall_text(skill)])[0] if state == SkillState.ACTIVE else None
    with tenant_scope(project):
        moved = set_state(find_skill(project, skill_id), state, actor=actor, vector=vector)
        record(moved)
    return moved


def restore_old_version(
    project: Project,
    skill_id: UUID,
    number: int,
    actor: str,
    record: Callable[[Skill], None] = record_nothing,
) -> Skill:
    """Write an old version as a new one. Raises `NotFound`, and `Conflict` for a knowledge base's skill, or where the
    name is taken."""
    with tenant_scope(project):
        skill = find_editable_skill(project, skill_id)
        old = (
            list_skill_files(skill, number).filter(path__iexact=SKILL_MD).first()
            if number < skill.version
            else None
        )
    text = parse_skill_text(old.text or "") if old is not None else None
    vector = embed_skill(text) if text is not None else None
    with storage_scope(project):
        skill = find_editable_skill(project, skill_id)
        if text is not None:
            refuse_taken_name(project, skill, text)
        restored = restore_version(skill, number, actor=actor, vector=vector)
        record(restored)
    return restored


def find_editable_skill(project: Project, skill_id: UUID) -> Skill:
    """Find a skill that may be edited; inside the scope. Raises `NotFound`, `Conflict` for one of a knowledge base
    file.
    """
    skill = find_skill(project, skill_id)
    if skill.project_id is None:
        raise Conflict("this skill is a file of a knowledge base: upload a new version of that file")
    return skill
