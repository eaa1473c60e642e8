"""The lines around each line of a conversation, and the best lines of each conversation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memories.retrieval.ranking.arrays import Floats, Integers, Mask, TermCounts

# The nearest lines of a talk: so many say what it is about.
BEST_OF_CONVERSATION = 3
# Further apart than any two messages of one conversation, so that neighbours never cross conversations.
_CONVERSATION_STEP = 2**31


@dataclass(frozen=True, slots=True)
class ConversationBest:
    """The largest values of each of g conversations.

    `rows`: int64, shape (g, k), -1 where a conversation has fewer rows. `values`: float64, the same shape, 0 there.
    `numbers`: int64, shape (n,), which conversation each row is of.
    """

    rows: Integers
    values: Floats
    numbers: Integers

    @property
    def means(self) -> Floats:
        """For each row the mean over its conversation: shape (n,)."""
        counts = (self.rows >= 0).sum(axis=1)
        return np.asarray((self.values.sum(axis=1) / counts)[self.numbers])

    def find_rows(self, places: Integers) -> Integers:
        """The rows that were found of the conversations of these: unsorted, with repeats."""
        rows = self.rows[np.unique(self.numbers[places])].ravel()
        return rows[rows >= 0]


class _RowsByConversation(NamedTuple):
    """`rows`: int64, shape (n,), conversation by conversation. `starts` and `sizes`: int64, shape (g,), where each of g
    conversations begins among them, and how many rows it has."""

    rows: Integers
    starts: Integers
    sizes: Integers


class Surroundings:
    """The neighbours of each candidate in its conversation. Positions may have gaps.

    Where one message made several rows, the first of them represents it.
    """

    def __init__(self, conversations: Integers, positions: Integers) -> None:
        """`conversations`: the number of each row's conversation. `positions`: its place there. Both of shape (n,)."""
        self._conversation = conversations
        self._own_place = conversations * _CONVERSATION_STEP + positions
        self._places, self._row_at = np.unique(self._own_place, return_index=True)
        self._neighbours: dict[int, tuple[Integers, Mask]] = {}

    def at(self, offset: int, values: Floats | TermCounts, missing: Floats | float = 0.0) -> Floats:
        """The values of the message `offset` positions later (negative: earlier); `missing` where there is none.

        `values`: shape (n,) or (n, t); the same shape is returned.
        """
        row, is_there = self._find_neighbour(offset)
        mask = is_there if values.ndim == 1 else is_there[:, None]
        return np.where(mask, values[row], missing).astype(float, copy=False)

    def _find_neighbour(self, offset: int) -> tuple[Integers, Mask]:
        """The row at that offset, and whether there is one. Independent of the query."""
        neighbours = self._neighbours.get(offset)
        if neighbours is None:
            wanted = self._own_place + offset
            place = np.minimum(np.searchsorted(self._places, wanted), len(self._places) - 1)
            neighbours = self._neighbours[offset] = (self._row_at[place], self._places[place] == wanted)
        return neighbours

    def find_around(self, places: Integers) -> Integers:
        """The rows at these places, and those of the two messages before and after each: unsorted, with repeats."""
        rows = [places]
        for offset in (-2, -1, 1, 2):
            row, is_there = self._find_neighbour(offset)
            rows.append(row[places][is_there[places]])
        return np.concatenate(rows)

    def find_best(self, values: Floats, count: int) -> ConversationBest:
        """The `count` largest values of each conversation."""
        by_conversation, starts, sizes = self._rows_by_conversation
        left = values[by_conversation]
        rows = np.full((len(starts), count), -1)
        for place in range(count):  # one after the other: sorting all values takes four times as long
            best = np.maximum.reduceat(left, starts)
            is_best = np.flatnonzero(left == np.repeat(best, sizes))
            groups = np.searchsorted(starts, is_best, side="right") - 1
            first = is_best[np.diff(groups, prepend=-1) > 0]
            rows[:, place] = np.where(np.isfinite(best), by_conversation[first], -1)
            left[first] = -np.inf
        return ConversationBest(rows, np.where(rows >= 0, values[rows], 0.0), self._conversation_numbers)

    def mean_of_best(self, values: Floats, count: int) -> Floats:
        """For each row the mean of the `count` largest values of its conversation: shape (n,)."""
        return self.find_best(values, count).means if len(values) else values

    @cached_property
    def _rows_by_conversation(self) -> _RowsByConversation:
        order = np.argsort(self._conversation, kind="stable")
        _, starts, sizes = np.unique(self._conversation[order], return_index=True, return_counts=True)
        return _RowsByConversation(order, starts, sizes)

    @cached_property
    def _conversation_numbers(self) -> Integers:
        """Return which of the groups each row is in."""
        order, starts, sizes = self._rows_by_conversation
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = np.repeat(np.arange(len(starts)), sizes)
        return numbers
