"""Plain text, in whatever encoding it came."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import IO

from charset_normalizer import from_bytes

from memories.files.readers.document import Block, BlockRole, Document, count_as_pages, refuse_pages
from memories.files.values import PAGE_CHARACTERS, WIDE_CHARACTER, Unreadable

_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LONGEST_TITLE = 60
# Ends of lines between a list and what is no part of it any more.
WIDE_GAP = 3
_ENDS_A_SENTENCE = re.compile(r"[.!?,;:。！？，；：…\"”)）]$")
_MOST_BYTES_A_CHARACTER = 4
_EMPTY_LINES = re.compile(r"(\n\s*\n)")
_PARTED = re.compile(r"[^\W\d_]{2}-$")
_SIGN = r"[-*+•◦▪■●○‣⁃–·\uf0b7]"
_NUMBER = r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]"
_WIDE_NUMBER = r"[（(][一二三四五六七八九十\d]{1,3}[)）]|[一二三四五六七八九十\d]{1,3}、"
_BULLET = re.compile(f"{_SIGN}|{_NUMBER}|{_WIDE_NUMBER}")
_ITEM = re.compile(rf"(?:(?:{_SIGN}|{_NUMBER})\s+|(?:{_WIDE_NUMBER})\s*)\S")


def read(file: IO[bytes], pages: int) -> Document:
    return count_as_pages(split_paragraphs(read_plain_text(file, pages)), pages)


def read_plain_text(file: IO[bytes], pages: int) -> str:
    """Raises `TooLong` before anything is decoded, and `Unreadable` for what is no text."""
    most = pages * PAGE_CHARACTERS * _MOST_BYTES_A_CHARACTER
    content = file.read(most + 1)
    refuse_pages(len(content) // (PAGE_CHARACTERS * _MOST_BYTES_A_CHARACTER), pages)
    if len(content) > most:
        refuse_pages(pages + 1, pages)
    return decode_text(content)


def decode_text(content: bytes) -> str:
    named = next((name for bom, name in _BOMS.items() if content.startswith(bom)), "utf-8")
    try:
        text = content.decode(named)
    except UnicodeDecodeError:
        text = _guess_encoding(content)
    if "\0" in text:
        raise Unreadable("it is not a text", "Upload the document itself, under its own ending.")
    return text


def _guess_encoding(content: bytes) -> str:
    guess = from_bytes(content).best()
    if guess is None:
        raise Unreadable("its encoding is unknown", "Save it again in UTF-8.") from None
    return str(guess)


def split_paragraphs(text: str) -> Iterator[Block]:
    """Parted by empty lines; a short line on its own that ends no sentence is a heading, or an item after a colon."""
    leads = False
    parts = _EMPTY_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    for gap, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        leads = leads and gap.count("\n") < WIDE_GAP
        lines = [line.strip() for line in part.split("\n") if line.strip()]
        if len(lines) == 1 and is_title(lines[0]) and not is_item(lines[0]):
            yield Block(lines[0], role=BlockRole.ITEM) if leads else Block(lines[0], level=1)
        elif lines:
            leads = lines[-1].endswith((":", "："))
            yield from _iterate_items_and_text(lines)


def _iterate_items_and_text(lines: Sequence[str]) -> Iterator[Block]:
    """Each item of a list on its own, with the lines that it goes on in."""
    running: list[str] = []
    is_list = sum(map(is_item, lines)) > 1
    for line in lines:
        if is_list and running and is_item(line):
            yield _build_block(running)
            running = []
        running.append(line)
    if running:
        yield _build_block(running)


def _build_block(lines: Sequence[str]) -> Block:
    return Block("\n".join(lines), role=BlockRole.ITEM if is_item(lines[0]) else BlockRole.PARAGRAPH)


def join_lines(lines: Sequence[str]) -> str:
    """Lines run on: a word that a hyphen parts is whole again, and Chinese needs no blank."""
    text = ""
    for line in lines:
        if _PARTED.search(text) and line[:1].islower():
            text = text[:-1] + line
        else:
            is_wide = WIDE_CHARACTER.match(text[-1:]) and WIDE_CHARACTER.match(line[:1])
            blank = "" if not text or is_wide else " "
            text = f"{text}{blank}{line}"
    return text


def is_bullet(text: str) -> bool:
    return _BULLET.fullmatch(text) is not None


def is_item(text: str) -> bool:
    """Return whether it begins as items of lists do: with a sign, a number or a letter of their own."""
    return _ITEM.match(text) is not None


def is_title(line: str) -> bool:
    return len(line) <= LONGEST_TITLE and not _ENDS_A_SENTENCE.search(line) and any(map(str.isalpha, line))
