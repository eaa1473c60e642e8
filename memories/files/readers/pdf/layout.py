"""From the lines of a PDF to headings, paragraphs, items and rows; what is printed on every page is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product

from memories.files.readers.document import Block, BlockRole
from memories.files.readers.pdf.lines import PdfLine
from memories.files.readers.pdf.tables import find_table_at
from memories.files.readers.plain import LONGEST_TITLE, is_item, is_title, join_lines

LARGER = 1.15
LEVELS = 4
# A paragraph's lines are this much closer to each other than to the next paragraph, in usual distances.
APART = 1.25
# In letter sizes; a language may be set wider than the rest of the document.
LINE = 1.6
EDGE_LINES = 3
FEWEST_PAGES = 3
SHARE_OF_PAGES = 0.4
_NUMBER = re.compile(r"\d+")
# From the first dot only: from each of them it would take time by the square of their number.
_LEADER = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?){4,}\s*\d+$")
_ENDS = re.compile(r"[.!?;:。！？；：][\"”’)）]*$")
_FIRST_SENTENCE = re.compile(r"^.*?(?:[.!?][\"”’)]*(?=\s)|[。！？；])", re.DOTALL)

Titles = Mapping[tuple[int, str], int]


def build_blocks(lines: Sequence[PdfLine], titles: Titles) -> Iterator[Block]:
    """Blocks in the order of drawing. A sentence that a page's end breaks is whole on the first of the two."""
    kept = [line for line in _remove_furniture(lines) if not _LEADER.search(line.text)]
    if kept:
        yield from _join_over_page_ends(_Reading(kept, titles).iterate_blocks())


