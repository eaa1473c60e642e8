"""The shapes in which clients write and read messages, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skills.formats import acontext, anthropic, openai
from skills.formats.parts import Said
from skills.models import SessionMessage
from tenancy.errors import UnsupportedType

Message = dict[str, Any]
READERS: dict[str, Callable[[Message], Said]] = {
    "openai": openai.said,
    "acontext": acontext.said,
    "anthropic": anthropic.said,
}
# A message can need several: results of tools are messages of their own in one of the formats.
WRITERS: dict[str, Callable[[SessionMessage], list[Message]]] = {
    "openai": openai.written,
    "anthropic": anthropic.written,
}
ACONTEXT = "acontext"


def normalised(name: str, blob: Message) -> Said:
    """Raises `UnsupportedType` for an unknown format, `InvalidParameters` for what is no message of it."""
    if name not in READERS:
        raise UnsupportedType(f"format: one of {', '.join(READERS)}")
    return READERS[name](blob)
