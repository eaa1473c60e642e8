"""Tables of a PDF, known by what their lines have in common: cells that stand under each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.files.readers.document import Block, BlockRole, build_row_blocks, names_columns, write_row_line
from memories.files.readers.pdf.lines import Cell, PdfLine
from memories.files.readers.plain import is_bullet, join_lines

# How far a row may stand below the one before, in usual distances of lines.
FARTHEST = 4.0
# A cell's own lines are no farther apart than this.
WITHIN = 1.15
# How much of its width a line fills whose words go on in the next.
FULL = 0.75


@dataclass(slots=True)
class _Column:
    """Left and right edge, in points from the page's left edge."""

    left: float
    right: float

    def takes(self, cell: Cell) -> bool:
        return cell.left < self.right and self.left < cell.right or abs(cell.left - self.left) < 3


class PdfTable:
    """Lines from `start` to `end`. A table that goes on on the next page keeps the names of its columns."""

    def __init__(self, columns: list[_Column], page: int, end: int) -> None:
        self.columns, self.page, self.end = columns, page, end
        self.head: Sequence[str] = ()
        self.rows: list[list[str]] = []

    def iterate_blocks(self) -> Iterable[Block]:
        if self.head:
            rows = self.rows[1:] if self.rows and self.rows[0] == list(self.head) else self.rows
            return [Block(write_row_line(self.head, row), page=self.page, role=BlockRole.ROW) for row in rows]
        if self.rows and names_columns(self.rows[0]):
            self.head = self.rows[0]
        return list(build_row_blocks(self.rows, self.page))


def find_table_at(
    lines: Sequence[PdfLine], start: int, leading: float, before: PdfTable | None
) -> PdfTable | None:
    """The table that begins with this line, if one does: two lines of cells under each other at the least."""
    first = lines[start]
    if not _is_row(first):
        return None
    columns = [_Column(cell.left, cell.right) for cell in first.cells]
    end = start + 1
    while end < len(lines) and _belongs(lines[end], lines[start:end], columns, leading):
        _widen_columns(columns, lines[end])
        end += 1
    while end > start + 1 and not _goes_on(lines[start:end], columns, leading):
        end -= 1
    goes_on = before is not None and _same(before.columns, columns) and first.page == before.page + 1
    if sum(map(_is_row, lines[start:end])) < 2 and not goes_on:
        return None
    table = PdfTable(columns, first.page, end)
    table.rows = _split_rows(lines[start:end], columns, leading)
    if goes_on and before is not None:
        table.head = before.head
    return table


def _is_row(line: PdfLine) -> bool:
    return len(line.cells) > 1 and not (len(line.cells) == 2 and is_bullet(line.cells[0].text))


def _belongs(line: PdfLine, above: Sequence[PdfLine], columns: list[_Column], leading: float) -> bool:
    lowest = min(line_above.height for line_above in above)
    if line.page != above[0].page or lowest - line.height > FARTHEST * leading:
        return False
    if line.height - above[0].height > leading / 2 or (len(line.cells) == 2 and not _is_row(line)):
        return False
    places = [[column.takes(cell) for column in columns] for cell in line.cells]
    return not any(sum(place) != 1 for place in places)


def _goes_on(lines: Sequence[PdfLine], columns: list[_Column], leading: float) -> bool:
    """Return whether the last of the lines is still of the table: a row, or a cell whose line above is full."""
    *above, last = lines
    if _is_row(last):
        return True
    if min(line.height for line in above) - last.height > WITHIN * leading:
        return False
    place = next(number for number, column in enumerate(columns) if column.takes(last.cells[0]))
    over = [cell.right for line in above for cell in line.cells if columns[place].takes(cell)]
    end = columns[place + 1].left if place + 1 < len(columns) else columns[place].right
    return over[-1] - columns[place].left > FULL * (end - columns[place].left)


def _widen_columns(columns: list[_Column], line: PdfLine) -> None:
    for cell in line.cells:
        column = next(column for column in columns if column.takes(cell))
        column.left, column.right = min(column.left, cell.left), max(column.right, cell.right)


def _same(before: list[_Column], columns: list[_Column]) -> bool:
    return len(before) == len(columns) and all(
        abs(column.left - other.left) < 5 for column, other in zip(before, columns, strict=True)
    )


def _split_rows(lines: Sequence[PdfLine], columns: list[_Column], leading: float) -> list[list[str]]:
    """A row begins where its first column does, unless that cell takes another line."""
    rows: list[list[list[str]]] = []
    last = float("inf")
    for line in lines:
        places = [next(n for n, column in enumerate(columns) if column.takes(cell)) for cell in line.cells]
        if (
            not rows
            or (0 in places and not 0 < last - line.height <= WITHIN * leading)
            or _is_row_of_all(places, columns, rows[-1])
        ):
            rows.append([[] for _ in columns])
        if 0 in places:
            last = line.height
        for place, cell in zip(places, line.cells, strict=True):
            rows[-1][place].append(cell.text)
    return [[join_lines(parts) for parts in row] for row in rows]


def _is_row_of_all(places: list[int], columns: list[_Column], row: list[list[str]]) -> bool:
    """A line that fills every column again is a row of its own, however close it stands."""
    return len(places) == len(columns) and all(row)
