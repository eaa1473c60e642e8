"""Which module reads what; a format's libraries are loaded only for a file of it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import IO

from memories.files.readers.document import Document
from memories.files.values import FileKind

Reader = Callable[[IO[bytes], int], Document]

MODULES = {
    FileKind.PDF: "pdf.reader",
    FileKind.DOCX: "office.docx",
    FileKind.DOC: "office.doc",
    FileKind.TXT: "plain",
    FileKind.JSON: "json_lines",
    FileKind.MD: "markdown",
    FileKind.XML: "xml_elements",
    FileKind.HTML: "web_page",
    FileKind.CSV: "table_text",
    FileKind.XLSX: "office.sheets",
    FileKind.PPTX: "office.slides",
    FileKind.IMAGE: "image",
}
# Kinds whose reader is another program, which runs in the same sandbox.
PROGRAMS = {FileKind.DOC: ("/usr/bin/antiword", "/usr/bin/catdoc")}


def load_reader(kind: FileKind) -> Reader:
    reader: Reader = import_module(f"memories.files.readers.{MODULES[kind]}").read
    return reader
