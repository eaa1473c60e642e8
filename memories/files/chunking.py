"""Cut blocks of a document into fragments: by headings, then where the topic changes, never inside a sentence.

What needs its neighbour stays with it: a question with its answer, a list with the sentence that leads into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memories.files.readers.document import Block, BlockRole
from memories.files.topic_shifts import compute_topic_shifts
from memories.files.values import WIDE_CHARACTER, Fragment, Purpose

MAX_HEADING = 200
_SENTENCE_END = re.compile(
    r"""
    (
        (?<=[.!?;])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\b[Nn]o\.)(?<!\b[DM]r\.)(?<!\bMrs\.)\s+
        | (?<=[。！？；])\s* | (?<!\s)\s*\n\s*
    )
    """,
    re.VERBOSE,
)
_QUESTION = re.compile(r"[?？][\"”’)）]*$|^(?:Q(?:uestion)?\s?\d*|问题?|[问問])\s?[:.：．]", re.IGNORECASE)
_LEADS = re.compile(r"[:：]$")
LONGEST_QUESTION = 300


class Sizes(NamedTuple):
    """Widths of fragments in letters of the Latin alphabet; a Chinese character counts as about three of them.

    Fragments are about as wide as `wanted` and never wider than `most`; one that begins in the middle of a section
    repeats up to `overlap` of what stood before.
    """

    wanted: int
    most: int
    overlap: int


SIZES = {Purpose.MESSAGE: Sizes(500, 700, 0), Purpose.KNOWLEDGE: Sizes(900, 1_200, 200)}
WANTED, MOST = SIZES[Purpose.MESSAGE].wanted, SIZES[Purpose.MESSAGE].most


class _Unit(NamedTuple):
    """Unit of text that is never cut: a sentence, a short item or row. `blank` is what stands between it and the one
    before."""

    text: str
    blank: str
    page: int
    role: BlockRole

    @property
    def starts(self) -> bool:
        return self.blank == "\n\n"

    @property
    def leads(self) -> bool:
        """Return whether it means little without what follows."""
        return self.role == BlockRole.PARAGRAPH and (_LEADS.search(self.text) is not None or self.asks)

    @property
    def asks(self) -> bool:
        return self.starts and len(self.text) <= LONGEST_QUESTION and _QUESTION.search(self.text) is not None


def split_into_fragments(blocks: Iterable[Block], purpose: Purpose = Purpose.MESSAGE) -> Iterator[Fragment]:
    """Every word of the blocks once, in their order; headings stand over what follows them."""
    cutter = _Cutter(SIZES[purpose])
    for block in blocks:
        if block.level:
            yield from cutter.head(block)
        elif block.text.strip():
            cutter.text(block)
    yield from cutter.end()


class _Cutter:
    """Text that was read and not yet given out, all of it under one trail of headings."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._trail: list[tuple[int, str]] = []
        self._units: list[_Unit] = []
        self._page = 0
        self._bare = ""  # a heading that nothing has followed yet, and that no trail keeps

    def head(self, block: Block) -> Iterator[Fragment]:
        if self._trail and block.level > self._trail[-1][0]:
            self._bare = ""  # the trail keeps it
        yield from self.end()
        self._trail = [(level, title) for level, title in self._trail if level < block.level]
        self._bare = "" if self._trail else block.text
        self._trail.append((block.level, block.text))
        self._page = block.page

    def text(self, block: Block) -> None:
        self._bare = ""
        self._units += _split_units(block, self._sizes)

    def end(self) -> Iterator[Fragment]:
        if self._units:
            yield from self._iterate_section(self._units)
            self._units = []
        elif self._bare:
            bare = _split_units(Block(self._bare, page=self._page), self._sizes)
            yield from (Fragment(unit.text, "", unit.page) for unit in bare)
            self._bare = ""

    def _iterate_section(self, units: list[_Unit]) -> Iterator[Fragment]:
        heading = " > ".join(title for _, title in self._trail)[-MAX_HEADING:]
        start, lead = 0, ""
        for end in _find_passage_ends(units, self._sizes):
            context = _build_context(units, start, lead, self._sizes.overlap) if start else ""
            yield Fragment(_join_units(units[start:end]), heading, units[start].page, context)
            lead = next(
                (unit.text for unit in reversed(units[start:end]) if unit.role == BlockRole.PARAGRAPH), lead
            )
            start = end


