"""Markdown: its headings, lists, tables and code, read by markdown-it; all other words as they are written.

The library's rules of blocks take time in proportion to the text. Those of a line do not (brackets, emphasis), so they
see `LONGEST_PIECE` characters at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memories.files.readers.document import (
    Block,
    BlockRole,
    Document,
    build_row_blocks,
    count_as_pages,
    refuse_pages,
)
from memories.files.readers.plain import is_item, read_plain_text, split_paragraphs
from memories.files.values import PAGE_CHARACTERS

# Markup may be as long as the text.
SOURCE_CHARACTERS_A_PAGE = 2 * PAGE_CHARACTERS
MAX_LEVELS = 60
# The library compares all columns of a table with one another.
MAX_COLUMNS = 200
LONGEST_PIECE = 2_000
_MARKS = frozenset("*_[]!`<\\&")
_CONTAINERS = {"blockquote_open", "list_item_open"}


def read(file: IO[bytes], pages: int) -> Document:
    text = read_plain_text(file, pages)
    refuse_pages(len(text) // SOURCE_CHARACTERS_A_PAGE, pages)
    lines = _unmark_front_matter(text.splitlines())
    reader = _Reader(lines)
    # The library leaves out what is nested deeper.
    blocks = split_paragraphs("\n".join(lines)) if reader.is_too_deep else reader.iterate_blocks()
    return count_as_pages(blocks, pages)


def _unmark_front_matter(lines: list[str]) -> list[str]:
    """Read the settings of front matter as lines of text, without the lines of hyphens around them."""
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:50]):
        end = next(place for place, line in enumerate(lines[1:50], 1) if line.strip() == "---")
        return [*lines[1:end], "", *lines[end + 1 :]]
    return lines


class _Reader:
    """Blocks in their order, from the library's tokens."""

    def __init__(self, lines: Sequence[str]) -> None:
        # Indented paragraphs are no code, and what looks like the definition of a link may be a footnote.
        parser = MarkdownIt("commonmark", {"maxNesting": MAX_LEVELS}).disable(["inline", "code", "reference"])
        if all(line.count("|") <= MAX_COLUMNS for line in lines):
            parser.enable("table")
        self._tokens = parser.parse("\n".join(lines))
        self._inline = MarkdownIt("commonmark")
        self._marker = ""
        self._depth = 0

    @property
    def is_too_deep(self) -> bool:
        return any(token.type in _CONTAINERS and token.level >= MAX_LEVELS - 1 for token in self._tokens)

    def iterate_blocks(self) -> Iterator[Block]:
        rows: list[list[str]] = []
        for before, token in zip([None, *self._tokens], self._tokens, strict=False):
            if token.type == "list_item_open":
                self._marker, self._depth = f"{token.info}{token.markup} ", self._depth + 1
            elif token.type == "list_item_close":
                self._marker, self._depth = "", self._depth - 1
            elif token.type == "tr_open":
                rows.append([])
            elif token.type == "table_close":
                yield from build_row_blocks(rows)
                rows = []
            elif token.type == "inline" and before is not None and before.type in {"th_open", "td_open"}:
                rows[-1].append(" ".join(self._get_words(token.content).split()))
            elif token.type == "inline" and before is not None:
                yield from self._iterate_text(before, token)
            elif token.type in {"fence", "html_block"}:
                yield from self._as_written(token)

    def _iterate_text(self, opening: Token, token: Token) -> Iterator[Block]:
        text = self._get_words(token.content).strip()
        if opening.type == "heading_open" and not _is_underlined_text(opening, token):
            if text:
                yield Block(" ".join(text.split()), level=int(opening.tag[1]))
        else:
            yield from self._iterate_paragraph(text.split("\n"))

    def _iterate_paragraph(self, lines: Sequence[str]) -> Iterator[Block]:
        """Lines that begin as items do, with signs that Markdown does not know, are items too."""
        running = [self._take_marker() + lines[0]]
        for line in lines[1:]:
            if is_item(line.strip()):
                yield from self._build_block(running)
                running = []
            running.append(line)
        yield from self._build_block(running)

    def _as_written(self, token: Token) -> Iterator[Block]:
        content = token.content.rstrip("\n")
        if token.type == "fence":
            content = f"{token.markup}{token.info}\n{content}\n{token.markup}"
        yield from self._build_block([self._take_marker() + content])

    def _build_block(self, lines: Sequence[str]) -> Iterator[Block]:
        text = "\n".join(lines).strip()
        if text:
            yield Block(text, role=BlockRole.ITEM if self._depth or is_item(text) else BlockRole.PARAGRAPH)

    def _take_marker(self) -> str:
        marker, self._marker = self._marker, ""
        return marker

    def _get_words(self, text: str) -> str:
        """Return what a reader sees of it: without the marks of emphasis, links and pictures."""
        return "".join(map(self._render_seen, _split_pieces(text)))

    def _render_seen(self, text: str) -> str:
        if _MARKS.isdisjoint(text):
            return text
        return "".join(map(_show_token, self._inline.parseInline(text)[0].children or []))


def _is_underlined_text(opening: Token, token: Token) -> bool:
    """A stroke under several lines, or under an item, is meant to part them from what follows."""
    return opening.markup in {"-", "="} and ("\n" in token.content or is_item(token.content))


def _show_token(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return "\n"
    if token.type == "code_inline":
        return f"{token.markup}{token.content}{token.markup}"
    return token.content


def _split_pieces(text: str) -> Iterator[str]:
    """Cut behind the end of a line or a blank where there is one near."""
    start = 0
    while len(text) - start > LONGEST_PIECE:
        half, end = start + LONGEST_PIECE // 2, start + LONGEST_PIECE
        end = max(text.rfind("\n", half, end), text.rfind(" ", half, end)) + 1 or end
        yield text[start:end]
        start = end
    yield text[start:]
