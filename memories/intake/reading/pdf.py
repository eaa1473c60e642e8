"""PDF: the text of each page; larger letters are headings."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import pypdfium2
import pypdfium2.raw as pdfium
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from memories.intake.reading.document import Block, Document, refuse_pages
from memories.intake.reading.plain import LONGEST_TITLE
from memories.intake.values import Unreadable

LARGER = 1.15


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float
    page: int


def read(file: IO[bytes], pages: int) -> Document:
    content = file.read()
    with _open(content) as pdf:
        count = len(pdf)
        refuse_pages(count, pages)
        lines = [line for number in range(count) for line in _lines(pdf, number)]
    blocks = list(_blocks(lines)) if lines else list(_second_look(content))
    if not blocks:
        raise Unreadable("it holds no text, only pictures")
    return Document(blocks, count)


def _open(content: bytes) -> pypdfium2.PdfDocument:
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as fault:
        is_locked = getattr(fault, "err_code", None) == pdfium.FPDF_ERR_PASSWORD
        raise Unreadable("it is encrypted" if is_locked else "it is not a valid PDF") from None
    if pdfium.FPDF_GetSecurityHandlerRevision(pdf.raw) >= 0:
        raise Unreadable("it is encrypted")
    return pdf


def _lines(pdf: pypdfium2.PdfDocument, number: int) -> Iterator[_Line]:
    page = pdf[number]
    letters = page.get_textpage()
    start = 0
    for raw in letters.get_text_range().split("\n"):
        if text := " ".join(raw.replace("\x02", "").replace("\ufffe", "").split()):
            yield _Line(text, round(pdfium.FPDFText_GetFontSize(letters.raw, start), 1), number + 1)
        start += len(raw) + 1
    letters.close()
    page.close()


def _blocks(lines: list[_Line]) -> Iterator[Block]:
    """Lines run on to paragraphs; a page's end ends one."""
    usual = _usual_size(lines)
    running: list[_Line] = []
    for line in lines:
        is_heading = line.size > usual * LARGER and len(line.text) <= 2 * LONGEST_TITLE
        if running and (is_heading or line.page != running[-1].page):
            yield _paragraph(running)
            running = []
        if is_heading:
            yield Block(line.text, level=1, page=line.page)
        else:
            running.append(line)
    if running:
        yield _paragraph(running)


def _usual_size(lines: list[_Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size])


def _paragraph(lines: list[_Line]) -> Block:
    return Block("\n".join(line.text for line in lines), page=lines[0].page)


def _second_look(content: bytes) -> Iterator[Block]:
    """Another library, for pages that the first finds empty."""
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(content)).pages):
            if text := page.extract_text().strip():
                yield Block(text, page=number + 1)
    except PyPdfError:
        raise Unreadable("it is not a valid PDF") from None
