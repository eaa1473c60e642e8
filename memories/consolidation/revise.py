"""Change the text of a memory: the old one is stored as a version, words and vector are updated."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max

from memories.consolidation.merging import add_sources
from memories.consolidation.versions import WORKER, Reason, change_memory
from memories.engine import get_embedder
from memories.models import Memory
from memories.text.content import hash_content, hash_passage
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import VERBATIM, Draft, MemoryKind, MemoryStatus

# How long ago news may have begun.
_NEWS = timedelta(days=62)


def is_frozen(memory: Memory) -> bool:
    return bool(memory.status == MemoryStatus.FROZEN)


def keeps_its_words(memory: Memory) -> bool:
    """Return whether the memory was stored verbatim: it is never reworded, but may be superseded."""
    return is_frozen(memory) or memory.extracted_by == VERBATIM


def rewrite_memory(
    memory: Memory, fields: Mapping[str, Any], vector: list[float] | None, *, actor: str, reason: str
) -> None:
    """Gives the memory new fields in place; a new text comes with its vector. Frozen ones are the caller's to spare."""
    written = dict(fields)
    if "text" in fields:
        text = fields["text"]
        written |= {
            "content_hash": hash_memory_text(memory, text),
            "words": " ".join(search_terms(text)),
            "language": detect_language(text),
            "embedding": vector,
            "embedding_model": get_embedder().name,
        }
    change_memory(memory, actor=actor, reason=reason, **written)


def has_file(memory: Memory) -> bool:
    """A passage of a file in a knowledge base."""
    return memory.kind == MemoryKind.KNOWLEDGE and "file" in memory.details


def hash_memory_text(memory: Memory, text: str) -> bytes:
    """Hash by which memories of a cube are equal."""
    if has_file(memory) and memory.source_task:
        return hash_passage(memory.source_task, text)
    return hash_content(text)


def find_duplicate(memory: Memory, text: str) -> Memory | None:
    """Another memory of the cube that says this now."""
    # Of one that was stored word for word, the hash is of its scope too.
    content_hash = memory.content_hash if text == memory.text else hash_memory_text(memory, text)
    same = Memory.objects.within(memory.cube_id).current().filter(kind=memory.kind, content_hash=content_hash)
    duplicate: Memory | None = same.exclude(pk=memory.pk).first()
    return duplicate


def retire_memory(memory: Memory, until: datetime, *, actor: str, reason: str) -> None:
    """The memory stays for questions about the past; something else is to hold from this moment."""
    began = memory.valid_from or memory.created_at
    change_memory(memory, actor=actor, reason=reason, valid_until=max(until, began))


def link_successor(memory: Memory, successor: Memory) -> None:
    """Says what holds in the place of a retired memory."""
    memory.superseded_by = successor
    memory.save(update_fields=["superseded_by"])


def merge_into(memory: Memory, twin: Memory, *, actor: str, reason: str) -> None:
    """The twin says it now, and has both their sources; this one stays as history."""
    add_sources(twin, [source.message for source in memory.sources.select_related("message")])
    change_memory(memory, actor=actor, reason=reason, status=MemoryStatus.MERGED, superseded_by=twin)


def is_newer(holder: Memory, draft: Draft, began: datetime, said_at: datetime) -> bool:
    """Return whether the memory began, or was last stated, after the new statement: then it is the newer truth."""
    last = find_last_said_at(holder)
    if not draft.slot:  # the day of what is to come is no beginning: a meeting is moved before it takes place
        return last is not None and last > said_at
    if get_start(holder) > find_latest_start(began, said_at):
        return True
    return last is not None and last > said_at


def find_latest_start(began: datetime, said_at: datetime) -> datetime:
    """When it began at the latest: what happened "today" is known by its day, and "last week" or "last month" by the
    first one. Of what is news, that which was said later is the newer."""
    return max(began, said_at) if said_at - began <= _NEWS else began


def format_day(timestamp: datetime | None) -> str:
    return timestamp.date().isoformat() if timestamp else ""


def find_last_said_at(memory: Memory) -> datetime | None:
    """Find when the memory was last stated; None if no stored message states it."""
    last: datetime | None = memory.sources.aggregate(last=Max("message__said_at"))["last"]
    return last


def get_start(memory: Memory) -> datetime:
    """Since when it holds; of what is to come, when that is."""
    return memory.valid_from or memory.created_at


def supersede_memory(old: Memory, new: Memory, until: datetime, latest: datetime | None = None) -> None:
    """The new memory holds in its place from then on, at the latest from `latest` on."""
    ends = max(until, get_start(old))
    ends = min(ends, latest) if latest else ends
    change_memory(old, actor=WORKER, reason=Reason.SUPERSEDED, valid_until=ends, superseded_by=new)


def was_said_later(memory: Memory, at: datetime) -> bool:
    """Return whether it began after that time, and not because it tells of what was to come then."""
    if get_start(memory) <= at:
        return False
    last = find_last_said_at(memory)
    return last is None or last > at
