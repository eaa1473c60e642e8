"""Merge two skills of one person: one gets a new version, the other is archived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.consolidation.cube_locks import lock_cube
from memories.files.storage import delete_uncommitted_files
from skills.catalogue.console_list import list_skills_of_same_owner
from skills.catalogue.edit import SkillEdit, find_editable_skill, load_skill_md, read_text, refuse_taken_name
from skills.catalogue.write import SkillChanges, embed_skill, record_nothing, revise_skill, set_state
from skills.models import Skill, SkillEvidence, SkillFile
from skills.packages.files import NewFile, copy_files, list_skill_files
from skills.packages.limits import MAX_FILES
from skills.packages.ownership import get_skill_place
from skills.packages.skill_md import EXAMPLES, EXPERIENCE, OTHERS, PREFERENCE, PROCEDURE, write_skill_md
from skills.packages.unpack import SKILL_MD
from skills.values import SkillState
from tenancy.errors import InvalidFile, NotFound
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

THIS, OTHER, BOTH = "this", "other", "both"
# Of these one is chosen; of the sections both can be kept.
NAMES = ("name", "description")
SECTIONS = (PROCEDURE, EXPERIENCE, PREFERENCE, EXAMPLES, OTHERS)
_LISTS = {EXPERIENCE, PREFERENCE, EXAMPLES}


@dataclass(frozen=True, slots=True)
class Merge:
    """The plan of a merge: `edit` is the text of the remaining skill; with `files` it gets the other's files too."""

    stays: UUID
    goes: UUID
    edit: SkillEdit
    files: bool = True


def merge_texts(stays: Skill, goes: Skill, choices: Mapping[str, str]) -> str:
    """Merge two SKILL.md section by section, taking one, the other or both, without repeated lines."""
    value = {name: _choose_value(stays.value, goes.value, name, choices.get(name, THIS)) for name in NAMES}
    value |= {
        name: _choose_value(stays.value, goes.value, name, choices.get(name, BOTH)) for name in SECTIONS
    }
    return write_skill_md(value, stays.language)


def _choose_value(value: dict[str, Any], other: dict[str, Any], name: str, choice: str) -> Any:
    if choice == OTHER:
        return other.get(name)
    return _combine_values(value.get(name), other.get(name), name) if choice == BOTH else value.get(name)


def _combine_values(value: Any, other: Any, name: str) -> Any:
    if name in _LISTS:
        return list(dict.fromkeys([*(value or ()), *(other or ())]))
    if name == OTHERS:
        return (other or {}) | (value or {}) or None
    return value if not other or value == other else "\n\n".join(filter(None, (value, other)))


def merge_skills(project: Project, union: Merge, record: Callable[[Skill], None] = record_nothing) -> Skill:
    """One new version, with the evidence of both; `record` is called in its transaction. Raises `InvalidFile`,
    `NotFound`, `StorageFull`, `StaleEdit`, and `Conflict` where the name is taken."""
    text = read_text(union.edit.text)
    vector = embed_skill(text)
    with tenant_scope(project):
        stays, goes = _lock_pair(project, union)
        wanted = _list_files_to_take(stays, goes) if union.files else []
    with delete_uncommitted_files() as kept:
        taken = copy_files(get_skill_place(stays), wanted, kept)
        with storage_scope(project):
            refuse_taken_name(project, stays, text)
            _lock_both(project, union)
            stays, goes = _lock_pair(project, union)
            changes = _build_changes(stays, union, taken)
            merged = revise_skill(
                stays, changes, actor=union.edit.actor, reason=union.edit.reason, vector=vector
            )
            _take_evidence(project, merged, goes)
            set_state(goes, SkillState.ARCHIVED, actor=union.edit.actor)
            record(merged)
            kept.keep_on_commit()
    return merged


def _lock_both(project: Project, union: Merge) -> None:
    """Lock the cube, then the skills, in the order that generation uses too."""
    cube = find_editable_skill(project, union.stays).cube_id
    if cube is not None:
        lock_cube(cube)
    rows = Skill.objects.within(project.account_id).filter(pk__in=[union.stays, union.goes])
    list(rows.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def _lock_pair(project: Project, union: Merge) -> tuple[Skill, Skill]:
    """Lock both skills. Raises `NotFound` for skills of different owners."""
    stays = find_editable_skill(project, union.stays)
    goes = list_skills_of_same_owner(project, stays).filter(pk=union.goes).first()
    if goes is None:
        raise NotFound("no skill of this id to merge with")
    union.edit.refuse_stale(stays)
    return stays, goes


def _list_files_to_take(stays: Skill, goes: Skill) -> list[SkillFile]:
    """List the files whose paths are free in the skill that stays."""
    there = {path.lower() for path in list_skill_files(stays).values_list("path", flat=True)}
    wanted = [file for file in list_skill_files(goes) if file.path.lower() not in there | {SKILL_MD}]
    if len(there) + len(wanted) > MAX_FILES:
        raise InvalidFile(f"together they have more than {MAX_FILES} files")
    return wanted


def _build_changes(stays: Skill, union: Merge, taken: list[NewFile]) -> SkillChanges:
    texts: dict[str, str | None] = {load_skill_md(stays).path: union.edit.text}
    return SkillChanges(texts=texts, files=taken)


def _take_evidence(project: Project, merged: Skill, goes: Skill) -> None:
    rows = SkillEvidence.objects.within(project).filter(skill=goes)
    SkillEvidence.objects.bulk_create(
        [
            SkillEvidence(
                id=uuid7(),
                account_id=row.account_id,
                project_id=row.project_id,
                skill=merged,
                version=merged.version,
                episode_id=row.episode_id,
                memory_id=row.memory_id,
                section=row.section,
            )
            for row in rows
        ]
    )
