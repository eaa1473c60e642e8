"""Markdown: its headings, lists and tables, and everything else as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from memories.intake.reading.document import Block, Document, Role, row_blocks, without_pages
from memories.intake.reading.plain import is_item, text_of

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})\s*$")
_PICTURE = re.compile(r"!\[([^\]]{0,300})\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[([^\]]{1,300})\]\([^)]{0,2000}\)")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


def read(file: IO[bytes], pages: int) -> Document:
    lines = _without_front_matter(text_of(file, pages).splitlines())
    return without_pages(_blocks(lines), pages)


def _without_front_matter(lines: list[str]) -> list[str]:
    """Its settings at the top are lines of text, and the strokes around them are none."""
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:50]):
        end = next(place for place, line in enumerate(lines[1:50], 1) if line.strip() == "---")
        return [*lines[1:end], "", *lines[end + 1 :]]
    return lines


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
    if under and len(before) == 1 and not is_item(before[0].strip()):
        return (1 if under.group(1)[0] == "=" else 2), before
    return 0, ""


def _finished(paragraph: list[str]) -> Iterator[Block]:
    """Lines between empty ones: a table, or text and the items of a list."""
    table = next((place for place, line in enumerate(paragraph) if place and _is_rule(line)), None)
    if table is not None and "|" in paragraph[table - 1]:
        yield from _text(paragraph[: table - 1])
        yield from row_blocks(_cells(line) for line in [paragraph[table - 1], *paragraph[table + 1 :]])
    else:
        yield from _text(paragraph)


def _is_rule(line: str) -> bool:
    return "|" in line and _RULE.match(line) is not None


def _cells(line: str) -> list[str]:
    cells = _BAR.split(line.strip().removeprefix("|").removesuffix("|"))
    return [" ".join(_plain(cell).replace("\\|", "|").split()) for cell in cells]


def _text(lines: list[str]) -> Iterator[Block]:
    running: list[str] = []
    is_code = any(map(_FENCE.match, lines))
    for line in lines:
        if running and not is_code and is_item(line.strip()):
            yield from _block(running)
            running = []
        running.append(line)
    yield from _block(running)


def _block(lines: list[str]) -> Iterator[Block]:
    text = _plain("\n".join(lines)).strip()
    if text and set(text) - set("-=*_ \n"):
        yield Block(text, role=Role.ITEM if is_item(text) else Role.PARAGRAPH)


def _plain(text: str) -> str:
    return _MARKS.sub(r"\2", _LINK.sub(r"\1", _PICTURE.sub(r"\1", text)))
