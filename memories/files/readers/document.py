"""What every reader makes of a file: blocks in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from memories.files.values import NO_FACTS, PAGE_CHARACTERS, TooLong


class BlockRole(Enum):
    """Relations of a block to its neighbours: items to the sentence before them, rows to one another."""

    PARAGRAPH = auto()
    ITEM = auto()
    ROW = auto()


class Block(NamedTuple):
    """A paragraph, a list's item, a table's row, or a heading of a level from 1. `page` is 0 where there are none."""

    text: str
    level: int = 0
    page: int = 0
    role: BlockRole = BlockRole.PARAGRAPH


class Document(NamedTuple):
    blocks: list[Block]
    pages: int
    facts: Mapping[str, Any] = NO_FACTS


def count_as_pages(blocks: Iterable[Block], pages: int) -> Document:
    """Count characters as pages, for formats that have none. Raises `TooLong`."""
    taken, characters = [], 0
    for block in blocks:
        characters += len(block.text)
        refuse_pages(-(-characters // PAGE_CHARACTERS), pages)
        taken.append(block)
    return Document(taken, max(1, -(-characters // PAGE_CHARACTERS)))


def refuse_pages(count: int, most: int) -> None:
    if count > most:
        raise TooLong(f"it has more than {most} pages", "Split it into several files.")


def write_row_line(head: Sequence[str], cells: Sequence[str]) -> str:
    """A row says which column each cell belongs to, so that it means something on its own."""
    return "; ".join(
        f"{head[place]}: {cell}" if place < len(head) and head[place] and head[place] != cell else cell
        for place, cell in enumerate(cells)
        if cell
    )


def build_row_blocks(rows: Iterable[Sequence[str]], page: int = 0) -> Iterable[Block]:
    """The first row that fills more than one column names them; what stands over it is a line of its own."""
    head: Sequence[str] | None = None
    waiting: Sequence[str] = ()
    for cells in rows:
        if not any(cells):
            continue
        if head is None and sum(map(bool, cells)) < 2:
            yield Block(write_row_line((), cells), page=page)
        elif head is None:
            head = waiting = cells if names_columns(cells) else ()
            if not head:
                yield Block(write_row_line((), cells), page=page, role=BlockRole.ROW)
        else:
            waiting = ()
            yield Block(write_row_line(head, cells), page=page, role=BlockRole.ROW)
    if waiting:
        yield Block(write_row_line((), waiting), page=page, role=BlockRole.ROW)


def names_columns(cells: Sequence[str]) -> bool:
    """Names of columns are words."""
    return all(any(map(str.isalpha, cell)) for cell in cells if cell)
