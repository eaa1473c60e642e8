"""What the ranker is given, as arrays: one row per candidate, all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.values import Kind

Array = NDArray[Any]

_K1, _B = 1.2, 0.75
# Further apart than any two messages of one conversation, so that neighbours never cross conversations.
_CONVERSATION_STEP = 2**31
_BETWEEN_ROWS = " \n "


class Candidate(NamedTuple):
    """One memory as the ranker sees it. `terms` are `words.terms(text)` with spaces between.

    A tuple, because a search makes thousands: a frozen dataclass takes nine times as long.
    """

    key: Any
    kind: Kind
    terms: str
    word_count: int
    cosine: float | None
    speaker: str = ""
    conversation: str = ""
    position: int = 0
    is_asking: bool = False
    said_at: datetime | None = None
    event_time: datetime | None = None
    valid_until: datetime | None = None
    confidence: float = 0.9
    is_rough: bool = False
    language: str = "en"


class Table:
    """Candidates column by column, which is what the arithmetic wants."""

    def __init__(self, rows: Sequence[Candidate]) -> None:
        self._rows = rows
        columns = dict(zip(Candidate._fields, zip(*rows, strict=True), strict=True))
        self.kinds: Sequence[Kind] = columns["kind"]
        self.speakers: Sequence[str] = columns["speaker"]
        self.conversations: Sequence[str] = columns["conversation"]
        self.said_at: Sequence[datetime | None] = columns["said_at"]
        self.event_times: Sequence[datetime | None] = columns["event_time"]
        self.valid_until: Sequence[datetime | None] = columns["valid_until"]
        self.languages: Sequence[str] = columns["language"]
        self.cosine: Array = np.array(columns["cosine"], dtype=float)  # None becomes NaN
        self.word_count: Array = np.array(columns["word_count"], dtype=float)
        self.position: Array = np.array(columns["position"], dtype=np.int64)
        self.is_asking: Array = np.array(columns["is_asking"], dtype=float)
        self.confidence: Array = np.array(columns["confidence"], dtype=float)
        self.is_rough: Array = np.array(columns["is_rough"], dtype=bool)

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, chosen: Array) -> Table:
        return self if chosen.all() else Table([self._rows[at] for at in np.flatnonzero(chosen).tolist()])


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How often each query term is in each row, and how much each term tells."""

    counts: Array
    lengths: Array
    weights: Array

    def of(self, chosen: Array) -> TermStatistics:
        """The same for some of the rows. What a term tells stays what it tells among all."""
        if chosen.all():
            return self
        return TermStatistics(self.counts[chosen], self.lengths[chosen], self.weights)

    def coverage(self, counts: Array) -> Array:
        """Share of the query's weight whose terms occur at all."""
        return _share((counts > 0) @ self.weights, self.weights)

    def bm25(self, counts: Array, lengths: Array) -> Array:
        """BM25 as a share of the most that this query could score, which compares long questions to short ones."""
        damping = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
        return _share((counts / (counts + damping[:, None])) @ self.weights, self.weights)


def term_statistics(rows: Sequence[str], query_terms: Sequence[str]) -> TermStatistics:
    counts = _count_terms(rows, query_terms)
    found_in = (counts > 0).sum(axis=0)
    weights = np.log1p((len(rows) - found_in + 0.5) / (found_in + 0.5))
    lengths = np.array([row.count(" ") + 1 if row else 0 for row in rows], dtype=float)
    return TermStatistics(counts, lengths, weights)


def _count_terms(rows: Sequence[str], query_terms: Sequence[str]) -> Array:
    """Looks for each query term in one long text: `str.find` over all rows beats splitting any of them."""
    text = " " + _BETWEEN_ROWS.join(rows) + " "
    starts = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) + len(_BETWEEN_ROWS))
    counts = np.zeros((len(rows), len(query_terms)))
    for column, term in enumerate(query_terms):
        places = _places(text, f" {term} ")
        if places:
            owners = np.searchsorted(starts, places, side="right")
            counts[:, column] = np.bincount(owners, minlength=len(rows))
    return counts


def _places(text: str, needle: str) -> list[int]:
    found = []
    at = text.find(needle)
    while at >= 0:
        found.append(at)
        # One step back: neighbouring terms share the space between them.
        at = text.find(needle, at + len(needle) - 1)
    return found


def _share(part: Array, weights: Array) -> Array:
    total = float(weights.sum())
    return part / total if total > 0 else np.zeros(len(part))


class Surroundings:
    """Who stands next to whom in the conversations that the candidates come from. Gaps are allowed.

    Where one message made several rows, the first of them stands for it.
    """

    def __init__(self, table: Table) -> None:
        numbers: dict[str, int] = {}
        conversation = [numbers.setdefault(name, len(numbers)) for name in table.conversations]
        self._conversation, self._conversations = np.array(conversation, dtype=np.int64), len(numbers)
        self._own_place = self._conversation * _CONVERSATION_STEP + table.position
        self._places, self._row_at = np.unique(self._own_place, return_index=True)

    def at(self, offset: int, values: Array, missing: Array | float = 0.0) -> Array:
        """The values so many messages later or earlier."""
        wanted = self._own_place + offset
        found = np.minimum(np.searchsorted(self._places, wanted), len(self._places) - 1)
        is_there = self._places[found] == wanted
        taken = values[self._row_at[found]]
        return np.where(is_there if values.ndim == 1 else is_there[:, None], taken, missing)

    def mean_of_best(self, values: Array, count: int) -> Array:
        """The mean of the conversation's largest few values."""
        order = np.lexsort((-values, self._conversation))
        ordered = self._conversation[order]
        starts = np.searchsorted(ordered, np.arange(self._conversations))
        is_top = np.arange(len(order)) - starts[ordered] < count
        sums = np.bincount(ordered[is_top], values[order][is_top], self._conversations)
        return (sums / np.bincount(ordered[is_top], minlength=self._conversations))[self._conversation]
