"""Serialize rows in the shapes of the skill memory contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from skills.api import answer_types as types
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
from skills.values import LearningState, MessageState, SessionTaskState


def format_rfc3339(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _format_id(key: UUID | None) -> str | None:
    return None if key is None else str(key)


def _build_times(row: Any) -> types.Times:
    return {"created_at": format_rfc3339(row.created_at), "updated_at": format_rfc3339(row.updated_at)}


def build_space(row: LearningSpace) -> types.LearningSpace:
    return {"id": str(row.pk), "user_id": _format_id(row.person_id), "meta": row.meta, **_build_times(row)}


def build_record(row: LearningRecord) -> types.LearningRecord:
    return {
        "id": str(row.pk),
        "learning_space_id": str(row.space_id),
        "session_id": str(row.session.public_id),
        "status": LearningState(row.status),
        **_build_times(row),
    }


def build_link(row: SpaceSkill) -> types.SkillLink:
    return {
        "id": str(row.pk),
        "learning_space_id": str(row.space_id),
        "skill_id": str(row.skill_id),
        "created_at": format_rfc3339(row.created_at),
    }


def build_session(row: Session) -> types.Session:
    return {
        "id": str(row.public_id),
        "project_id": str(row.project_id),
        "user_id": _format_id(row.person_id),
        "disable_task_tracking": row.disable_task_tracking,
        "configs": row.configs,
        **_build_times(row),
    }


def build_task(row: SessionTask) -> types.SessionTask:
    data: Any = {"task_description": ""} | row.data
    return {
        "id": str(row.pk),
        "session_id": str(row.session.public_id),
        "project_id": str(row.project_id),
        "order": row.order,
        "data": data,
        "status": SessionTaskState(row.status),
        "is_planning": row.is_planning,
        **_build_times(row),
    }


def build_message(row: SessionMessage, before: UUID | None) -> types.SessionMessage:
    return {
        "id": str(row.pk),
        "session_id": str(row.session.public_id),
        "parent_id": _format_id(before),
        "role": row.role,
        "meta": row.meta,
        "parts": row.parts,
        "task_id": _format_id(row.task_id),
        "session_task_process_status": MessageState(row.state),
        **_build_times(row),
    }


def build_raw_messages(rows: Sequence[SessionMessage], before: UUID | None) -> list[types.SessionMessage]:
    """Messages as stored: the caller's meta, and what is needed to return them in their original format."""
    parents = [before, *(row.pk for row in rows)]
    return [
        {**build_message(row, parent), "meta": {"__source__": row.kept} | row.meta}
        for row, parent in zip(rows, parents, strict=False)
    ]


def build_skill(row: Skill, files: Iterable[SkillFile]) -> types.Skill:
    """A skill is the disk that its files are on."""
    return {
        "id": str(row.pk),
        "user_id": _format_id(row.person_id),
        "name": row.name,
        "description": row.description,
        "disk_id": str(row.pk),
        "file_index": [{"path": file.path, "mime": file.mime} for file in files],
        "meta": row.meta,
        **_build_times(row),
    }


def build_person(row: SpaceUser) -> types.Person:
    return {
        "id": str(row.pk),
        "project_id": str(row.project_id),
        "identifier": row.identifier,
        **_build_times(row),
    }
