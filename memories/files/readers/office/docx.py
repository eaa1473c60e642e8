"""DOCX: its headings, paragraphs, items and rows, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import docx
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from lxml.etree import XMLSyntaxError

from memories.files.readers.document import Block, BlockRole, Document, build_row_blocks, count_as_pages
from memories.files.readers.office.package import open_package
from memories.files.readers.plain import is_item
from memories.files.values import Unreadable

MAX_DEPTH = 8
_DAMAGED = Unreadable("it is not a valid DOCX", "Open it in its program and save it again as .docx.")


def read(file: IO[bytes], pages: int) -> Document:
    light = open_package(file, "docx")
    try:
        document = docx.Document(light)
        return count_as_pages(_iterate_blocks(document.iter_inner_content()), pages)
    except (OpcError, XMLSyntaxError, KeyError, ValueError, AttributeError):
        raise _DAMAGED from None


def _iterate_blocks(parts: Any) -> Iterator[Block]:
    styles: dict[str | None, _Style] = {}  # looking one up takes longer than reading the paragraph
    for part in parts:
        if isinstance(part, Table):
            yield from build_row_blocks(_iterate_rows(part))
        elif text := part.text.strip():
            name = part._p.style
            style = styles.get(name) or styles.setdefault(name, _read_style(part.style))
            level = style.level or _read_outline_level(part._p.pPr)
            yield Block(
                text,
                level,
                role=BlockRole.ITEM if style.is_list or _is_item(part, text) else BlockRole.PARAGRAPH,
            )


@dataclass(frozen=True, slots=True)
class _Style:
    level: int
    is_list: bool


def _read_style(style: Any) -> _Style:
    """Read the style by its name or outline level, or by those of the styles it is based on."""
    names: list[str] = []
    for ancestor in _iterate_lineage(style):
        names.append((ancestor.name or "").lower())
        if level := _parse_heading_level(names[-1]) or _read_outline_level(ancestor.element.pPr):
            return _Style(level, is_list=False)
    return _Style(0, is_list=any(name.startswith("list") for name in names))


def _iterate_lineage(style: Any) -> Iterator[Any]:
    """A hostile style is built upon itself."""
    for _ in range(MAX_DEPTH):
        if style is None:
            return
        yield style
        style = style.base_style


def _parse_heading_level(name: str) -> int:
    if name in {"title", "标题"}:
        return 1
    for prefix in ("heading ", "标题 "):
        number = name.removeprefix(prefix)
        if number != name and number.isdecimal():
            return min(6, int(number))
    return 0


def _read_outline_level(properties: Any) -> int:
    mark = properties.find(qn("w:outlineLvl")) if properties is not None else None
    number = mark.get(qn("w:val"), "") if mark is not None else ""
    return int(number) + 1 if number.isdecimal() and int(number) < 6 else 0


def _is_item(paragraph: Any, text: str) -> bool:
    properties = paragraph._p.pPr
    return (properties is not None and properties.numPr is not None) or is_item(text)


def _iterate_rows(table: Table) -> Iterator[list[str]]:
    """A cell that reaches over several columns is said once."""
    for row in table.rows:
        cells, before = [], None
        for cell in row.cells:
            cells.append("" if cell._tc is before else " ".join(_read_cell_text(cell, 0).split()))
            before = cell._tc
        yield cells


def _read_cell_text(cell: Any, depth: int) -> str:
    """With the tables inside it, which `cell.text` leaves out."""
    if depth > MAX_DEPTH:
        return ""
    inner = (
        _read_cell_text(nested_cell, depth + 1)
        for table in cell.tables
        for row in table.rows
        for nested_cell in row.cells
    )
    return " ".join([cell.text, *inner])
