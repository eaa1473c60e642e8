"""JSON: each value with the path that leads to it, records kept together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from memories.files.readers.document import Block, Document, count_as_pages
from memories.files.readers.plain import decode_text
from memories.files.values import Unreadable

_CURE = "Check it with a JSON validator, or upload it as .txt."
_LEAVES = (str, int, float, bool, type(None))


def read(file: IO[bytes], pages: int) -> Document:
    try:
        value = json.loads(decode_text(file.read()))
    except ValueError:
        raise Unreadable("it is not valid JSON", _CURE) from None
    except RecursionError:
        raise Unreadable("it is nested too deep", "Make it flatter, or upload it as text.") from None
    return count_as_pages(_iterate_blocks(value), pages)


def _iterate_blocks(top: Any) -> Iterator[Block]:
    """Depth first, without recursion: a file may be nested as deep as its parser allows."""
    waiting: list[tuple[str, Any]] = [("", top)]
    while waiting:
        path, value = waiting.pop()
        members = _list_members(value)
        flat = [(name, member) for name, member in members if isinstance(member, _LEAVES)]
        if flat:
            yield Block("; ".join(_write_line(path, name, member, value) for name, member in flat))
        deeper = [
            (_join_path(path, name), member) for name, member in members if not isinstance(member, _LEAVES)
        ]
        waiting.extend(reversed(deeper))


def _list_members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return [(str(number + 1), member) for number, member in enumerate(value)]
    return [("", value)]


def _write_line(path: str, name: str, member: Any, holder: Any) -> str:
    value = member if isinstance(member, str) else json.dumps(member)
    if not isinstance(holder, dict):
        return value
    return f"{_join_path(path, name)}: {value}"


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}".strip(".")
