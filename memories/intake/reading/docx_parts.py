"""DOCX: a ZIP of XML, looked through before its library may open it."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

import docx
from docx.table import Table

from memories.intake.reading.document import Block, Document, without_pages
from memories.intake.values import Unreadable

MAX_PARTS = 2_000
MAX_UNPACKED = 300 * 1024**2
PIECE = 256 * 1024
_NEEDED = {"[Content_Types].xml", "word/document.xml"}
# In the encodings that XML may have; nothing that Word writes has them.
_DECLARATIONS = [
    text.encode(code) for text in ("<!DOCTYPE", "<!ENTITY") for code in ("utf-8", "utf-16-le", "utf-16-be")
]
_LONGEST = max(map(len, _DECLARATIONS))
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def read(file: IO[bytes], pages: int) -> Document:
    try:
        _look_through(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise Unreadable("it is not a valid DOCX") from None
    file.seek(0)
    return without_pages(_blocks(docx.Document(file)), pages)


def _look_through(file: IO[bytes]) -> None:
    """Counts what truly comes out of each part, whatever the archive declares."""
    with zipfile.ZipFile(file) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS:
            raise Unreadable(f"it has more than {MAX_PARTS} parts")
        if not {part.filename for part in parts} >= _NEEDED:
            raise Unreadable("it is a ZIP archive, not a DOCX")
        room = MAX_UNPACKED
        for part in parts:
            if part.flag_bits & 1 or part.compress_type not in _METHODS:
                raise Unreadable("it is encrypted or packed in an unusual way")
            room -= _inflate(archive, part, room)


def _inflate(archive: zipfile.ZipFile, part: zipfile.ZipInfo, room: int) -> int:
    is_markup = part.filename.endswith((".xml", ".rels"))
    size, tail = 0, b""
    with archive.open(part) as content:
        while piece := content.read(PIECE):
            size += len(piece)
            if size > room:
                raise Unreadable("it unpacks to more than 300 MB")
            if is_markup and any(word in tail + piece for word in _DECLARATIONS):
                raise Unreadable("it declares entities")
            tail = piece[-_LONGEST:]
    return size


def _blocks(document: Any) -> Iterator[Block]:
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            yield from _rows(part)
        elif text := part.text.strip():
            yield Block(text, level=_level(part))


def _level(paragraph: Any) -> int:
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    if style.lower() in {"title", "标题"}:
        return 1
    for prefix in ("heading ", "标题 "):
        number = style.lower().removeprefix(prefix)
        if number != style.lower() and number.isdecimal():
            return min(6, int(number))
    return 0


def _rows(table: Table) -> Iterator[Block]:
    """Each row says which column its cells belong to, so that it means something on its own."""
    rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
    head = rows[0] if len(rows) > 1 else []
    for row in rows[1:] or rows:
        named = [
            f"{head[place]}: {cell}" if place < len(head) and head[place] else cell
            for place, cell in enumerate(row)
            if cell
        ]
        if named:
            yield Block("; ".join(named))
