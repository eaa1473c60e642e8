"""What every reader makes of a file: blocks in their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memories.intake.values import PAGE_CHARACTERS, TooLong


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a table's row, or a heading of a level from 1. `page` is 0 where a format has none."""

    text: str
    level: int = 0
    page: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    blocks: list[Block]
    pages: int
    facts: dict[str, Any] = field(default_factory=dict)


def without_pages(blocks: Iterable[Block], pages: int) -> Document:
    """For formats that know no pages: so many characters count as one. Raises `TooLong`."""
    taken, characters = [], 0
    for block in blocks:
        characters += len(block.text)
        refuse_pages(-(-characters // PAGE_CHARACTERS), pages)
        taken.append(block)
    return Document(taken, max(1, -(-characters // PAGE_CHARACTERS)))


def refuse_pages(found: int, most: int) -> None:
    if found > most:
        raise TooLong(f"it has more than {most} pages")
