"""The normal form of a message: a role of two, and parts that say what each is."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from skills.models import SessionMessage
from tenancy.api.bodies.forms import FormFile
from tenancy.errors import InvalidParameters

Part = dict[str, Any]
USER, ASSISTANT = "user", "assistant"
MAX_PARTS = 500


class PartType(StrEnum):
    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"
    DATA = "data"
    THINKING = "thinking"
    REDACTED_THINKING = "redacted_thinking"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"


@dataclass(frozen=True, slots=True)
class NormalisedMessage:
    """A message in the normal form; `kept` is what its own format needs to give it back as it came.

    `uploads` are the files that came beside it, each by the index of the part that names it.
    """

    role: str
    parts: list[Part]
    kept: dict[str, Any] = field(default_factory=dict)
    uploads: dict[int, FormFile] = field(default_factory=dict)


def build_message_error(reason: str) -> InvalidParameters:
    """Build the error that says what is wrong with the message, to be raised."""
    return InvalidParameters(f"blob: {reason}")


def pick_fields(block: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: block[name] for name in names if name in block}


def build_part(kind: PartType, text: str | None = None, **meta: Any) -> Part:
    """Build a part, without fields that are None."""
    made: Part = {"type": kind.value}
    if text is not None:
        made["text"] = text
    known = {name: value for name, value in meta.items() if value is not None}
    return made | {"meta": known} if known else made


def build_tool_call(call_id: Any, name: Any, arguments: Any, kind: str = "function") -> Part:
    """The arguments as JSON text, whatever form they came in."""
    if not isinstance(name, str) or not name:
        raise build_message_error("a tool call has a name")
    if arguments is None:
        arguments = ""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return build_part(
        PartType.TOOL_CALL, id=_require_text_or_none(call_id), name=name, arguments=arguments, type=kind
    )


def build_tool_result(call_id: Any, text: str, **meta: Any) -> Part:
    return build_part(PartType.TOOL_RESULT, text, tool_call_id=_require_text_or_none(call_id) or "", **meta)


def _require_text_or_none(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise build_message_error("ids of tool calls are strings")
    return value


def list_objects(value: Any, what: str) -> list[dict[str, Any]]:
    """A list of objects, without members that are null: null is absent."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise build_message_error(f"{what} is a list of objects")
    if len(value) > MAX_PARTS:
        raise build_message_error(f"{what}: at most {MAX_PARTS}")
    return [remove_nulls(entry) for entry in value]


def remove_nulls(value: dict[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in value.items() if member is not None}


def require_text(block: dict[str, Any], name: str = "text") -> str:
    value = block.get(name)
    if not isinstance(value, str):
        raise build_message_error(f"a part of type {str(block.get('type'))[:40]} has a {name}")
    return str(value)


def require_object(block: dict[str, Any], name: str) -> dict[str, Any]:
    value = block.get(name)
    if not isinstance(value, dict):
        raise build_message_error(f"a part of type {str(block.get('type'))[:40]} has an object {name}")
    return remove_nulls(value)


def get_part_meta(part: Part) -> dict[str, Any]:
    return part.get("meta") or {}


def came_in_list(message: SessionMessage, name: str) -> bool:
    """Return whether a message of this format had its one text in a list, which other formats do not care for."""
    return bool(message.kept.get("is_list")) and message.kept.get("format") == name


def parse_part_arguments(part: Part) -> Any:
    """Return what the tool was called with, where that is JSON."""
    text = get_part_meta(part).get("arguments") or "{}"
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return text


def parse_json(text: str) -> Any:
    """Raises `ValueError` also for what no answer could say again: half characters and numbers without end."""
    read = json.loads(text)
    json.dumps(read, ensure_ascii=False, allow_nan=False).encode()
    return read
