"""Message formats of clients: parsed into a normal form and written back, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from skills.message_formats import acontext, anthropic, openai
from skills.message_formats.parts import NormalisedMessage
from skills.models import SessionMessage
from tenancy.api.bodies.forms import FormFile
from tenancy.errors import InvalidParameters, UnsupportedType

Message = dict[str, Any]
ACONTEXT = "acontext"
READERS: dict[str, Callable[[Message], NormalisedMessage]] = {
    "openai": openai.read_message,
    ACONTEXT: acontext.read_message,
    "anthropic": anthropic.read_message,
}
# A message can need several: results of tools are messages of their own in one of the formats.
WRITERS: dict[str, Callable[[SessionMessage], list[Message]]] = {
    "openai": openai.write_message,
    "anthropic": anthropic.write_message,
}


def normalise_message(
    name: str, blob: Message, files: Mapping[str, FormFile] = MappingProxyType({})
) -> NormalisedMessage:
    """`files` are those that came beside the message, by the names of their form fields.

    Raises `UnsupportedType` for an unknown format, `InvalidParameters` for what is no message of it.
    """
    if name not in READERS:
        raise UnsupportedType(f"format: one of {', '.join(READERS)}")
    if name == ACONTEXT:
        return acontext.read_message(blob, files)
    if files:
        raise InvalidParameters(f"files come beside messages of the format {ACONTEXT} only")
    return READERS[name](blob)
