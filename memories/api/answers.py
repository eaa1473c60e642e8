"""Memories in the contract's own shapes: milliseconds for times in lists, numbers for scores, no nulls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memories.models import Memory, Message, Task
from memories.moments import epoch_milliseconds
from memories.search import Hit

PREFERENCE_NOTE = (
    "Explicit preferences were stated by the user; implicit preferences were inferred from choices and behaviour. "
    "Let them shape the answer where they fit the question, let the user's present words win over them, and do not "
    "mention them as stored data."
)


def task_answer(task: Task) -> dict[str, Any]:
    return {"success": True, "task_id": str(task.pk), "status": task.public_status}


def search_answer(hits: Iterable[Hit]) -> dict[str, Any]:
    facts = [_with_score(fact(hit.memory), hit) for hit in hits if hit.memory.kind != "preference"]
    preferences = [
        _with_score(preference(hit.memory), hit) for hit in hits if hit.memory.kind == "preference"
    ]
    return {
        "memory_detail_list": facts,
        "preference_detail_list": preferences,
        "tool_memory_detail_list": [],
        "skill_detail_list": [],
        "preference_note": PREFERENCE_NOTE if preferences else "",
    }


def _with_score(item: dict[str, Any], hit: Hit) -> dict[str, Any]:
    return item | {"relativity": round(hit.relativity, 8)}


def _times(memory: Memory) -> dict[str, Any]:
    return {
        "create_time": epoch_milliseconds(memory.created_at),
        "update_time": epoch_milliseconds(memory.updated_at),
    }


def _common(memory: Memory) -> dict[str, Any]:
    return {
        "conversation_id": memory.conversation_key,
        "status": "activated",
        "tags": memory.tags,
        "info": memory.info,
        "memory_time": epoch_milliseconds(memory.event_time) if memory.event_time else None,
        **_times(memory),
    }


def fact(memory: Memory) -> dict[str, Any]:
    return {
        "id": str(memory.pk),
        "memory_key": memory.title,
        "memory_value": dated_text(memory),
        "memory_type": memory.memory_type,
        "confidence": memory.confidence,
        **_common(memory),
    }


def preference(memory: Memory) -> dict[str, Any]:
    return {
        "id": str(memory.pk),
        "preference": dated_text(memory),
        "preference_type": memory.preference_type or "explicit_preference",
        "reasoning": memory.reasoning,
        **_common(memory),
    }


def dated_text(memory: Memory) -> str:
    """What the memory says; when it no longer holds, until when it did, so that nobody reads it as the present."""
    if memory.valid_until is None:
        return memory.text
    return f"{memory.text} [until {memory.valid_until:%Y-%m-%d}]"


def with_sources(item: dict[str, Any], memory: Memory) -> dict[str, Any]:
    return item | {"sources": [source(row.message) for row in memory.sources.all()]}


def source(message: Message) -> dict[str, Any]:
    return {
        "type": "chat",
        "message_id": str(message.pk),
        "role": message.role,
        "content": message.text,
        "chat_time": message.chat_time or message.said_at.isoformat(),
    }


def message_item(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.content if message.content is not None else "",
        "chat_time": message.chat_time,
        "create_time": epoch_milliseconds(message.said_at),
        "update_time": epoch_milliseconds(message.created_at),
        **message.extra,
    }
