"""XLSX: each sheet is a page under its name; its rows are read in a stream, by the values that were last computed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from lxml.etree import XMLSyntaxError
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from memories.files.readers.document import Block, Document, build_row_blocks, refuse_pages
from memories.files.readers.office.package import open_package
from memories.files.values import PAGE_CHARACTERS, Unreadable

MAX_COLUMNS = 200
# Empty rows after which nothing more is looked for: a format that was spread over a whole sheet is no content.
MAX_GAP = 10_000


def read(file: IO[bytes], pages: int) -> Document:
    light = open_package(file, "xlsx")
    try:
        book = load_workbook(light, read_only=True, data_only=True, keep_links=False)
        refuse_pages(len(book.worksheets), pages)
        blocks = _limit_blocks(
            (
                block
                for number, sheet in enumerate(book.worksheets)
                for block in _iterate_sheet_blocks(sheet, number + 1)
            ),
            pages,
        )
    except (
        InvalidFileException,
        ParseError,
        XMLSyntaxError,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
    ):
        cure = "Open it in its program and save it again as .xlsx."
        raise Unreadable("it is not a valid XLSX", cure) from None
    return Document(blocks, len(book.worksheets))


def _limit_blocks(blocks: Iterator[Block], pages: int) -> list[Block]:
    taken, characters = [], 0
    for block in blocks:
        characters += len(block.text)
        refuse_pages(characters // PAGE_CHARACTERS, pages)
        taken.append(block)
    return taken


def _iterate_sheet_blocks(sheet: Any, page: int) -> Iterator[Block]:
    """The size that a sheet declares is often wrong, so that rows are read until none is left."""
    sheet.reset_dimensions()
    yield Block(sheet.title, level=1, page=page)
    yield from build_row_blocks(_iterate_rows(sheet), page)


def _iterate_rows(sheet: Any) -> Iterator[list[str]]:
    empty = 0
    for values in sheet.iter_rows(max_col=MAX_COLUMNS, values_only=True):
        cells = [_format_cell(value) for value in values]
        empty = 0 if any(cells) else empty + 1
        if empty > MAX_GAP:
            return
        yield cells


def _format_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join(str(value).split())