def _split_units(block: Block, sizes: Sizes) -> list[_Unit]:
    parts = _SENTENCE_END.split(block.text.strip())
    units: list[_Unit] = []
    for sentence, blank in zip(parts[::2], ["\n\n", *parts[1::2]], strict=True):
        for piece in _split_long_sentence(sentence, sizes.most):
            between = "\n" if "\n" in blank and units else blank if units else "\n\n"
            units.append(_Unit(piece, between[:2], block.page, block.role))
            blank = " "
    return units


def _join_units(units: Sequence[_Unit]) -> str:
    text = "".join(("\n" if unit.starts else unit.blank) + unit.text for unit in units)
    return text.strip()


def _find_passage_ends(units: Sequence[_Unit], sizes: Sizes) -> Iterator[int]:
    """Find where passages end, one after the other."""
    whole = sum(compute_text_width(unit.text) for unit in units) <= sizes.most
    turns = [0.0] * len(units) if whole else compute_topic_shifts([unit.text for unit in units])
    is_list_of_questions = sum(unit.asks for unit in units) > 1
    start = 0
    while start < len(units):
        start = _find_end(units, start, turns, sizes, is_list_of_questions)
        yield start


def _find_end(
    units: Sequence[_Unit], start: int, turns: list[float], sizes: Sizes, cuts_at_questions: bool
) -> int:
    best, best_score, size = 0, float("-inf"), 0
    for place in range(start, len(units)):
        unit, before = units[place], units[place - 1]
        if place > start:
            is_new = unit.page != before.page or (cuts_at_questions and unit.asks)
            if is_new and not before.leads:
                return place
            if (score := _score_cut(unit, before, turns[place], size / sizes.wanted)) >= best_score:
                best, best_score = place, score
            if size + compute_text_width(unit.text) > sizes.most:
                return best
        size += compute_text_width(unit.text) + 1
    return len(units)


def _score_cut(unit: _Unit, before: _Unit, turn: float, filled: float) -> float:
    """Score how good it is to cut before this unit: near the wanted size, at a paragraph's start, where the talk
    turns."""
    score = turn - 2 * abs(1 - filled)
    if unit.starts:
        score += 0.3 if unit.role == BlockRole.ITEM == before.role else 0.5
    return score - 3 * before.leads


def _build_context(units: Sequence[_Unit], start: int, lead: str, most: int) -> str:
    """Return what helps to understand the passage: what leads into its list or table, else what was said just before.

    `lead` is the last paragraph before it.
    """
    first = units[start]
    if not most or first.asks:
        return ""
    if first.role != BlockRole.PARAGRAPH:
        return lead if compute_text_width(lead) <= most else ""
    taken: list[_Unit] = []
    for place in range(start - 1, -1, -1):
        unit = units[place]
        if compute_text_width(unit.text) + sum(compute_text_width(other.text) for other in taken) > most:
            break
        taken.insert(0, unit)
    return _join_units(taken)


def compute_text_width(text: str) -> int:
    return len(text) + 2 * len(WIDE_CHARACTER.findall(text))


def _split_long_sentence(sentence: str, most: int) -> Iterator[str]:
    """A sentence that is longer than a fragment is cut where it must be."""
    rest = sentence.strip()
    while len(rest) > most or compute_text_width(rest) > most:
        cut = _place_to_cut(rest, most)
        yield rest[:cut].strip()
        rest = rest[cut:].strip()
    if rest:
        yield rest


def _place_to_cut(text: str, most: int) -> int:
    step = most // 3 if WIDE_CHARACTER.search(text[:most]) else most
    return max(text.rfind(" ", step // 2, step), step // 2) if " " in text[step // 2 : step] else step
