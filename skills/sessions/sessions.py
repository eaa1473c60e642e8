"""Create, find, configure and delete sessions of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from skills.merge_meta import merge_meta
from skills.models import Session, SessionMessage, SessionTask
from skills.models.user_rows import get_or_create_person
from skills.paging import PageWindow, Slice, count_json_octets, read_window
from skills.sessions.session_message_files import delete_message_files
from tenancy.errors import NotFound
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.log_erasure import erase_from_logs
from tenancy.storage.allowance import storage_scope


@dataclass(frozen=True, slots=True)
class NewSession:
    """Fields that a client sends for a new session; `wanted_id` is an id of its own choosing."""

    identifier: str | None = None
    disable_task_tracking: bool = False
    configs: dict[str, Any] | None = None
    wanted_id: UUID | None = None


def create_session(project: Project, new: NewSession) -> tuple[Session, bool]:
    """The session, and whether it is new: one of this id that the project has already is left as it is."""
    with storage_scope(project):
        if new.wanted_id is not None and (known := _find_known_session(project, new.wanted_id)):
            return known, False
        try:
            with transaction.atomic():
                return _write_session(project, new), True
        except IntegrityError:
            if new.wanted_id is None:
                raise
            # Created meanwhile by another request of the project.
            return find_session(project, new.wanted_id), False


def _write_session(project: Project, new: NewSession) -> Session:
    key = uuid7()
    session: Session = Session.objects.create(
        id=key,
        public_id=new.wanted_id or key,
        account_id=project.account_id,
        project=project,
        person=get_or_create_person(project, new.identifier),
        disable_task_tracking=new.disable_task_tracking,
        configs=new.configs,
    )
    return session


def _find_known_session(project: Project, session_id: UUID) -> Session | None:
    session: Session | None = Session.objects.within(project).filter(public_id=session_id).first()
    return session


def find_session(project: Project, session_id: UUID, *, is_locked: bool = False) -> Session:
    """Find a session by its public id, inside the project's tenant scope.

    Raises `NotFound`, for another project's as for an unknown one.
    """
    rows = Session.objects.within(project)
    session: Session | None = (
        (rows.select_for_update(no_key=True) if is_locked else rows).filter(public_id=session_id).first()
    )
    if session is None:
        raise NotFound("session not found")
    return session


def list_sessions(project: Project, window: PageWindow, identifier: str, configs: dict[str, Any]) -> Slice:
    """List sessions, of this person if one is named, whose configs contain these."""
    with tenant_scope(project):
        rows = Session.objects.within(project)
        if identifier:
            rows = rows.filter(person__identifier=identifier)
        if configs:
            rows = rows.filter(configs__contains=configs)
        return read_window(rows, window, size=count_json_octets("configs"))


def load_session(project: Project, session_id: UUID) -> Session:
    with tenant_scope(project):
        return find_session(project, session_id)


def replace_configs(project: Project, session_id: UUID, configs: dict[str, Any]) -> None:
    with storage_scope(project):
        session = find_session(project, session_id, is_locked=True)
        _save_configs(session, configs)


def merge_configs(project: Project, session_id: UUID, changes: dict[str, Any]) -> dict[str, Any]:
    """The configs afterwards: null takes a key away."""
    with storage_scope(project):
        session = find_session(project, session_id, is_locked=True)
        configs = merge_meta(session.configs or {}, changes, "configs")
        _save_configs(session, configs)
    return configs


def _save_configs(session: Session, configs: dict[str, Any]) -> None:
    session.configs, session.updated_at = configs, timezone.now()
    session.save(update_fields=["configs", "updated_at"])


def delete_session(project: Project, session_id: UUID) -> None:
    """With its messages, tasks and learning record, and out of the request log."""
    with tenant_scope(project):
        erase_from_logs(project, delete_rows(project, [find_session(project, session_id, is_locked=True)]))


def delete_rows(project: Project, sessions: Sequence[Session]) -> list[str]:
    """Delete sessions inside the project's tenant scope; stored files are deleted on commit.

    Returns the names that the caller removes from the request log when it holds no more locks.
    """
    messages = SessionMessage.objects.within(project)
    delete_message_files(messages.filter(session__in=[session.pk for session in sessions]))
    named = [f"session:{session.public_id}" for session in sessions]
    for session in sessions:
        session.delete()
    return named


def list_tasks(project: Project, session_id: UUID, window: PageWindow) -> Slice:
    """List what was asked for in the session; plans and preferences are kept on a task that no list shows."""
    with tenant_scope(project):
        session = find_session(project, session_id)
        rows = SessionTask.objects.within(project).filter(session=session, is_planning=False)
        row_slice = read_window(rows, window, size=count_json_octets("data"))
    for row in row_slice.rows:
        row.session = session
    return row_slice
