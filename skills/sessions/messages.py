"""Messages of a session: stored in a normal form, read in windows, annotated by their sender."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Sum
from django.utils import timezone

from memories.files.storage import delete_uncommitted_files
from skills.merge_meta import merge_meta
from skills.message_formats.parts import NormalisedMessage, Part, PartType, get_part_meta
from skills.models import Session, SessionMessage
from skills.paging import PageWindow, Slice, read_window
from skills.sessions.debounce import schedule_observation
from skills.sessions.session_message_files import (
    ANSWER_BYTES,
    ExtractedFiles,
    build_asset,
    extract_files,
    store_files,
)
from skills.sessions.sessions import find_session, load_session
from skills.values import MessageState
from tenancy.errors import NotFound
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

# A rough measure that needs no tokenizer: four bytes a token.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages oldest first, however they were asked for; `before` is the id of the one before the first."""

    messages: list[SessionMessage]
    before: UUID | None
    slice: Slice


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message that is about to be stored, without its files, which are set aside in `taken`."""

    message: NormalisedMessage
    taken: ExtractedFiles

    @classmethod
    def of(cls, message: NormalisedMessage) -> NewMessage:
        return cls(message, extract_files(message.parts, message.uploads))

    @property
    def texts(self) -> list[str]:
        """Return what its tokens are counted in, but for files."""
        return get_part_texts(self.taken.parts) + get_sender_texts(self.message.kept)

    @property
    def tokens(self) -> int:
        return estimate_stored_tokens(self.texts) + self.taken.tokens


def store_message(
    project: Project,
    session_id: UUID,
    new: NewMessage,
    meta: dict[str, Any],
    paying: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> tuple[SessionMessage, UUID | None]:
    """The message with all that was sent, and the id of the one before it. Messages of a session come one after the
    other. Files are stored first; `paying` makes the transaction part of its own. Raises `NotFound`,
    `OperationFailed`, `StorageFull`.
    """
    key = uuid7()
    assets = {index: build_asset(key, index, upload) for index, upload in new.message.uploads.items()}
    if new.taken.files:
        load_session(project, session_id)  # no file is written for a session that is not there
    with delete_uncommitted_files() as kept:
        storage_key = store_files(project, new.taken, kept)
        with paying(), storage_scope(project):
            session = find_session(project, session_id, is_locked=True)
            before = _get_previous_id(session, session.message_count)
            message = _build_message(project, session, new)
            message.id, message.meta, message.storage_key = key, meta, storage_key
            message.parts = _with_assets(new.taken.parts, assets)
            _append_message(session, message)
            kept.keep_on_commit()
    message.parts = _with_assets(new.message.parts, assets)
    return message, before


def _build_message(project: Project, session: Session, new: NewMessage) -> SessionMessage:
    """The next row of the session, without what its sender did not write in it."""
    state = MessageState.DISABLE_TRACKING if session.disable_task_tracking else MessageState.PENDING
    return SessionMessage(
        account_id=project.account_id,
        project=project,
        session=session,
        position=session.message_count,
        role=new.message.role,
        kept=new.message.kept,
        files=new.taken.as_rows(),
        stored_bytes=new.taken.size,
        tokens=new.tokens,
        state=state.value,
    )


def _append_message(session: Session, message: SessionMessage) -> None:
    """Insert the message as the last one of its session, which is locked, and have it read for tasks later."""
    message.row_bytes = count_bytes_in_row(message)
    message.save(force_insert=True)
    session.message_count += 1
    session.updated_at = message.created_at
    if message.state == MessageState.PENDING:
        schedule_observation(session)
    session.save(update_fields=["message_count", "updated_at", "idle_at"])


def _with_assets(parts: Iterable[Part], assets: dict[int, dict[str, Any]]) -> list[Part]:
    return [part | ({"asset": assets[at]} if at in assets else {}) for at, part in enumerate(parts)]


def count_bytes_in_row(message: SessionMessage) -> int:
    """Count the bytes that the words of the message take in its row, written as JSON."""
    return sum(count_json_bytes(value) for value in (message.parts, message.meta, message.kept))


def count_json_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def _get_previous_id(session: Session, position: int) -> UUID | None:
    rows = SessionMessage.objects.within(session.project_id).filter(session=session, position=position - 1)
    message_id: UUID | None = rows.values_list("pk", flat=True).first() if position else None
    return message_id


def read_messages(project: Project, session_id: UUID, window: PageWindow) -> MessagePage:
    """Read messages without their files, which `session_message_files.with_files` adds."""
    with tenant_scope(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).filter(session=session)
        row_slice = read_window(rows, window, by="position", size=ANSWER_BYTES)
        messages = row_slice.rows[::-1] if window.is_newest_first else row_slice.rows
        before = _get_previous_id(session, messages[0].position) if messages else None
    for message in messages:
        message.session = session
    return MessagePage(messages, before, row_slice)


def merge_message_meta(
    project: Project, session_id: UUID, message_id: UUID, changes: dict[str, Any]
) -> dict[str, Any]:
    """The meta afterwards: null takes a key away. Raises `NotFound`."""
    with storage_scope(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).select_for_update(no_key=True)
        message = rows.filter(session=session, pk=message_id).first()
        if message is None:
            raise NotFound("message not found")
        message.meta = meta = merge_meta(message.meta, changes, "meta")
        if message.row_bytes is not None:
            # Counted anew: the database gives numbers back longer than they came (1e308), and no row takes less than 0.
            message.row_bytes = count_bytes_in_row(message)
        message.updated_at = timezone.now()
        message.save(update_fields=["meta", "row_bytes", "updated_at"])
    return meta


def count_session_tokens(project: Project, session_id: UUID) -> int:
    with tenant_scope(project):
        session = find_session(project, session_id)
        rows = SessionMessage.objects.within(project).filter(session=session)
        counted = rows.aggregate(tokens=Sum("tokens"))["tokens"] or 0
        # Messages of releases that did not count, until a job has counted them.
        uncounted = rows.filter(tokens=None).order_by().iterator(chunk_size=10)
        return counted + sum(count_message_tokens(message) for message in uncounted)


def count_message_tokens(message: SessionMessage) -> int:
    if message.tokens is not None:
        return int(message.tokens)
    return NewMessage.of(NormalisedMessage(message.role, message.parts, message.kept)).tokens


def estimate_stored_tokens(texts: Iterable[str]) -> int:
    return sum(-(-len(text.encode()) // BYTES_PER_TOKEN) for text in texts)


def get_part_texts(parts: Iterable[Part]) -> list[str]:
    """Every text of the parts, and what they hold besides as JSON: nothing that is stored is free."""
    return [text for part in parts for text in _get_texts(part) if text]


def _get_texts(part: Part) -> list[str]:
    meta = dict(get_part_meta(part))
    # Results in blocks hold the text in these.
    text = "" if "blocks" in meta else part.get("text")
    texts = [text, part.get("filename"), meta.pop("name", None), meta.pop("arguments", None)]
    if part["type"] in {PartType.TOOL_CALL, PartType.TOOL_RESULT}:
        meta = {name: value for name, value in meta.items() if name not in {"id", "type", "tool_call_id"}}
    rest = [json.dumps(meta, ensure_ascii=False)] if meta else []
    return [str(text) for text in texts if text] + rest


def get_sender_texts(kept: dict[str, Any]) -> list[str]:
    """Return what the sender wrote about the message as a whole: a name, and in the contract's own format any
    object."""
    texts = [kept.get("name"), kept.get("meta") and json.dumps(kept["meta"], ensure_ascii=False)]
    return [str(text) for text in texts if text]
