"""Messages as the reader sees them, from sessions and from conversations of memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.values import ToolCall, Turn
from skills.message_formats.parts import PartType, get_part_meta
from skills.models import SessionMessage

USER, ASSISTANT, SYSTEM = "user", "assistant", "system"
# Longer texts are pasted files: their beginning says what they are.
_LONGEST_READ = 20_000


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Answer of a tool, and the call that it answers."""

    answers: str
    text: str


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """One message. Instructions that a program put before the talk have the role "system"."""

    id: UUID
    position: int
    role: str
    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    said_at: datetime

    @property
    def is_said(self) -> bool:
        """Return whether a person or an agent speaks, and not only a tool."""
        return bool(self.text.strip())


def build_talk_message(message: SessionMessage) -> TalkMessage:
    spoken = message.kept.get("role")
    texts, calls, results = [], [], []
    for part in message.parts:
        meta, text = get_part_meta(part), str(part.get("text") or "")
        if part["type"] == PartType.TEXT:
            texts.append(text)
        elif part["type"] == PartType.TOOL_CALL:
            calls.append(
                ToolCall(str(meta.get("id") or ""), str(meta["name"]), str(meta.get("arguments") or ""))
            )
        elif part["type"] == PartType.TOOL_RESULT:
            results.append(ToolResult(str(meta.get("tool_call_id") or ""), text))
    return TalkMessage(
        message.pk,
        message.position,
        SYSTEM if spoken in {"system", "developer"} else message.role,
        "\n".join(texts)[:_LONGEST_READ],
        tuple(calls),
        tuple(results),
        message.created_at,
    )


def build_turns(messages: Sequence[TalkMessage]) -> list[Turn]:
    """In the form that the memory engine reads: each result is a turn of its own."""
    turns = []
    for message in messages:
        turns += [
            Turn("tool", result.text, message.said_at, answers=result.answers) for result in message.results
        ]
        if message.is_said or message.calls:
            turns.append(Turn(message.role, message.text, message.said_at, calls=message.calls))
    return turns


def build_talk_messages(turns: Sequence[Turn], positions: Sequence[int]) -> list[TalkMessage]:
    """Turns of a conversation; each has its position as its id."""
    return [_build_talk_message(turn, at) for turn, at in zip(turns, positions, strict=True)]


def _build_talk_message(turn: Turn, at: int) -> TalkMessage:
    results = (ToolResult(turn.answers, turn.text),) if turn.role == "tool" else ()
    role = USER if turn.role in {"tool", USER} else turn.role
    return TalkMessage(
        UUID(int=at),
        at,
        role,
        "" if results else turn.text[:_LONGEST_READ],
        turn.calls,
        results,
        turn.said_at,
    )
