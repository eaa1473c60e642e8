"""Base64 and data URLs, decoded piece by piece."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Iterator

from tenancy.errors import EmptyList, InvalidBase64Content, InvalidBase64Format

_HEADER = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[^;,]{0,200})*)(;base64)?,", re.IGNORECASE)
_LONGEST_HEADER = 1_000
_SPACE = re.compile(r"[ \t\r\n]+")
_FOREIGN = re.compile(r"[^A-Za-z0-9+/]")
# The alphabet for addresses is common too; both mean the same.
_PLAIN = str.maketrans("-_", "+/")


def decode_base64(pieces: Iterable[str]) -> Iterator[bytes]:
    """The bytes of a Base64 text or data URL.

    Raises `EmptyList` for nothing, `InvalidBase64Format` for bad padding or a bad data URL and
    `InvalidBase64Content` for letters outside the alphabet.
    """
    held, is_over, seen = "", False, False
    for piece in _skip_header(iter(pieces)):
        text = held + _SPACE.sub("", piece).translate(_PLAIN)
        seen = seen or bool(text)
        body = text.rstrip("=")
        if is_over and body or _FOREIGN.search(body):
            raise InvalidBase64Content
        held = text[len(text) - len(text) % 4 :]
        whole = text[: len(text) - len(held)]
        is_over = is_over or "=" in text
        if whole:
            yield _decode_text(whole)
    if held:
        yield _decode_text(_add_padding(held))
    if not seen:
        raise EmptyList("the file is empty")


def _add_padding(rest: str) -> str:
    """Many programs leave the padding out."""
    if "=" in rest or len(rest) == 1:
        raise InvalidBase64Format("the padding is wrong")
    return rest + "=" * (4 - len(rest))


def _decode_text(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise InvalidBase64Format("the padding is wrong") from None


def _skip_header(pieces: Iterator[str]) -> Iterator[str]:
    first = next(pieces, "").lstrip()
    if first[:5].lower() != "data:":
        yield first
        yield from pieces
        return
    match = _HEADER.match(first[:_LONGEST_HEADER])
    if match is None or match.group(3) is None:
        raise InvalidBase64Format("a data URL is written data:<type>;base64,<content>")
    yield first[match.end() :]
    yield from pieces


def get_declared_type(start: str) -> str:
    """The media type that a data URL claims, "" for anything else. Only good for guessing a name."""
    match = _HEADER.match(start.lstrip()[:_LONGEST_HEADER])
    return (match.group(1) or "").lower() if match else ""
