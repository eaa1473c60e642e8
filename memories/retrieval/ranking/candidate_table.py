"""The candidates of one search as arrays, and the word statistics that the ranker computes from them.

Every array has one row per candidate; `n` is the number of candidates, `t` the number of terms of the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.ranking.arrays import Floats, Integers, Mask, Matches, Objects, TermCounts
from memories.retrieval.ranking.columns import Chosen, NameColumn, Terms
from memories.retrieval.ranking.surroundings import Surroundings
from memories.retrieval.values_held.kinds import HeldKind
from memories.text.topics.topics import find_topics
from memories.values import Confidence, MemoryKind

# The speaker of a memory that only the assistant stated.
ASSISTANT = "assistant"
# The usual parameters of BM25 (Robertson & Zaragoza 2009, section 3.5).
_K1, _B = 1.2, 0.75
_MAIN_TOPICS = 4
# Document frequencies of a smaller knowledge base are computed as if it had this many passages: otherwise every term
# that three passages lack would count as rare.
LEAST_PASSAGES = 100


class Candidate(NamedTuple):
    """One memory as the ranker sees it.

    `terms` are the `search_terms` of its text, separated by spaces. Times are seconds since 1970, None where unknown;
    `stated_at` is when it was said, or the date that it names. `is_correction` marks corrections of a knowledge base by
    its readers. `slot` names the state of the user that the memory describes, such as where they live. `held` are the
    kinds of values that a statement may hold, as bits of `HeldKind`.

    A named tuple, because a search creates thousands: a frozen dataclass takes nine times as long.
    """

    key: Any
    kind: MemoryKind
    terms: str
    word_count: int
    speaker: str = ""
    conversation: str = ""
    position: int = 0
    is_asking: bool = False
    said_at: float | None = None
    event_time: float | None = None
    valid_until: float | None = None
    confidence: float = Confidence.USUAL
    is_raw: bool = False
    language: str = "en"
    stated_at: float | None = None
    recalls: int = 0
    recalled_at: float | None = None
    is_correction: bool = False
    slot: str = ""
    held: int = HeldKind.UNREAD


class CandidateTable:
    """Candidates column by column. Times are seconds since 1970; unknown ones are NaN."""

    # Of selected rows: the table that they are of, and the mask or places that selected them.
    _selected: tuple[CandidateTable, Chosen]

    def __init__(self, rows: Sequence[Candidate]) -> None:
        columns = zip(*rows, strict=True) if rows else [()] * len(Candidate._fields)
        column: dict[str, Sequence[Any]] = dict(zip(Candidate._fields, columns, strict=True))
        self.keys = _build_object_array(column["key"])
        self.terms = Terms.over(column["terms"])
        self.lengths = self.terms.lengths.astype(float)
        self.kinds = NameColumn.over(str(kind) for kind in column["kind"])
        self.speakers, self.conversations = (
            NameColumn.over(column["speaker"]),
            NameColumn.over(column["conversation"]),
        )
        self.slots = NameColumn.over(column["slot"])
        self.said_at = np.array(column["said_at"], dtype=float)  # None becomes NaN
        self.event_times = np.array(column["event_time"], dtype=float)
        self.valid_until = np.array(column["valid_until"], dtype=float)
        self.word_count = np.array(column["word_count"], dtype=float)
        self.position = np.array(column["position"], dtype=np.int64)
        self.is_asking = np.array(column["is_asking"], dtype=float)
        self.confidence = np.array(column["confidence"], dtype=float)
        self.is_raw = np.array(column["is_raw"], dtype=bool)
        self.stated_at = np.array(column["stated_at"], dtype=float)
        self.recalls = np.array(column["recalls"], dtype=float)
        self.recalled_at = np.array(column["recalled_at"], dtype=float)
        self.is_correction = np.array(column["is_correction"], dtype=bool)
        self.held = np.array(column["held"], dtype=np.int64)
        self.topic_boost = np.zeros(len(rows))
        self.is_chinese = np.array([language == "zh" for language in column["language"]], dtype=bool)

    def __len__(self) -> int:
        return len(self.keys)

    def of(self, chosen: Chosen) -> CandidateTable:
        """Return the chosen rows."""
        if chosen.dtype == bool and chosen.all():
            return self
        part = object.__new__(CandidateTable)
        part._selected = (self, chosen)
        for name in _COLUMNS:
            values = getattr(self, name)
            setattr(part, name, values.of(chosen) if isinstance(values, NameColumn) else values[chosen])
        return part

    def taken(self, places: Integers) -> CandidateTable:
        """Return the rows at these places, in that order, as a table that holds no other row of this one."""
        part = self.of(places)
        part.terms = self.terms.of(places)
        del part._selected
        return part

    @classmethod
    def joined(cls, parts: Sequence[CandidateTable]) -> CandidateTable:
        """The rows of these, one after the other, without words that no row has."""
        table = object.__new__(CandidateTable)
        for name in (*_COLUMNS, "terms"):
            columns = [getattr(part, name) for part in parts]
            kind = type(columns[0])
            setattr(
                table, name, kind.joined(columns) if kind in (NameColumn, Terms) else np.concatenate(columns)
            )
        return table

    @cached_property
    def terms(self) -> Terms:
        """The terms of selected rows, taken on demand: most searches need none of them."""
        whole, chosen = self._selected
        return whole.terms.of(chosen)

    @cached_property
    def lines(self) -> tuple[Mask, CandidateTable]:
        """Verbatim lines of conversations between named people: their mask, and those rows."""
        is_spoken = ~(self.speakers.are("") | self.speakers.are(ASSISTANT))
        chosen = np.asarray(is_spoken & self.kinds.are(MemoryKind.FACT.value) & ~self.is_raw)
        return chosen, self.of(chosen)

    @cached_property
    def passages(self) -> tuple[Mask, CandidateTable]:
        """Passages of knowledge bases and corrections of them: their mask, and those rows."""
        chosen = self.kinds.are(MemoryKind.KNOWLEDGE.value)
        return chosen, self.of(chosen)

    @cached_property
    def skills(self) -> tuple[Mask, CandidateTable]:
        """Skills: their mask, and those rows."""
        chosen = self.kinds.are(MemoryKind.SKILL.value)
        return chosen, self.of(chosen)

    @cached_property
    def statements(self) -> Mask:
        """Mark statements about a person: whatever is none of these three."""
        return np.asarray(~(self.lines[0] | self.passages[0] | self.skills[0]))

    @cached_property
    def trades(self) -> Mask:
        """Mark what says how the user earns a living, and holds now."""
        return np.asarray(
            self._mark_holders(HeldKind.TRADE) & self.speakers.are("") & np.isnan(self.valid_until)
        )

    @cached_property
    def of_acquaintances(self) -> Mask:
        """Mark statements about somebody whom the user knows."""
        return self._mark_holders(HeldKind.ACQUAINTANCE)

    def _mark_holders(self, kind: HeldKind) -> Mask:
        """Mark statements that were read and hold this kind of value."""
        return np.asarray(self.statements & (self.held != HeldKind.UNREAD) & (self.held & kind != 0))

    @cached_property
    def topics(self) -> list[frozenset[int]]:
        """The main topics of each row, as topic numbers."""
        return [
            frozenset(find_topics(self.terms.text(place).split())[:_MAIN_TOPICS])
            for place in range(len(self))
        ]

    @cached_property
    def calendars(self) -> tuple[Integers, Integers]:
        """The dates when each was stated and when it happened: see `compute_calendar_dates`."""
        return compute_calendar_dates(self.said_at), compute_calendar_dates(self.event_times)

    @cached_property
    def speaker_rows(self) -> Integers:
        """One row of each speaker."""
        return np.unique(self.speakers.codes, return_index=True)[1]

    @cached_property
    def surroundings(self) -> Surroundings:
        return Surroundings(self.conversations.codes, self.position)

    def count_terms(self, query_terms: Sequence[str]) -> TermCounts:
        """Count each query term in each row: float32, shape (n, t)."""
        return self.terms.count(query_terms)

    def contains_phrase(self, phrase: str) -> Mask:
        """Mark the rows that hold these terms, one after the other."""
        return self.terms.contain(phrase)


_COLUMNS = (
    "keys lengths kinds speakers slots conversations said_at event_times valid_until word_count position"
    " is_asking confidence is_raw is_chinese topic_boost stated_at recalls recalled_at is_correction held"
).split()


def compute_calendar_dates(timestamps: Floats) -> Integers:
    """Year, month and day (UTC) of each timestamp: int64, shape (n, 3); zeros where it is NaN."""
    is_known = ~np.isnan(timestamps)
    days = (np.where(is_known, timestamps, 0) // 86_400).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    parts = (
        days.astype("datetime64[Y]").astype(int) + 1970,
        months.astype(int) % 12 + 1,
        (days - months).astype(int) + 1,
    )
    return np.where(is_known[:, None], np.stack(parts, axis=1), 0)


def _build_object_array(values: Sequence[Any]) -> Objects:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


class Frequencies(NamedTuple):
    """Document frequencies: each query term is in `found_in` (float64, shape (t,)) of `rows` rows."""

    rows: float
    found_in: Floats


@dataclass(frozen=True)
class Pool:
    """The candidates of one search, and how often each of the query's terms is in each.

    `frequencies` are those of the rows that the candidates were selected from; None where every row is a candidate.
    """

    table: CandidateTable
    counts: TermCounts
    frequencies: Frequencies | None = None

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def matches(self) -> Matches:
        """Return which query terms each candidate has."""
        return (self.counts > 0).astype(np.float32)

    def get_frequencies(self) -> Frequencies:
        """The given frequencies, or those of the candidates themselves."""
        if self.frequencies is not None:
            return self.frequencies
        # A product, because to sum a column takes five times as long.
        found_in = np.ones(len(self), dtype=np.float32) @ self.matches
        return Frequencies(len(self), found_in.astype(float))

    def compute_coverage(self) -> Floats:
        """See `TermStatistics.coverage`."""
        weights = self.words().weights
        return _compute_share(self.matches @ weights.astype(np.float32), weights)

    def words(self, least_rows: int = 0) -> TermStatistics:
        """The term statistics with BM25's inverse document frequencies (Robertson & Zaragoza 2009, equation 3.3).

        The logarithm is that of 1 + the odds, which keeps weights positive. Frequencies of fewer rows than
        `least_rows` are computed as if there were that many.
        """
        rows, found_in = self.get_frequencies()
        rows = max(rows, least_rows)
        weights = np.log1p((rows - found_in + 0.5) / (found_in + 0.5))
        return TermStatistics(self.counts, self.table.lengths, weights)


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Statistics for BM25: `counts` of shape (n, t), `lengths` in terms of shape (n,), `weights` (IDF) of shape
    (t,)."""

    counts: TermCounts
    lengths: Floats
    weights: Floats

    def of(self, chosen: Mask) -> TermStatistics:
        """Return the same for some of the rows. Weights stay those of all rows."""
        if chosen.all():
            return self
        return TermStatistics(self.counts[chosen], self.lengths[chosen], self.weights)

    def coverage(self, counts: TermCounts) -> Floats:
        """Share of the query's IDF weight whose terms occur: 0 to 1, shape (n,)."""
        return _compute_share((counts > 0).astype(np.float32) @ self.weights.astype(np.float32), self.weights)

    def bm25(self, counts: TermCounts, lengths: Floats) -> Floats:
        """BM25 as a share of the highest score that this query allows: 0 to 1, shape (n,).

        Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. The division
        makes long and short questions comparable.
        """
        damping = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
        return _compute_share((counts / (counts + damping[:, None])) @ self.weights, self.weights)


def _compute_share(part: NDArray[np.floating[Any]], weights: Floats) -> Floats:
    """The part of the total weight, 0 to 1. `part`: sums of weights, shape (n,). `weights`: shape (t,)."""
    total = float(weights.sum())
    return np.asarray(part / total, dtype=float) if total > 0 else np.zeros(len(part))
