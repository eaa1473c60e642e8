"""Messages of a session: stored in the normal form, read in windows, annotated by their sender."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from skills.formats.parts import Part, Said, meta_of
from skills.keyset import Slice, Window, cut
from skills.merging import merged
from skills.models import Session, SessionMessage
from skills.schedule import schedule_observation
from skills.sessions import find_session
from skills.values import MessageState
from tenancy.errors import NotFound
from tenancy.models import Project
from tenancy.scoping import tenant_scope
from tenancy.stored.allowance import storing

# A rough measure that needs no tokenizer: four bytes a token.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Page:
    """Messages oldest first, however they were asked for; `before` is the id of the one before the first."""

    messages: list[SessionMessage]
    before: UUID | None
    slice: Slice


def store_message(
    project: Project, session_id: UUID, said: Said, meta: dict[str, Any]
) -> tuple[SessionMessage, UUID | None]:
    """The message, and the id of the one before it. Messages of a session come one after the other."""
    with storing(project):
        session = find_session(project, session_id, is_locked=True)
        before = _before(session, session.message_count)
        state = MessageState.DISABLE_TRACKING if session.disable_task_tracking else MessageState.PENDING
        message: SessionMessage = SessionMessage.objects.create(
            account_id=project.account_id,
            project=project,
            session=session,
            position=session.message_count,
            role=said.role,
            parts=said.parts,
            meta=meta,
            kept=said.kept,
            state=state.value,
        )
        session.message_count += 1
        session.updated_at = message.created_at
        if state == MessageState.PENDING:
            schedule_observation(session)
        session.save(update_fields=["message_count", "updated_at", "idle_at"])
    return message, before


def _before(session: Session, position: int) -> UUID | None:
    rows = SessionMessage.objects.within(session.project_id).filter(session=session, position=position - 1)
    found: UUID | None = rows.values_list("pk", flat=True).first() if position else None
    return found


def read_messages(project: Project, session_id: UUID, window: Window) -> Page:
    with tenant_scope(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).filter(session=session)
        found = cut(rows, window, by="position")
        messages = found.rows[::-1] if window.is_newest_first else found.rows
        before = _before(session, messages[0].position) if messages else None
    for message in messages:
        message.session = session
    return Page(messages, before, found)


def merge_message_meta(
    project: Project, session_id: UUID, message_id: UUID, changes: dict[str, Any]
) -> dict[str, Any]:
    """The meta afterwards: null takes a key away. Raises `NotFound`."""
    with storing(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).select_for_update(no_key=True)
        message = rows.filter(session=session, pk=message_id).first()
        if message is None:
            raise NotFound("message not found")
        message.meta, message.updated_at = merged(message.meta, changes, "meta"), timezone.now()
        message.save(update_fields=["meta", "updated_at"])
    meta: dict[str, Any] = message.meta
    return meta


def tokens_of_session(project: Project, session_id: UUID) -> int:
    with tenant_scope(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).filter(session=session)
        return sum(tokens_of(parts) for parts in rows.order_by().values_list("parts", flat=True).iterator())


def tokens_of(parts: Iterable[Part]) -> int:
    """Of the texts, and of the names and arguments of tools."""
    return sum(-(-len(text.encode()) // BYTES_PER_TOKEN) for text in texts_of(parts))


def texts_of(parts: Iterable[Part]) -> list[str]:
    return [
        str(text)
        for one in parts
        for text in (one.get("text"), meta_of(one).get("name"), meta_of(one).get("arguments"))
        if text
    ]
