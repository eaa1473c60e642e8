"""Markdown: its headings, and everything else as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from memories.intake.reading.document import Block, Document, without_pages
from memories.intake.reading.plain import text_of

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})\s*$")
_PICTURE = re.compile(r"!\[([^\]]{0,300})\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[([^\]]{1,300})\]\([^)]{0,2000}\)")


def read(file: IO[bytes], pages: int) -> Document:
    return without_pages(_blocks(text_of(file, pages).splitlines()), pages)


def _blocks(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence or mark:
            fence = "" if mark and mark.group(1) == fence else fence or (mark.group(1) if mark else "")
            paragraph.append(line)
            continue
        level, title = _heading(line, paragraph)
        if level or not line.strip():
            if title is paragraph:
                paragraph = []
            yield from _finished(paragraph)
            paragraph = []
        if level:
            yield Block(_plain(title if isinstance(title, str) else " ".join(title)), level=level)
        elif line.strip():
            paragraph.append(line)
    yield from _finished(paragraph)


def _heading(line: str, before: list[str]) -> tuple[int, str | list[str]]:
    """Level and words; a line of === or --- makes the one line before it a heading."""
    if match := _HEADING.match(line):
        return len(match.group(1)), match.group(2)
    under = _UNDERLINE.match(line)
    if under and len(before) == 1:
        return (1 if under.group(1)[0] == "=" else 2), before
    return 0, ""


def _finished(paragraph: list[str]) -> Iterator[Block]:
    text = _plain("\n".join(paragraph)).strip()
    if text and set(text) - set("-=*_ \n"):
        yield Block(text)


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", _PICTURE.sub(r"\1", text))
