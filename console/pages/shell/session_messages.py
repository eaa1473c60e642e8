"""Prepare a session's message for display: its parts in their order."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import filesizeformat

from skills.message_formats.parts import Part, get_part_meta, parse_json
from skills.models import SessionMessage

# Longer texts are cut on the page; the download has all of them.
LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class ShownPart:
    """`look` is text, thinking, call, result or file; `name` is a tool's or a file's."""

    look: str
    text: str = ""
    name: str = ""
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class SessionTurn:
    message: SessionMessage
    role: str
    parts: list[ShownPart]


def build_turn(message: SessionMessage) -> SessionTurn:
    """With the role that the sender wrote: the normal form knows two only."""
    role = message.kept.get("role") if isinstance(message.kept, dict) else None
    sizes: Counter[int] = Counter()
    for file in message.files or []:
        sizes[file["place"][0]] += file["size"]
    parts = [_show_message_part(part, sizes[index]) for index, part in enumerate(message.parts)]
    return SessionTurn(message, str(role or message.role), parts)


def _show_message_part(part: Part, size: int) -> ShownPart:
    """`size` is that of its files (bytes)."""
    kind, meta = str(part.get("type")), get_part_meta(part)
    text = str(part.get("text") or "")
    if kind in {"text", "thinking"}:
        return show_text_part(kind, text)
    if kind == "tool-call":
        return show_text_part("call", indent_json(meta.get("arguments")), str(meta.get("name") or ""))
    if kind == "tool-result":
        return show_text_part("result", indent_json(text))
    caption = text or str(meta.get("url") or meta.get("data_type") or "")
    if size:
        caption = ", ".join(filter(None, [caption, filesizeformat(size)]))
    name = part.get("filename") or meta.get("filename") or meta.get("title")
    return show_text_part("file", caption, str(name or kind))


def show_text_part(look: str, text: str, name: str = "") -> ShownPart:
    """A part whose text is cut where it is too long for a page."""
    return ShownPart(look, text[:LONGEST], name, len(text) > LONGEST)


def indent_json(value: Any) -> str:
    """JSON on lines of its own; what is none stays as it is."""
    if value is None:
        return ""
    try:
        return json.dumps(
            parse_json(value) if isinstance(value, str) else value, indent=2, ensure_ascii=False
        )
    except (ValueError, RecursionError):
        return str(value)
