"""Conversations as the rules read them."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from memories.values import ToolCall
from skills.reading.talk import TalkMessage, ToolResult

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def talk(play: str) -> list[TalkMessage]:
    return [_heard(at, *line.split(": ", 1)) for at, line in enumerate(play.strip().splitlines())]


def _heard(at: int, who: str, text: str) -> TalkMessage:
    name, _, rest = text.partition(" ")
    calls = (ToolCall(name, name, rest or "{}"),) if who == "C" else ()
    results = (ToolResult(name, rest),) if who == "R" else ()
    role = {"U": "user", "R": "user", "S": "system"}.get(who, "assistant")
    return TalkMessage(uuid4(), at, role, "" if who in {"C", "R"} else text, calls, results, WHEN)
