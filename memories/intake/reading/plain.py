"""Plain text, in whatever encoding it came."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

from charset_normalizer import from_bytes

from memories.intake.reading.document import Block, Document, refuse_pages, without_pages
from memories.intake.values import PAGE_CHARACTERS, Unreadable

_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LONGEST_TITLE = 60
_ENDS_A_SENTENCE = re.compile(r"[.!?,;:。！？，；：…\"”)）]$")
_MOST_BYTES_A_CHARACTER = 4


def read(file: IO[bytes], pages: int) -> Document:
    return without_pages(paragraphs(text_of(file, pages)), pages)


def text_of(file: IO[bytes], pages: int) -> str:
    """Raises `TooLong` before anything is decoded, and `Unreadable` for what is no text."""
    most = pages * PAGE_CHARACTERS * _MOST_BYTES_A_CHARACTER
    content = file.read(most + 1)
    refuse_pages(len(content) // (PAGE_CHARACTERS * _MOST_BYTES_A_CHARACTER), pages)
    if len(content) > most:
        refuse_pages(pages + 1, pages)
    return decode(content)


def decode(content: bytes) -> str:
    named = next((name for bom, name in _BOMS.items() if content.startswith(bom)), "utf-8")
    try:
        text = content.decode(named)
    except UnicodeDecodeError:
        guess = from_bytes(content).best()
        if guess is None:
            raise Unreadable("its encoding is unknown") from None
        text = str(guess)
    if "\0" in text:
        raise Unreadable("it is not a text")
    return text


def paragraphs(text: str) -> Iterator[Block]:
    """Parted by empty lines; a short line on its own that ends no sentence is a heading."""
    for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = [line.strip() for line in part.split("\n") if line.strip()]
        if len(lines) == 1 and is_title(lines[0]):
            yield Block(lines[0], level=1)
        elif lines:
            yield Block("\n".join(lines))


def is_title(line: str) -> bool:
    return len(line) <= LONGEST_TITLE and not _ENDS_A_SENTENCE.search(line) and any(map(str.isalpha, line))
