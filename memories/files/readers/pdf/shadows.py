"""Lines of a PDF that pdfium leaves out because it takes them for shadows of others.

A font that is neither in the file nor on the machine has no shapes, and what is drawn with it is flat. Of equal flat
drawings near each other pdfium keeps the first only, as it does where a text is drawn twice at one place to look bold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from ctypes import POINTER, c_ushort, cast, create_string_buffer
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from memories.files.readers.pdf.lines import Cell, PdfLine

# With so many drawings before it pdfium compares each.
LOOKS_BACK = 5
# Of a letter's base; drawings nearer than this are at one place.
SAME_HEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A text as it is drawn, with its ends and its base in points from the page's left and lower edge."""

    text: str
    left: float
    right: float
    height: float


def with_lost(lines: list[PdfLine], page: pypdfium2.PdfPage, letters: pypdfium2.PdfTextPage) -> list[PdfLine]:
    """The lines of a page, and each that pdfium lost after the one it equals."""
    all_lines = list(lines)
    for lost in _iterate_lost(page, letters):
        _put_line(all_lines, lost)
    return all_lines


def _iterate_lost(page: pypdfium2.PdfPage, letters: pypdfium2.PdfTextPage) -> Iterator[tuple[_Drawn, float]]:
    """Each with the drawing it equals, and its height. Where it may equal one or another, nobody can tell."""
    before: deque[_Drawn] = deque(maxlen=LOOKS_BACK)
    for drawing in page.get_objects([pdfium.FPDF_PAGEOBJ_TEXT]):
        left, bottom, right, top = drawing.get_bounds()
        drawn = _Drawn("", left, right, bottom)
        if top == bottom and right > left:
            drawn = _Drawn(_read_drawn_text(drawing, letters), left, right, bottom)
            twins = (
                {earlier.text: earlier for earlier in before if _are_twins(earlier, drawn)}
                if not drawn.text
                else {}
            )
            if len(twins) == 1:
                (twin,) = twins.values()
                yield twin, bottom
                drawn = _Drawn(twin.text, left, right, bottom)
        before.append(drawn)


def _are_twins(earlier: _Drawn, lost: _Drawn) -> bool:
    """Return whether both say the same at different places; at the same place one is a shadow."""
    is_elsewhere = abs(earlier.height - lost.height) > SAME_HEIGHT
    return bool(earlier.text) and is_elsewhere and (earlier.left, earlier.right) == (lost.left, lost.right)


def _read_drawn_text(drawing: pypdfium2.PdfObject, letters: pypdfium2.PdfTextPage) -> str:
    size = pdfium.FPDFTextObj_GetText(drawing.raw, letters.raw, None, 0)
    content = create_string_buffer(size)
    pdfium.FPDFTextObj_GetText(drawing.raw, letters.raw, cast(content, POINTER(c_ushort)), size)
    return content.raw[:size].decode("utf-16-le", "replace").rstrip("\0").strip()


def _put_line(lines: list[PdfLine], lost: tuple[_Drawn, float]) -> None:
    """Below the line it equals, before whatever stands lower."""
    twin, height = lost
    at = next((at for at, line in enumerate(lines) if _holds(line, twin)), None)
    if at is None:
        return
    like = lines[at]
    at += 1
    while at < len(lines) and lines[at].height > height:
        at += 1
    lines.insert(
        at, PdfLine((Cell(twin.text, twin.left, twin.right),), height, like.size, like.is_bold, like.page)
    )


def _holds(line: PdfLine, drawn: _Drawn) -> bool:
    return abs(line.height - drawn.height) < SAME_HEIGHT and PdfLine.build_key(drawn.text) in line.key
