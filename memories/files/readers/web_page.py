"""HTML: what a reader sees. Scripts, styles and what is hidden are left out; nothing is fetched, no tree is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from memories.files.readers.document import (
    Block,
    BlockRole,
    Document,
    build_row_blocks,
    count_as_pages,
    refuse_pages,
)
from memories.files.readers.plain import decode_text, is_bullet
from memories.files.values import PAGE_CHARACTERS, Unreadable

MAX_DEPTH = 2_000
# Of markup, beside each page's text.
BYTES_A_PAGE = 60_000
PIECE = 64 * 1024
_SILENT = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "iframe",
    "object",
    "select",
    "nav",
    "canvas",
}
_EMPTY = set("area base br col embed hr img input link meta param source track wbr".split())
_INLINE = set(
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub"
    " sup time tt u var wbr".split()
)
_HEADING = re.compile(r"h[1-6]$")
_DECLARED = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{2,20})", re.IGNORECASE)


def read(file: IO[bytes], pages: int) -> Document:
    content = file.read(pages * BYTES_A_PAGE + 1)
    refuse_pages(-(-len(content) // BYTES_A_PAGE), pages)
    seen = _Seen()
    try:
        parser = etree.HTMLParser(target=seen, recover=True, no_network=True, huge_tree=False)
        text = _decode_page(content)
        for start in range(0, len(text), PIECE):
            parser.feed(text[start : start + PIECE])
            refuse_pages(seen.characters // PAGE_CHARACTERS, pages)
        parser.close()
    except (etree.XMLSyntaxError, AssertionError, ValueError):
        raise Unreadable("it is not valid HTML", "Save the page again as HTML, or as PDF.") from None
    return count_as_pages(seen.blocks, pages)


def _decode_page(content: bytes) -> str:
    """Decode by the byte order mark or as UTF-8, else by the declared encoding, else by detection."""
    declared = _DECLARED.search(content[:4_096])
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if declared is not None and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            try:
                return content.decode(_WIDER.get(declared.group(1).lower(), declared.group(1).decode()))
            except (UnicodeDecodeError, LookupError):
                return decode_text(content)
    return decode_text(content)


# What browsers read under these names.
_WIDER = {b"gb2312": "gb18030", b"gbk": "gb18030", b"iso-8859-1": "cp1252", b"latin1": "cp1252"}


class _Seen:
    """Gathers blocks while the markup passes by."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.characters = 0
        self._text: list[str] = []
        self._open: list[str] = []
        self._silent = 0
        self._rows: list[list[str]] | None = None
        self._tables = 0
        self._title = ""
        self._cell: list[str] = []

    def start(self, tag: str, attributes: Any) -> None:
        if self._silent or tag in _SILENT or "hidden" in attributes:
            self._silent += tag not in _EMPTY
            return
        if len(self._open) > MAX_DEPTH:
            raise Unreadable(f"it is nested more than {MAX_DEPTH} levels deep", "Save the page as PDF.")
        if tag not in _EMPTY:
            self._open.append(tag)
        if tag == "br":
            self._text.append("\n")
        elif tag not in _INLINE:
            self._end_line()
        self._start_table(tag)

    def _start_table(self, tag: str) -> None:
        if tag == "table":
            self._tables += 1
            if self._tables == 1:
                self._rows = []
        elif tag == "tr" and self._tables == 1 and self._rows is not None:
            self._rows.append([])

    def end(self, tag: str) -> None:
        if self._silent:
            self._silent -= tag not in _EMPTY
            return
        if tag in _EMPTY or not self._open:
            return
        if tag not in _INLINE:
            self._end_line(tag)
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables and self._rows is not None:
                self.blocks += build_row_blocks(self._rows)
                self._rows = None

    def data(self, text: str) -> None:
        if not self._silent:
            self._text.append(text if "pre" in self._open else text.replace("\n", " "))
            self.characters += len(text)

    def comment(self, text: str) -> None:
        """Ignore comments."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Ignore processing instructions."""

    def close(self) -> None:
        self._end_line()
        if self._rows:
            self.blocks += build_row_blocks(self._rows)
        if self._title and not any(block.level == 1 for block in self.blocks):
            self.blocks.insert(0, Block(self._title, level=1))

    def _end_line(self, ending: str = "") -> None:
        """The end of what stands on lines of its own."""
        text = "".join(self._text)
        self._text = []
        lines = [line if "pre" in self._open else " ".join(line.split()) for line in text.split("\n")]
        text = "\n".join(line for line in lines if line.strip()).strip("\n")
        if self._rows and self._tables and ("td" in self._open or "th" in self._open):
            self._add_to_cell(text, ending)
        elif text.strip():
            self.blocks += self._build_block(text)

    def _add_to_cell(self, text: str, ending: str) -> None:
        """A cell holds all that stands between its marks, inner tables too."""
        self._cell.append(text)
        if ending in {"td", "th"} and self._tables == 1 and self._rows:
            self._rows[-1].append(" ".join(" ".join(self._cell).split()))
            self._cell = []

    def _build_block(self, text: str) -> Iterator[Block]:
        level = next((int(tag[1]) for tag in reversed(self._open) if _HEADING.match(tag)), 0)
        if "title" in self._open:
            self._title = self._title or text
        elif level:
            yield Block(" ".join(text.split()), level=level)
        elif not is_bullet(text):
            is_item = any(tag in {"li", "dd"} for tag in self._open)
            yield Block(text, role=BlockRole.ITEM if is_item else BlockRole.PARAGRAPH)