def _remove_furniture(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Remove headers, footers and page numbers, which stand at the edge of most pages."""
    pages = [list(page) for _, page in groupby(lines, lambda line: line.page)]
    if len(pages) < FEWEST_PAGES:
        return list(lines)
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({form for line in _list_edge_lines(page) for form in _list_line_forms(line)})
    wanted = max(FEWEST_PAGES, SHARE_OF_PAGES * len(pages))
    kept = []
    for page in pages:
        edges = {id(line) for line in _list_edge_lines(page)}
        kept += [
            line
            for line in page
            if id(line) not in edges or all(seen[form] < wanted for form in _list_line_forms(line))
        ]
    return kept


def _list_edge_lines(page: Sequence[PdfLine]) -> list[PdfLine]:
    by_height = sorted(page, key=lambda line: line.height)
    return by_height[:EDGE_LINES] + by_height[EDGE_LINES:][-EDGE_LINES:]


def _list_line_forms(line: PdfLine) -> set[str]:
    """The line at its height, each number in it as it is, or as its distance from the page's."""
    text, place = line.text, round(line.height / 4)
    numbers = _NUMBER.findall(text)[:3]
    shapes = product(*[(number, f"<{int(number) - line.page}>") for number in numbers if len(number) < 9])
    forms = set()
    for shape in shapes:
        values = iter(shape)
        forms.add(f"{place} " + _NUMBER.sub(lambda match: next(values, match.group()), text))  # noqa: B023
    return forms


class _Reading:
    """Single pass through a document's lines."""

    def __init__(self, lines: list[PdfLine], titles: Titles) -> None:
        self._lines, self._titles = lines, titles
        self._usual = _find_usual_size(lines)
        self._leading = _find_usual_leading(lines)
        sizes = sorted({line.size for line in lines if self._is_large(line)}, reverse=True)
        self._ranks = {size: min(LEVELS, rank + 1) for rank, size in enumerate(sizes)}

    def iterate_blocks(self) -> Iterator[Block]:
        place, table = 0, None
        while place < len(self._lines):
            next_table = find_table_at(self._lines, place, self._leading, table)
            if next_table is not None:
                yield from next_table.iterate_blocks()
                place, table = next_table.end, next_table
                continue
            line = self._lines[place]
            table = table if table and line.page == table.page else None
            end = self._end_of_heading(place) if self._get_level(place) else self._end_of_paragraph(place)
            yield self._build_block(place, end)
            place = end

    def _build_block(self, start: int, end: int) -> Block:
        text = join_lines([line.text for line in self._lines[start:end]])
        role = BlockRole.ITEM if is_item(text) else BlockRole.PARAGRAPH
        return Block(text, self._get_level(start), self._lines[start].page, role)

    def _is_large(self, line: PdfLine) -> bool:
        return line.size > self._usual * LARGER and len(line.text) <= 2 * LONGEST_TITLE

    def _get_level(self, place: int) -> int:
        line = self._lines[place]
        if level := self._titles.get((line.page, line.key), 0):
            return level
        if self._is_large(line):
            return self._ranks[line.size]
        is_lone = line.is_bold and is_title(line.text) and not is_item(line.text) and len(line.cells) == 1
        return LEVELS + 1 if is_lone and self._stands_over_plain_text(place) else 0

    def _stands_over_plain_text(self, place: int) -> bool:
        line, following = self._lines[place], self._lines[place + 1 : place + 2]
        return bool(following) and not following[0].is_bold and following[0].height < line.height

    def _end_of_heading(self, start: int) -> int:
        """A long title takes several lines of one size."""
        end, first = start + 1, self._lines[start]
        while end < len(self._lines) and end < start + 4:
            line, before = self._lines[end], self._lines[end - 1]
            is_same = line.size == first.size and line.page == first.page and self._is_large(line)
            if not is_same or not 0 < before.height - line.height < 1.5 * line.size:
                break
            end += 1
        return end

    def _end_of_paragraph(self, start: int) -> int:
        end = start + 1
        while end < len(self._lines) and not self._starts_anew(end):
            end += 1
        return end

    def _starts_anew(self, place: int) -> bool:
        line, before = self._lines[place], self._lines[place - 1]
        if line.page != before.page or self._get_level(place) or is_item(line.text):
            return True
        if find_table_at(self._lines, place, self._leading, None) is not None:
            return True
        distance = before.height - line.height
        if distance < -self._leading:  # the next column
            return bool(_ENDS.search(before.text))
        is_indented = line.left - before.left > 1.5 * line.size and bool(_ENDS.search(before.text))
        farthest = max(self._leading * APART, line.size * LINE)
        return distance > farthest or is_indented or abs(line.size - before.size) > 1


def _find_usual_size(lines: Sequence[PdfLine]) -> float:
    """The size of most letters, in points."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size])


def _find_usual_leading(lines: Sequence[PdfLine]) -> float:
    """The distance of most lines from the line before, in points."""
    usual = _find_usual_size(lines)
    counts: Counter[float] = Counter()
    for before, line in zip(lines, lines[1:], strict=False):
        distance = before.height - line.height
        if line.page == before.page and line.size == before.size == usual and 0.8 < distance / usual < 2.5:
            counts[round(distance, 1)] += 1
    return max(counts, key=lambda distance: counts[distance]) if counts else usual * 1.3


def _join_over_page_ends(blocks: Iterable[Block]) -> Iterator[Block]:
    before: Block | None = None
    for block in blocks:
        rest = _find_continuation(before, block)
        if before is not None and rest:
            before = Block(join_lines([before.text, rest]), before.level, before.page, before.role)
            left = block.text[len(rest) :].strip()
            if not left:
                continue
            block = Block(left, page=block.page)
        if before is not None:
            yield before
        before = block
    if before is not None:
        yield before


def _find_continuation(before: Block | None, block: Block) -> str:
    """Find what of a page's first words belongs to the sentence that the page before left open."""
    if before is None or before.page == block.page or before.level or block.level:
        return ""
    if before.role == BlockRole.ROW or block.role != BlockRole.PARAGRAPH or _ENDS.search(before.text):
        return ""
    if not (block.text[0].islower() or block.text[0] > "\u2e7f" or len(before.text) > LONGEST_TITLE):
        return ""
    match = _FIRST_SENTENCE.match(block.text)
    return match.group() if match else block.text
