"""Conversations with tools, as the engine sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memories.text.tools.drafts import build_tool_drafts
from memories.values import Draft, MemoryKind, ToolCall, Turn

DAY = datetime(2025, 12, 10, tzinfo=UTC)
ASKED = "What's the weather like in Beijing right now?"
LOCATION = {"type": "string", "description": "City name, e.g. Beijing"}
PARAMETERS = {"type": "object", "properties": {"location": LOCATION}, "required": ["location"]}
WEATHER = {"name": "get_weather", "description": "Get current weather information", "parameters": PARAMETERS}
CLOUDY = {"location": "Beijing", "temperature": "7°C", "condition": "Cloudy"}


def system(text: str) -> Turn:
    return Turn("system", text, DAY)


def user(text: str) -> Turn:
    return Turn("user", text, DAY)


def calls(*made: tuple[str, str, Any]) -> Turn:
    """An assistant's message that calls tools: (id, name, arguments)."""
    written = [
        ToolCall(call_id, name, sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False))
        for call_id, name, sent in made
    ]
    return Turn("assistant", "", DAY, calls=tuple(written))


def result(call_id: str, content: Any) -> Turn:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return Turn("tool", text, DAY, answers=call_id)


def drafts(turns: Sequence[Turn], kind: MemoryKind, offers: Sequence[Any] = ()) -> list[Draft]:
    drafts = build_tool_drafts(turns, offers or [None] * len(turns), [])
    return [draft for draft in drafts if draft.kind is kind]


def runs(*turns: Turn) -> list[Draft]:
    return drafts(turns, MemoryKind.TOOL_TRAJECTORY)


def run(*turns: Turn) -> Draft:
    (only,) = runs(*turns)
    return only


def schemas(*turns: Turn) -> list[dict[str, Any]]:
    return [draft.details["schema"] for draft in drafts(turns, MemoryKind.TOOL_SCHEMA)]


def statuses(draft: Draft) -> list[str]:
    return [step["status"] for step in draft.details["steps"]]


def tool(draft: Draft, name: str) -> dict[str, Any]:
    return next(entry for entry in draft.details["tools"] if entry["used_tool"] == name)
