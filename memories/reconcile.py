"""Keeping memories true: each new statement meets what the cube already holds.

Equal text is merged (sources and time are added), a statement of the same slot supersedes the older one, which
keeps its validity interval for questions about the past, and everything else is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Max
from django.utils import timezone

from memories.content import content_hash
from memories.models import Conversation, MemCube, Memory, MemorySource, MemoryVersion, Message
from memories.models.memory import owner_fields
from memories.values import Draft, OwnerKind, Status
from memories.words import terms
from tenancy.ids import uuid7


@dataclass(frozen=True, slots=True)
class Embedded:
    """A draft with its vector."""

    draft: Draft
    vector: list[float]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where drafts come from: what every memory of one request has in common."""

    conversation: Conversation
    messages: Sequence[Message]
    task: UUID
    embedder: str
    agent_id: str = ""
    app_id: str = ""
    info: dict[str, Any] = field(default_factory=dict)
    extractor: str = ""


@dataclass(slots=True)
class Outcome:
    """Ids of what was added, merged and superseded."""

    added: list[UUID] = field(default_factory=list)
    merged: list[UUID] = field(default_factory=list)
    superseded: list[UUID] = field(default_factory=list)


def lock_cube(cube_id: UUID) -> None:
    """Until the transaction ends, nobody else compares and writes in this cube."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [cube_id.int & 0x7FFF_FFFF_FFFF_FFFF])


def reconcile(cube: MemCube, drafts: Sequence[Embedded], origin: Origin) -> Outcome:
    """Writes the drafts into the cube, in the caller's transaction and under the cube's lock."""
    lock_cube(cube.pk)
    outcome = Outcome()
    for ordinal, embedded in enumerate(drafts):
        _place(cube, embedded, origin, ordinal, outcome)
    return outcome


def _place(cube: MemCube, embedded: Embedded, origin: Origin, ordinal: int, outcome: Outcome) -> None:
    draft = embedded.draft
    twin = _twin(cube, draft)
    if twin is not None:
        _merge(twin, draft, origin)
        outcome.merged.append(twin.pk)
        return
    holders = _holders(cube, draft.slot, origin) if draft.slot else []
    began = _began(draft, origin)
    said = max(began, origin.messages[draft.turns[-1]].said_at)
    ended = next((end for holder in holders if (end := _holds_after(holder, began, said))), None)
    memory = _add(cube, embedded, origin, ordinal, valid_until=ended)
    outcome.added.append(memory.pk)
    for holder in holders if ended is None else []:
        _supersede(holder, memory, began)
        outcome.superseded.append(holder.pk)


def _twin(cube: MemCube, draft: Draft) -> Memory | None:
    found: Memory | None = (
        Memory.objects.within(cube)
        .current()
        .filter(kind=draft.kind, content_hash=content_hash(draft.text))
        .first()
    )
    return found


def _holders(cube: MemCube, slot: str, origin: Origin) -> list[Memory]:
    holders = Memory.objects.within(cube).current().filter(slot=slot, status=Status.ACTIVATED)
    if cube.owner_kind == OwnerKind.PUBLIC:
        # Many people speak in the public cube: one's residence does not replace another's.
        holders = holders.filter(sources__message__conversation__cube=origin.conversation.cube_id).distinct()
    return list(holders)


def _holds_after(holder: Memory, began: datetime, said: datetime) -> datetime | None:
    """When the holder began after the new state, or was said again after it was said: it is the newer truth."""
    if _starts(holder) > began:
        return _starts(holder)
    last: datetime | None = holder.sources.aggregate(last=Max("message__said_at"))["last"]
    return last if last is not None and last > said else None


def _began(draft: Draft, origin: Origin) -> datetime:
    return draft.event_time or origin.messages[draft.turns[-1]].said_at


def _starts(memory: Memory) -> datetime:
    return memory.valid_from or memory.created_at


def _add(
    cube: MemCube, embedded: Embedded, origin: Origin, ordinal: int, valid_until: datetime | None
) -> Memory:
    draft = embedded.draft
    conversation = origin.conversation
    memory: Memory = Memory.objects.create(
        **owner_fields(cube),
        cube=cube,
        kind=draft.kind,
        title=draft.title,
        text=draft.text,
        content_hash=content_hash(draft.text),
        memory_type=draft.memory_type,
        preference_type=draft.preference_type,
        reasoning=draft.reasoning,
        confidence=draft.confidence,
        tags=list(draft.tags),
        info=origin.info,
        agent_id=origin.agent_id,
        app_id=origin.app_id,
        conversation=conversation if conversation.cube_id == cube.pk else None,
        conversation_key=conversation.external_id,
        position=origin.messages[draft.turns[0]].position,
        speaker=draft.speaker,
        language=draft.language,
        slot=draft.slot,
        event_time=draft.event_time or origin.messages[draft.turns[0]].said_at,
        valid_from=_began(draft, origin),
        valid_until=valid_until,
        source_task=origin.task,
        ordinal=ordinal,
        details=draft.details,
        extracted_by=origin.extractor,
        words=" ".join(terms(draft.text)),
        embedding=embedded.vector,
        embedding_model=origin.embedder,
    )
    _add_sources(memory, draft, origin)
    return memory


def _add_sources(memory: Memory, draft: Draft, origin: Origin) -> None:
    tenant = {"account_id": memory.account_id, "project_id": memory.project_id}
    MemorySource.objects.bulk_create(
        [MemorySource(**tenant, memory=memory, message=message) for message in _stored(draft, origin)],
        ignore_conflicts=True,
    )


def _stored(draft: Draft, origin: Origin) -> list[Message]:
    """The draft's messages that have a row; words of feedback have none."""
    return [origin.messages[turn] for turn in draft.turns if not origin.messages[turn]._state.adding]


def _merge(twin: Memory, draft: Draft, origin: Origin) -> None:
    """The same again: more sources, a fresher time, the union of the tags; the words stay."""
    _add_sources(twin, draft, origin)
    twin.tags = list(dict.fromkeys([*twin.tags, *draft.tags]))
    twin.info = {**twin.info, **origin.info}
    twin.updated_at = timezone.now()
    twin.confidence = max(twin.confidence, draft.confidence)
    twin.save(update_fields=["tags", "info", "updated_at", "confidence"])


def _supersede(old: Memory, new: Memory, until: datetime) -> None:
    keep_version(old, actor="worker", reason="replaced by a later statement")
    old.valid_until = max(until, _starts(old))
    old.superseded_by = new
    old.version = F("version") + 1
    old.updated_at = timezone.now()
    old.save(update_fields=["valid_until", "superseded_by", "version", "updated_at"])


def keep_version(memory: Memory, *, actor: str, reason: str) -> None:
    """Writes down what the memory says now, before it changes."""
    MemoryVersion.objects.create(
        id=uuid7(),
        account_id=memory.account_id,
        project_id=memory.project_id,
        memory=memory,
        number=memory.version,
        title=memory.title,
        text=memory.text,
        actor=actor,
        reason=reason,
    )
