"""Blocks of a document, cut to the size of memories: by headings, then by length, never inside a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memories.intake.reading.document import Block
from memories.intake.values import Fragment

# In letters of the Latin alphabet; a Chinese character says about as much as three of them.
WANTED, MOST = 500, 700
MAX_HEADING = 200
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u30ff]")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")


def fragments_of(blocks: Iterable[Block]) -> Iterator[Fragment]:
    """Every word of the blocks once, in their order; headings stand over what follows them."""
    cutter = _Cutter()
    for block in blocks:
        if block.level:
            yield from cutter.head(block)
        elif block.text.strip():
            yield from cutter.text(block)
    yield from cutter.end()


class _Cutter:
    """What has been read and not yet given out: text of one page under one trail of headings."""

    def __init__(self) -> None:
        self._trail: list[tuple[int, str]] = []
        self._running: list[str] = []
        self._page = 0
        self._bare = ""  # a heading that nothing has followed yet, and that no trail keeps

    def head(self, block: Block) -> Iterator[Fragment]:
        yield from self.end()
        self._trail = [(level, title) for level, title in self._trail if level < block.level]
        self._bare = "" if self._trail else block.text
        self._trail.append((block.level, block.text))
        self._page = block.page

    def text(self, block: Block) -> Iterator[Fragment]:
        if self._running and (block.page != self._page or _width(self._running) + width(block.text) > WANTED):
            yield self._finished()
        self._bare, self._page = "", block.page
        *whole, last = _cut(block.text)
        for piece in whole:
            self._running.append(piece)
            yield self._finished()
        self._running.append(last)

    def end(self) -> Iterator[Fragment]:
        if self._running:
            yield self._finished()
        elif self._bare:
            yield from (Fragment(piece, "", self._page) for piece in _cut(self._bare))
            self._bare = ""

    def _finished(self) -> Fragment:
        text, self._running = "\n".join(self._running), []
        return Fragment(text, _heading(self._trail), self._page)


def _heading(trail: list[tuple[int, str]]) -> str:
    return " > ".join(title for _, title in trail)[-MAX_HEADING:]


def width(text: str) -> int:
    return len(text) + 2 * len(_WIDE.findall(text))


def _width(texts: list[str]) -> int:
    return sum(map(width, texts))


def _cut(text: str) -> list[str]:
    """At sentences' ends; a sentence that is longer than a memory is cut where it must be."""
    if width(text) <= MOST:
        return [text]
    pieces, running = [], ""
    for sentence in _short(part for part in _SENTENCE_END.split(text) if part and part.strip()):
        if running and width(running) + width(sentence) > WANTED:
            pieces.append(running)
            running = ""
        running = f"{running} {sentence}".strip()
    return [*pieces, running]


def _short(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        rest = sentence.strip()
        while width(rest) > MOST:
            cut = _place_to_cut(rest)
            yield rest[:cut].strip()
            rest = rest[cut:].strip()
        if rest:
            yield rest


def _place_to_cut(text: str) -> int:
    step = MOST // 3 if _WIDE.search(text[:MOST]) else MOST
    return max(text.rfind(" ", step // 2, step), step // 2) if " " in text[step // 2 : step] else step
