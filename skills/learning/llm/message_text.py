"""Format a message for a model: each part is cut to a length."""

from __future__ import annotations

from typing import Any

from skills.reading.talk import TalkMessage


def build_message_text(message: TalkMessage, longest: int) -> dict[str, Any]:
    parts: list[dict[str, str]] = []
    if message.is_said:
        parts.append({"text": _shorten_text(message.text, longest)})
    parts += [
        {"tool_call": call.name, "arguments": _shorten_text(call.arguments, longest)}
        for call in message.calls
    ]
    parts += [{"tool_result": _shorten_text(result.text, longest)} for result in message.results]
    return {"role": message.role, "parts": parts}


def _shorten_text(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
