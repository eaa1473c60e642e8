"""The lines of a PDF's page, with their places: a gap much wider than a blank parts a line into cells."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_double, c_int, create_string_buffer
from dataclasses import dataclass
from math import hypot
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

# In letter sizes; the blanks of a justified line stay below.
GAP = 1.3
BOLD = 600
# The bullet of a font of signs has no other name.
_SIGNS = {0: None, 0xF0B7: "•", 0xF0A7: "▪"}
_LINE_ENDS = {0x0A, 0x0D}
# pdfium's signs for a hyphen at a line's end, whose word goes on in the next line.
_JOINED = {0x02, 0xFFFE, 0xAD}


@dataclass(frozen=True, slots=True)
class Cell:
    """Words that stand together, with the distances of their ends from the page's left edge in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class PdfLine:
    """`height` is that of its base above the page's lower edge, `size` that of its letters, both in points."""

    cells: tuple[Cell, ...]
    height: float
    size: float
    is_bold: bool
    page: int

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        return self.cells[0].left

    @property
    def key(self) -> str:
        return self.build_key(self.text)

    @staticmethod
    def build_key(text: str) -> str:
        """The letters and digits of a line: blanks and chapter numbers are written in many ways."""
        return "".join(letter for letter in text.lower() if letter.isalnum()).lstrip("0123456789")


def read_page_lines(letters: pypdfium2.PdfTextPage, number: int) -> list[PdfLine]:
    """Read the lines that pdfium finds on the page of this number, counted from 0."""
    return list(_Page(letters.raw, _list_codes(letters), number + 1).lines())


def _list_codes(letters: pypdfium2.PdfTextPage) -> list[int]:
    """One for each place. The whole text at once is faster, and is taken where no place is missing from it."""
    count = letters.count_chars()
    units = letters.get_text_range().encode("utf-16-le", "surrogatepass")
    if len(units) == 2 * count:
        return list(memoryview(units).cast("H"))
    return [pdfium.FPDFText_GetUnicode(letters.raw, place) for place in range(count)]


class _Page:
    """Letters by their place in pdfium's order, which is that of the page's own drawing."""

    def __init__(self, raw: Any, codes: list[int], number: int) -> None:
        self._raw, self._codes, self._number = raw, codes, number
        self._box_edges = c_double(), c_double(), c_double(), c_double()
        self._name = create_string_buffer(100)
        self._flags = c_int()

    def lines(self) -> Iterator[PdfLine]:
        start = 0
        for place, code in enumerate([*self._codes, 0x0A]):
            if code in _LINE_ENDS:
                if (line := self._build_line(start, place)) is not None:
                    yield line
                start = place + 1

    def _build_line(self, start: int, end: int) -> PdfLine | None:
        words = list(self._iterate_words(start, end))
        if not words:
            return None
        first, last = words[0][0], words[-1][1] - 1
        size = self._compute_size((first + last) // 2)
        cells = tuple(self._iterate_cells(words, size))
        is_bold = self._is_bold(first) and self._is_bold(last)
        return PdfLine(cells, self._get_origin(first)[1], size, is_bold, self._number) if cells else None

    def _iterate_words(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        begin = None
        for place in range(start, end + 1):
            is_blank = place == end or chr(self._codes[place]).isspace() or self._codes[place] == 0
            if begin is None and not is_blank:
                begin = place
            elif begin is not None and is_blank:
                yield begin, place
                begin = None

    def _iterate_cells(self, words: list[tuple[int, int]], size: float) -> Iterator[Cell]:
        left, before = self._get_box(words[0][0])[0], 0
        running: list[str] = []
        for begin, end in words:
            if (
                running
                and self._is_apart(begin)
                and self._get_box(begin)[0] - self._get_box(before)[1] > GAP * size
            ):
                yield Cell(" ".join(running), left, self._get_box(before)[1])
                running, left = [], self._get_box(begin)[0]
            if word := self._build_word(begin, end):
                running.append(word)
            before = end - 1
        if running:
            yield Cell(" ".join(running), left, self._get_box(before)[1])

    def _is_apart(self, begin: int) -> bool:
        """Return whether the blank before is pdfium's own, for a gap between two drawings, or one of several."""
        return pdfium.FPDFText_IsGenerated(self._raw, begin - 1) == 1 or chr(self._codes[begin - 2]).isspace()

    def _build_word(self, begin: int, end: int) -> str:
        codes = [code for code in self._codes[begin:end] if code not in _JOINED]
        wide = "".join(map(chr, codes)).encode("utf-16", "surrogatepass")
        return wide.decode("utf-16", "replace").translate(_SIGNS)

    def _compute_size(self, place: int) -> float:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._raw, place, matrix)
        scale = hypot(matrix.c, matrix.d) or 1.0
        return round(pdfium.FPDFText_GetFontSize(self._raw, place) * scale, 1)

    def _is_bold(self, place: int) -> bool:
        pdfium.FPDFText_GetFontInfo(self._raw, place, self._name, len(self._name), self._flags)
        return b"bold" in self._name.value.lower() or pdfium.FPDFText_GetFontWeight(self._raw, place) >= BOLD

    def _get_origin(self, place: int) -> tuple[float, float]:
        across, up = c_double(), c_double()
        pdfium.FPDFText_GetCharOrigin(self._raw, place, across, up)
        return across.value, up.value

    def _get_box(self, place: int) -> tuple[float, float]:
        pdfium.FPDFText_GetCharBox(self._raw, place, *self._box_edges)
        return self._box_edges[0].value, self._box_edges[1].value
