"""The text inside what clients send, and what makes two memories equal."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memories.values import NewMessage


class TimedMessage(Protocol):
    """A message as far as its rough text needs it."""

    role: str
    text: str
    said_at: datetime


def get_plain_text(content: Any) -> str:
    """All the text parts of a message's content, one below the other."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_iterate_part_texts(content))


def _iterate_part_texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def has_attachment(content: Any) -> bool:
    """Return whether a file or an image is among the parts; such messages are always worked on in the background."""
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") in {"file", "image_url"} for part in content
    )


def list_texts_in(message: NewMessage) -> list[str]:
    """All that the message asks us to read: its words, and what it says of tools."""
    tools = [message.extra[name] for name in ("tool_calls", "tools") if name in message.extra]
    return [message.text, *(json.dumps(tool, ensure_ascii=False) for tool in tools)]


def write_raw_text(messages: Iterable[TimedMessage], hide: Callable[[str], str]) -> str:
    """The turn as it was said: "user: [09:44 AM on 10 December, 2025 UTC]: ..." a line a message.

    `hide` takes the secrets out of what tools returned.
    """
    return "".join(
        f"{message.role}: [{_format_spoken_time(message)}]: "
        f"{hide(message.text) if message.role == 'tool' else message.text}\n"
        for message in messages
        if message.text
    )


def _format_spoken_time(message: TimedMessage) -> str:
    """The time in the words of the contract's own raw memories."""
    return message.said_at.strftime("%I:%M %p on %d %B, %Y UTC")


def hash_content(text: str) -> bytes:
    """Equal for texts that differ in case, width or white space only: so people write the same."""
    return _hash_text(_fold_text(text).casefold())


def hash_wording(text: str) -> bytes:
    """Equal for texts that differ in width or white space only: in a document case may tell one thing from another."""
    return _hash_text(_fold_text(text))


def hash_passage(document: UUID, text: str) -> bytes:
    """Two documents may say the same; one that says it twice has one memory of it."""
    return hash_wording(f"{document} {text}")


def _fold_text(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _hash_text(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
