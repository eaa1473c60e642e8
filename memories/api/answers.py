"""Serialize memories in the contract's shapes: times in milliseconds, scores as numbers, no nulls."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memories.consolidation.tool_memories import Rates, format_words_with_calls
from memories.models import Feedback, Memory, Message, Task
from memories.retrieval.content_registry import Shapes, is_shaped
from memories.retrieval.search import Hit
from memories.text.time.timestamps import get_epoch_milliseconds
from memories.values import MemoryKind

PREFERENCE_NOTE = (
    "Explicit preferences were stated by the user; implicit preferences were inferred from choices and behaviour. "
    "Let them shape the answer where they fit the question, let the user's present words win over them, and do not "
    "mention them as stored data."
)

FACTS, PREFERENCES, TOOLS = "memory_detail_list", "preference_detail_list", "tool_memory_detail_list"
SKILLS = "skill_detail_list"
LISTS: dict[str, str] = {
    MemoryKind.PREFERENCE: PREFERENCES,
    MemoryKind.TOOL_SCHEMA: TOOLS,
    MemoryKind.TOOL_TRAJECTORY: TOOLS,
    MemoryKind.SKILL: SKILLS,
}


def build_task_answer(task: Task) -> dict[str, Any]:
    return {"success": True, "task_id": str(task.pk), "status": task.public_status}


def search_answer(hits: Iterable[Hit], rates: Rates, shapes: Shapes) -> dict[str, Any]:
    """`rates` are how often the tools of the hits worked (`tool_memories.load_success_rates`), `shapes` the items of
    those hits that another app shows (`build_shapes`): what it has none for is gone."""
    lists: dict[str, list[dict[str, Any]]] = {FACTS: [], PREFERENCES: [], TOOLS: [], SKILLS: []}
    for hit in hits:
        if is_shaped(hit.memory.kind):
            lists[SKILLS] += [_with_score(shapes[hit.memory.pk], hit)] if hit.memory.pk in shapes else []
            continue
        item = build_memory_answer(hit.memory, rates) | (
            build_passage_answer(hit.memory, hit.base) if hit.base else {}
        )
        lists[LISTS.get(hit.memory.kind, FACTS)].append(_with_score(item, hit))
    return {**lists, "preference_note": PREFERENCE_NOTE if lists[PREFERENCES] else ""}


def build_memory_answer(memory: Memory, rates: Rates) -> dict[str, Any]:
    """The memory in the shape of its kind."""
    if memory.kind == MemoryKind.PREFERENCE:
        return build_preference(memory)
    return build_tool(memory, rates) if LISTS.get(memory.kind) == TOOLS else build_fact(memory)


# What a memory that came from no talk answers with, as clients expect.
NO_CONVERSATION = "default_session"


def build_passage_answer(memory: Memory, base: str) -> dict[str, Any]:
    """Build the answer that says where a passage stands: in which base, file, and place of the file. What people put
    right stands in no file."""
    place = get_source_file(memory)
    if place:
        place = place | {"file": place["file"] | {"knowledgebase_id": base}}
    return {
        "conversation_id": memory.conversation_key or NO_CONVERSATION,
        "knowledgebase_id": base,
        "sources": [place] if place else [],
    }


def _with_score(item: dict[str, Any], hit: Hit) -> dict[str, Any]:
    return item | {"relativity": round(hit.relativity, 8)}


def _build_times(memory: Memory) -> dict[str, Any]:
    return {
        "create_time": get_epoch_milliseconds(memory.created_at),
        "update_time": get_epoch_milliseconds(memory.updated_at),
    }


def _build_common_fields(memory: Memory) -> dict[str, Any]:
    return {
        "conversation_id": memory.conversation_key,
        "status": "activated",
        "tags": memory.tags,
        "info": memory.info,
        "memory_time": get_epoch_milliseconds(memory.event_time) if memory.event_time else None,
        **_build_times(memory),
    }


def build_fact(memory: Memory) -> dict[str, Any]:
    return {
        "id": str(memory.pk),
        "memory_key": memory.title,
        "memory_value": format_dated_text(memory),
        "memory_type": memory.memory_type,
        "confidence": memory.confidence,
        **_build_common_fields(memory),
    }


def build_preference(memory: Memory) -> dict[str, Any]:
    return {
        "id": str(memory.pk),
        "preference": format_dated_text(memory),
        "preference_type": memory.preference_type or "explicit_preference",
        "reasoning": memory.reasoning,
        **_build_common_fields(memory),
    }


def build_tool(memory: Memory, rates: Rates) -> dict[str, Any]:
    """A schema as JSON text, since clients print what they get; a trajectory with what its tools taught."""
    item = {
        "id": str(memory.pk),
        "tool_type": memory.memory_type,
        "tool_value": memory.text,
        **_build_common_fields(memory),
    }
    if memory.kind == MemoryKind.TOOL_SCHEMA:
        return item | {"tool_value": json.dumps(memory.details["schema"], ensure_ascii=False)}
    used = [_build_tool_used(entry, memory, rates) for entry in memory.details["tools"]]
    return item | {"tool_used_status": used, "experience": memory.details["experience"]}


def _build_tool_used(entry: dict[str, Any], memory: Memory, rates: Rates) -> dict[str, Any]:
    return {
        "used_tool": entry["used_tool"],
        "error_type": entry["error_type"],
        "success_rate": round(rates.get((memory.cube_id, entry["used_tool"]), 0.0), 4),
        "tool_experience": entry["tool_experience"],
    }


def format_dated_text(memory: Memory) -> str:
    """The text of a memory; one that is no longer valid with its end, so that nobody takes it for the present."""
    if memory.valid_until is None:
        return memory.text
    return f"{memory.text} [until {memory.valid_until:%Y-%m-%d}]"


def with_sources(item: dict[str, Any], memory: Memory) -> dict[str, Any]:
    messages = sorted((row.message for row in memory.sources.all()), key=lambda m: (m.said_at, m.position))
    place = get_source_file(memory)
    chat = [build_source(message, format_source_text(message, memory)) | place for message in messages]
    return item | {
        "sources": [*chat, *(build_feedback_item(feedback) for feedback in memory.feedback_sources)]
    }


def format_source_text(message: Message, memory: Memory) -> str:
    """The text of a source; of a tool memory's with its calls, and without what the memory hides."""
    return format_words_with_calls(message) if LISTS.get(memory.kind) == TOOLS else message.text


def get_source_file(memory: Memory) -> dict[str, Any]:
    """Return which file of the message a memory came from, and where in it."""
    file = memory.details.get("file")
    return {"type": "file", "file": file} if isinstance(file, dict) else {}


def build_feedback_item(feedback: Feedback) -> dict[str, Any]:
    return {
        "type": "feedback",
        "feedback_id": str(feedback.pk),
        "role": "user",
        "content": feedback.text,
        "chat_time": feedback.said_at.isoformat(),
    }


def build_source(message: Message, content: str) -> dict[str, Any]:
    return {
        "type": "chat",
        "message_id": str(message.pk),
        "role": message.role,
        "content": content,
        "chat_time": message.chat_time or message.said_at.isoformat(),
    }


def build_message_item(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.content if message.content is not None else "",
        "chat_time": message.chat_time,
        "create_time": get_epoch_milliseconds(message.said_at),
        "update_time": get_epoch_milliseconds(message.created_at),
        **message.extra,
    }
