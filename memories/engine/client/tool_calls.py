"""Tool calls of a model, in the wire format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

# Of one answer; what goes beyond was never looked at, and is not answered either.
MOST_CALLS = 32


@dataclass(frozen=True, slots=True)
class ModelToolCall:
    """`arguments` as the model wrote them: JSON, or not."""

    id: str
    name: str
    arguments: str

    @property
    def wire(self) -> dict[str, Any]:
        """As the conversation must repeat it to the model."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


def parse_tool_calls(message: Any) -> tuple[ModelToolCall, ...]:
    """Servers differ: some give no ids, some give arguments as an object. What is no call is left out."""
    raw = message.get("tool_calls")
    if not isinstance(raw, list):
        return ()
    read = [_read_call(at, raw_call) for at, raw_call in enumerate(raw[:MOST_CALLS])]
    return tuple(call for call in read if call is not None)


def _read_call(at: int, raw: Any) -> ModelToolCall | None:
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)
    identity = raw.get("id")
    return ModelToolCall(
        identity if isinstance(identity, str) and identity else f"call_{at}", function["name"], arguments
    )
