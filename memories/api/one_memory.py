"""Serialize one memory with its history, in the union of the shapes that clients read."""

from __future__ import annotations

from typing import Any

from memories.api.answers import build_feedback_item, build_passage_answer, build_source, format_source_text
from memories.consolidation.versions import hide_member_actor
from memories.models import Memory, MemoryVersion
from memories.values import MemoryKind, MemoryStatus, OwnerKind

VIEW_OF = {
    MemoryKind.PREFERENCE: "preference",
    MemoryKind.TOOL_SCHEMA: "tool",
    MemoryKind.TOOL_TRAJECTORY: "tool",
    MemoryKind.SKILL: "skill",
    MemoryKind.PROFILE: "profile",
    MemoryKind.EVENT: "event",
}


def get_view_name(kind: str) -> str:
    """The name that clients give to a kind."""
    return VIEW_OF.get(MemoryKind(kind), "detail_factual")


def build_memory_answer(memory: Memory) -> dict[str, Any]:
    messages = sorted((row.message for row in memory.sources.all()), key=lambda message: message.said_at)
    cube = memory.cube
    about = {
        "user_id": cube.owner_id if cube.owner_kind == OwnerKind.END_USER else "",
        "agent_id": cube.owner_id if cube.owner_kind == OwnerKind.AGENT else memory.agent_id,
        "tags": memory.tags,
        "info": memory.info,
        "status": memory.status,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }
    sources = [
        _with_language(build_source(message, format_source_text(message, memory)), memory)
        for message in messages
    ]
    shared = (
        build_passage_answer(memory, cube.owner_id) if cube.owner_kind == OwnerKind.KNOWLEDGE_BASE else {}
    )
    sources += shared.pop("sources", [])
    return {
        "id": str(memory.pk),
        "memory_id": str(memory.pk),
        "memory_view": get_view_name(memory.kind),
        "title": memory.title,
        "content": memory.text,
        "memory": memory.text,
        "conversation_id": memory.conversation_key,
        "message_ids": [str(message.pk) for message in messages],
        "app_id": memory.app_id,
        "algorithm_updatable": memory.status != MemoryStatus.FROZEN,
        **shared,
        **about,
        **_build_validity(memory),
        "history": [_build_version(version) for version in memory.versions.all()],
        "metadata": {
            "key": memory.title,
            "memory_type": memory.memory_type,
            "session_id": memory.conversation_key,
            "background": memory.reasoning,
            "confidence": memory.confidence,
            "sources": [*sources, *(build_feedback_item(feedback) for feedback in memory.feedback_sources)],
            **about,
        },
    }


def _with_language(item: dict[str, Any], memory: Memory) -> dict[str, Any]:
    return item | {"lang": memory.language}


def _build_validity(memory: Memory) -> dict[str, Any]:
    def timestamp(value: Any) -> str:
        return value.isoformat() if value else ""

    return {
        "memory_time": timestamp(memory.event_time),
        "valid_from": timestamp(memory.valid_from),
        "valid_until": timestamp(memory.valid_until),
        "superseded_by": str(memory.superseded_by_id or ""),
        "version": memory.version,
    }


def _build_version(version: MemoryVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "title": version.title,
        "content": version.text,
        "actor": hide_member_actor(version.actor),
        "reason": version.reason,
        "created_at": version.created_at.isoformat(),
    }
