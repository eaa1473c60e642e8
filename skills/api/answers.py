"""Rows in the words of the skill memory contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from skills.files import file_fields
from skills.models import (
    LearningRecord,
    LearningSpace,
    Session,
    SessionMessage,
    SessionTask,
    Skill,
    SkillFile,
    SpaceSkill,
    SpaceUser,
)

Answer = dict[str, Any]


def moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _id(key: UUID | None) -> str | None:
    return None if key is None else str(key)


def _times(row: Any) -> Answer:
    return {"created_at": moment(row.created_at), "updated_at": moment(row.updated_at)}


def space(row: LearningSpace) -> Answer:
    return {"id": str(row.pk), "user_id": _id(row.person_id), "meta": row.meta} | _times(row)


def record(row: LearningRecord) -> Answer:
    told = {
        "id": str(row.pk),
        "learning_space_id": str(row.space_id),
        "session_id": str(row.session.public_id),
    }
    return told | {"status": str(row.status)} | _times(row)


def link(row: SpaceSkill) -> Answer:
    told = {"id": str(row.pk), "learning_space_id": str(row.space_id), "skill_id": str(row.skill_id)}
    return told | {"created_at": moment(row.created_at)}


def session(row: Session) -> Answer:
    return {
        "id": str(row.public_id),
        "project_id": str(row.project_id),
        "user_id": _id(row.person_id),
        "disable_task_tracking": row.disable_task_tracking,
        "configs": row.configs,
    } | _times(row)


def task(row: SessionTask) -> Answer:
    return {
        "id": str(row.pk),
        "session_id": str(row.session.public_id),
        "project_id": str(row.project_id),
        "order": row.order,
        "data": {"task_description": ""} | row.data,
        "status": row.status,
        "is_planning": row.is_planning,
    } | _times(row)


def message(row: SessionMessage, before: UUID | None) -> Answer:
    return {
        "id": str(row.pk),
        "session_id": str(row.session.public_id),
        "parent_id": _id(before),
        "role": row.role,
        "meta": row.meta,
        "parts": row.parts,
        "task_id": _id(row.task_id),
        "session_task_process_status": str(row.state),
    } | _times(row)


def raw_messages(rows: Sequence[SessionMessage], before: UUID | None) -> list[Answer]:
    """As they are stored: beside the caller's meta what is kept to give them back as they came."""
    parents = [before, *(row.pk for row in rows)]
    return [
        message(row, parent) | {"meta": {"__source__": row.kept} | row.meta}
        for row, parent in zip(rows, parents, strict=False)
    ]


def skill(row: Skill, files: Iterable[SkillFile]) -> Answer:
    """A skill is the disk that its files are on."""
    return {
        "id": str(row.pk),
        "user_id": _id(row.person_id),
        "name": row.name,
        "description": row.description,
        "disk_id": str(row.pk),
        "file_index": [file_fields(file) for file in files],
        "meta": row.meta,
    } | _times(row)


def person(row: SpaceUser) -> Answer:
    told = {"id": str(row.pk), "project_id": str(row.project_id), "identifier": row.identifier}
    return told | _times(row)
