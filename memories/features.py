"""What speaks for each candidate, as arrays: one row per candidate, all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.values import Kind

Array = NDArray[Any]

_K1, _B = 1.2, 0.75
# Further apart than any two messages of one conversation, so that neighbours never cross conversations.
_CONVERSATION_STEP = 2**31


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory as the ranker sees it. `terms` are `words.terms(text)` with spaces between."""

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


# Columns of a `Table` that stay Python objects; the others become arrays.
_COLUMNS = attrgetter(
    "terms", "cosine", "word_count", "speaker", "conversation", "position", "is_asking", "said_at", "event_time"
)


class Table:
    """The candidates column by column, which is what the arithmetic wants."""

    def __init__(self, rows: Sequence[Candidate]) -> None:
        columns = zip(*map(_COLUMNS, rows), strict=True) if rows else [()] * 9
        self.terms, cosine, word_count, self.speakers, self.conversations, position, asking, said_at, event_time = (
            columns
        )
        self.said_at, self.event_times = said_at, event_time
        self.rows = rows
        self.cosine = np.array(cosine, dtype=float)  # None becomes NaN
        self.word_count = np.array(word_count, dtype=float)
        self.position = np.array(position, dtype=np.int64)
        self.is_asking = np.array(asking, dtype=float)


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How often each query term is in each row, and how much each term tells."""

    counts: Array
    lengths: Array
    weights: Array

    def of(self, chosen: Array) -> TermStatistics:
        """The same for some of the rows. What a term tells stays what it tells among all."""
        return TermStatistics(self.counts[chosen], self.lengths[chosen], self.weights)

    def coverage(self, counts: Array) -> Array:
        """Share of the query's weight whose terms occur at all."""
        return _share((counts > 0) @ self.weights, self.weights)

    def bm25(self, counts: Array, lengths: Array) -> Array:
        """BM25 as a share of the most that this query could score, which compares long questions to short ones."""
        average = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
        damping = _K1 * (1 - _B + _B * lengths / average)
        return _share((counts / (counts + damping[:, None])) @ self.weights, self.weights)

    def best(self) -> Array:
        """The weight of the most telling term that occurs, as a share of the most telling one."""
        if not len(self.weights):
            return np.zeros(len(self.counts))
        return ((self.counts > 0) * self.weights).max(axis=1) / max(float(self.weights.max()), 1e-9)


def term_statistics(rows: Sequence[str], query_terms: Sequence[str]) -> TermStatistics:
    counts = _count_terms(rows, query_terms)
    found_in = (counts > 0).sum(axis=0)
    weights = np.log1p((len(rows) - found_in + 0.5) / (found_in + 0.5))
    lengths = np.array([row.count(" ") + 1 if row else 0 for row in rows], dtype=float)
    return TermStatistics(counts, lengths, weights)


def _count_terms(rows: Sequence[str], query_terms: Sequence[str]) -> Array:
    """Looks for each query term in one long text: `str.find` over all rows beats splitting any of them."""
    text = "\n".join(f" {row} " for row in rows)
    starts = np.cumsum([0, *(len(row) + 3 for row in rows)])
    counts = np.zeros((len(rows), len(query_terms)))
    for column, term in enumerate(query_terms):
        places = _places(text, f" {term} ")
        if places:
            owners = np.searchsorted(starts, places, side="right") - 1
            counts[:, column] = np.bincount(owners, minlength=len(rows))[: len(rows)]
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
    """Who stands next to whom in the conversations that the candidates come from. Gaps are allowed."""

    def __init__(self, conversations: Sequence[str], positions: Sequence[int]) -> None:
        names, self._conversation = np.unique(np.array(conversations, dtype=str), return_inverse=True)
        self._conversations = len(names)
        place = self._conversation * _CONVERSATION_STEP + np.array(positions, dtype=np.int64)
        self._places, self._own_place = np.unique(place, return_inverse=True)
        self._by_place = np.argsort(self._own_place, kind="stable")
        self._first_of_place = np.searchsorted(self._own_place[self._by_place], np.arange(len(self._places)))

    def at(self, offset: int, values: Array, missing: Array | float = 0.0) -> Array:
        """The values so many messages later or earlier; the largest, where one message made several rows."""
        by_place = np.maximum.reduceat(values[self._by_place], self._first_of_place, axis=0)
        wanted = self._places + offset
        found = np.minimum(np.searchsorted(self._places, wanted), len(self._places) - 1)
        is_there = (self._places[found] == wanted)[self._own_place]
        taken = by_place[found][self._own_place]
        return np.where(is_there.reshape(-1, *[1] * (values.ndim - 1)), taken, missing)

    def mean_of_best(self, values: Array, count: int) -> Array:
        """The mean of the conversation's largest few values."""
        order = np.lexsort((-values, self._conversation))
        sorted_conversation = self._conversation[order]
        starts = np.searchsorted(sorted_conversation, np.arange(self._conversations))
        is_top = np.arange(len(order)) - starts[sorted_conversation] < count
        owners = sorted_conversation[is_top]
        sums = np.bincount(owners, values[order][is_top], self._conversations)
        return (sums / np.bincount(owners, minlength=self._conversations))[self._conversation]
