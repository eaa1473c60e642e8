"""Merge two statements into one memory: which wording stays, and what is taken from the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from memories.consolidation.ends.chinese.ended_by_words import find_remaining_text
from memories.consolidation.ends.phrases.former_partners import write_of_former_partner
from memories.consolidation.ends.remaining import find_remaining_english
from memories.consolidation.neighbours import EmbeddedDraft
from memories.consolidation.provenance import DraftOrigin
from memories.consolidation.versions import WORKER, Reason, change_memory
from memories.models import Memory, MemorySource, Message
from memories.text.content import hash_content
from memories.text.topics.tags import build_title
from memories.text.words.tokenize import search_terms
from memories.text.zh.script import simplify, to_simplified
from memories.values import Draft, MemoryKind, MemoryStatus

# After this many versions, repetitions are recorded as sources only.
_MOST_REPEATS = 50


def record_repetition(twin: Memory, draft: Draft, origin: DraftOrigin) -> None:
    """The very same words again: a source more, and a version only if that tells anything new.

    What is past its last day is found again, a frozen one too; what has one that is still to come has the later one.
    """
    is_new = add_sources(twin, origin.list_stored(draft))
    if twin.status == MemoryStatus.FROZEN and not twin.is_past_its_day:
        return
    merged: dict[str, Any] = {
        "expires_on": _choose_last_day(twin, origin.expires_on),
        "tags": _join_distinct(twin.tags, draft.tags),
        "info": {**twin.info, **origin.info},
        "confidence": max(twin.confidence, draft.confidence),
    }
    is_recorded = is_new and twin.version < _MOST_REPEATS
    if is_recorded or any(getattr(twin, name) != value for name, value in merged.items()):
        change_memory(twin, actor=WORKER, reason=Reason.REPEATED, **merged)


def _choose_last_day(twin: Memory, day: date | None) -> date | None:
    """Choose the last day of validity of the merged memory; None is never."""
    if twin.expires_on is None or day is None:
        return None
    return day if twin.is_past_its_day else max(twin.expires_on, day)


def is_respelled(before: str, now: str) -> bool:
    """Return whether texts that are equal but for case and width differ in how a name or code is written.

    A word that only lacks the capital it began with is typed in a hurry, not put right.
    """
    pairs = zip(before.split(), now.split(), strict=False)
    return any(old != new and old != new[:1].upper() + new[1:] for old, new in pairs)


def build_remaining_draft(draft: Draft, old: Memory) -> Draft | None:
    """Build a draft of what a memory says besides the part that has ended; None for nothing."""
    find = find_remaining_text if old.language == "zh" else find_remaining_english
    held, script = simplify(old.text)
    new = to_simplified(draft.text)
    text = script.restore(write_of_former_partner(new, held, old.language) or find(new, held))
    if not text:
        return None
    return Draft(
        kind=MemoryKind(old.kind),
        text=text,
        title=build_title(text, old.language),
        turns=draft.turns,
        confidence=old.confidence,
        tags=tuple(old.tags),
        memory_type=old.memory_type,
        preference_type=old.preference_type,
        reasoning=old.reasoning,
        event_time=old.event_time,
        language=old.language,
    )


def keep_wording(memory: Memory, draft: Draft, messages: Sequence[Message], began: datetime) -> None:
    """The memory says it already, and better: the new words go into its history."""
    add_sources(memory, messages)
    if memory.version >= _MOST_REPEATS:
        return
    change_memory(
        memory,
        actor=WORKER,
        reason=Reason.REWORDED,
        other_text=draft.text,
        tags=_join_distinct(memory.tags, draft.tags),
        confidence=max(memory.confidence, draft.confidence),
        **_build_backdated_fields(memory, draft, began),
    )


def enrich_memory(
    memory: Memory, embedded: EmbeddedDraft, messages: Sequence[Message], origin: DraftOrigin, began: datetime
) -> None:
    """The new words say more: they take the memory over, and the old ones go into its history."""
    draft = embedded.draft
    add_sources(memory, messages)
    change_memory(
        memory,
        actor=WORKER,
        reason=Reason.ENRICHED,
        title=draft.title,
        text=draft.text,
        content_hash=hash_content(draft.text),
        reasoning=draft.reasoning or memory.reasoning,
        slot=draft.slot or memory.slot,
        language=draft.language,
        tags=_join_distinct(memory.tags, draft.tags),
        info={**memory.info, **origin.info},
        details={**memory.details, **draft.details},
        confidence=max(memory.confidence, draft.confidence),
        extracted_by=origin.extractor,
        words=" ".join(search_terms(draft.text)),
        embedding=embedded.vector,
        embedding_model=origin.embedder,
        **_build_backdated_fields(memory, draft, began),
    )


def mark_as_merged(memory: Memory, into: Memory) -> None:
    """Another memory says it now; this one stays as history, out of every search."""
    add_sources(into, [source.message for source in memory.sources.select_related("message")])
    change_memory(
        memory, actor=WORKER, reason=Reason.ABSORBED, status=MemoryStatus.MERGED, superseded_by=into
    )


def add_sources(memory: Memory, messages: Sequence[Message]) -> bool:
    """Add messages to the sources of a memory; False when all of them were its sources already."""
    asked = memory.sources.filter(message__in=messages)  # of thousands that it may have
    known = set(asked.values_list("message_id", flat=True)) if messages else set()
    missing = [message for message in messages if message.pk not in known]
    tenant = {"account_id": memory.account_id, "project_id": memory.project_id}
    MemorySource.objects.bulk_create(
        [MemorySource(**tenant, memory=memory, message=message) for message in missing], ignore_conflicts=True
    )
    return bool(missing)


def _build_backdated_fields(memory: Memory, draft: Draft, began: datetime) -> dict[str, Any]:
    """A state that turns out to be older than was known ends the one before it earlier."""
    started = memory.valid_from
    if not draft.slot or started is None or began >= started:
        return {}
    before = Memory.objects.within(memory.cube_id).filter(superseded_by=memory, valid_until=started)
    before.filter(valid_from__lte=began).update(valid_until=began)
    return {"valid_from": began}


def _join_distinct(some: Sequence[str], others: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*some, *others]))
