"""PDF: what its outline and its larger letters name are headings; columns that stay are tables."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

import pypdfium2
import pypdfium2.raw as pdfium
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from memories.files.readers.document import Block, Document, refuse_pages
from memories.files.readers.pdf.layout import build_blocks
from memories.files.readers.pdf.lines import PdfLine, read_page_lines
from memories.files.readers.pdf.shadows import with_lost
from memories.files.values import Unreadable

MAX_OUTLINE = 5_000
# What the second library may be shown: it needs many times its size in memory.
MAX_SECOND_LOOK = 10 * 1024 * 1024
_DAMAGED = "Open it in a PDF reader and save or print it to a new PDF."
_LOCKED = "Save it without a password and upload it again."
_SCANNED = "Run text recognition (OCR) over it, or upload the text itself."


def read(file: IO[bytes], pages: int) -> Document:
    with _open_pdf(file) as pdf:
        count = len(pdf)
        refuse_pages(count, pages)
        read_pages = [_read_lines(pdf, number) for number in range(count)]
        silent = [number for number in range(count) if not read_pages[number]]
        pictures = sum(_has_picture(pdf, number) for number in silent)
        titles = _read_outline(pdf)
    lines = [line for page in read_pages for line in page]
    blocks = list(build_blocks(lines, titles)) if lines else list(_read_with_second_library(file, pictures))
    if not blocks:
        raise Unreadable("it holds no text, only pictures", _SCANNED)
    return Document(blocks, count, {"silent_pages": pictures} if pictures else {})


def _open_pdf(file: IO[bytes]) -> pypdfium2.PdfDocument:
    try:
        pdf = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise Unreadable("it is encrypted", _LOCKED) from None
        raise Unreadable("it is not a valid PDF", _DAMAGED) from None
    if pdfium.FPDF_GetSecurityHandlerRevision(pdf.raw) >= 0:
        raise Unreadable("it is encrypted", _LOCKED)
    return pdf


def _read_lines(pdf: pypdfium2.PdfDocument, number: int) -> list[PdfLine]:
    try:
        page = pdf[number]
    except pypdfium2.PdfiumError:
        return []  # a page that is broken; the others are read
    letters = page.get_textpage()
    lines = with_lost(read_page_lines(letters, number), page, letters)
    letters.close()
    page.close()
    return lines


def _has_picture(pdf: pypdfium2.PdfDocument, number: int) -> bool:
    page = pdf[number]
    has_picture = any(True for _ in page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE]))
    page.close()
    return has_picture


def _read_outline(pdf: pypdfium2.PdfDocument) -> dict[tuple[int, str], int]:
    """Levels of the titles in the outline, by page and letters."""
    levels: dict[tuple[int, str], int] = {}
    for entry in pdf.get_toc(max_depth=6):
        target = entry.get_dest()
        if target is not None and (number := target.get_index()) is not None:
            levels[number + 1, PdfLine.build_key(entry.get_title())] = entry.level + 1
        if len(levels) >= MAX_OUTLINE:
            break
    return levels


def _read_with_second_library(file: IO[bytes], pictures: int) -> Iterator[Block]:
    """Another library, where the first finds neither letters nor pictures."""
    file.seek(0)
    content = file.read(MAX_SECOND_LOOK + 1)
    if pictures or len(content) > MAX_SECOND_LOOK:
        return
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(content)).pages):
            if text := page.extract_text().strip():
                yield Block(text, page=number + 1)
    except PyPdfError:
        raise Unreadable("it is not a valid PDF", _DAMAGED) from None
