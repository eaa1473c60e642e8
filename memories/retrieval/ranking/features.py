"""What the ranker is given, as arrays: one row per candidate, all candidates at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.text.topics import topics_of
from memories.values import Kind

Array = NDArray[Any]

# How a memory of what only the assistant said names its speaker.
ASSISTANT = "assistant"
_K1, _B = 1.2, 0.75
# Further apart than any two messages of one conversation, so that neighbours never cross conversations.
_CONVERSATION_STEP = 2**31
_MAIN_TOPICS = 4
_BETWEEN_ROWS = " \n "
# A knowledge base of three passages would find every word telling that it does not have: it counts as one of so many.
LEAST_PASSAGES = 100


class Candidate(NamedTuple):
    """One memory as the ranker sees it. `terms` are `words.terms(text)` with spaces between; times are seconds
    since 1970, None where nothing is known. `is_told` marks what people put right in a knowledge base; `slot` names the
    state of the user that it tells, such as where they live.

    A tuple, because a search reads thousands: a frozen dataclass takes nine times as long.
    """

    key: Any
    kind: Kind
    terms: str
    word_count: int
    speaker: str = ""
    conversation: str = ""
    position: int = 0
    is_asking: bool = False
    said_at: float | None = None
    event_time: float | None = None
    valid_until: float | None = None
    confidence: float = 0.9
    is_rough: bool = False
    language: str = "en"
    made_at: float | None = None
    recalls: int = 0
    recalled_at: float | None = None
    is_told: bool = False
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Names:
    """A column of few different strings: a number for each row, and what the numbers stand for."""

    codes: Array
    names: list[str]

    @classmethod
    def over(cls, values: Iterable[str]) -> Names:
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(value, len(numbers)) for value in values]
        return cls(np.array(codes, dtype=np.int64), list(numbers))

    def of(self, chosen: Array) -> Names:
        return Names(self.codes[chosen], self.names)

    def present(self) -> dict[int, str]:
        return {int(code): self.names[code] for code in np.unique(self.codes)}

    def are(self, name: str) -> Array:
        """Which rows hold this string."""
        if name not in self.names:
            return np.zeros(len(self.codes), dtype=bool)
        return np.asarray(self.codes == self.names.index(name))


class Table:
    """Candidates column by column, which is what the arithmetic wants. Unknown times are NaN."""

    def __init__(self, rows: Sequence[Candidate]) -> None:
        columns = zip(*rows, strict=True) if rows else [()] * len(Candidate._fields)
        column: dict[str, Sequence[Any]] = dict(zip(Candidate._fields, columns, strict=True))
        self.keys = _objects(column["key"])
        self.terms = _objects(column["terms"])
        self.lengths = np.array([row.count(" ") + 1 if row else 0 for row in column["terms"]], dtype=float)
        self.kinds = np.array([str(kind) for kind in column["kind"]], dtype="U16")
        self.speakers, self.conversations = Names.over(column["speaker"]), Names.over(column["conversation"])
        self.slots = Names.over(column["slot"])
        self.said_at = np.array(column["said_at"], dtype=float)  # None becomes NaN
        self.event_times = np.array(column["event_time"], dtype=float)
        self.valid_until = np.array(column["valid_until"], dtype=float)
        self.word_count = np.array(column["word_count"], dtype=float)
        self.position = np.array(column["position"], dtype=np.int64)
        self.is_asking = np.array(column["is_asking"], dtype=float)
        self.confidence = np.array(column["confidence"], dtype=float)
        self.is_rough = np.array(column["is_rough"], dtype=bool)
        self.made_at = np.array(column["made_at"], dtype=float)
        self.recalls = np.array(column["recalls"], dtype=float)
        self.recalled_at = np.array(column["recalled_at"], dtype=float)
        self.is_told = np.array(column["is_told"], dtype=bool)
        self.heat = np.zeros(len(rows))
        self.is_chinese = np.array([language == "zh" for language in column["language"]], dtype=bool)

    def __len__(self) -> int:
        return len(self.keys)

    def of(self, chosen: Array) -> Table:
        """Some of the rows, by a mask."""
        if chosen.all():
            return self
        part = object.__new__(Table)
        for name in _COLUMNS:
            values = getattr(self, name)
            setattr(part, name, values.of(chosen) if isinstance(values, Names) else values[chosen])
        return part

    @cached_property
    def lines(self) -> tuple[Array, Table]:
        """Which rows are lines of a talk between named people, word for word; and those rows."""
        is_spoken = ~(self.speakers.are("") | self.speakers.are(ASSISTANT))
        chosen = np.asarray(is_spoken & (self.kinds == Kind.FACT.value) & ~self.is_rough)
        return chosen, self.of(chosen)

    @cached_property
    def passages(self) -> tuple[Array, Table]:
        """Which rows are passages of shared documents, or what people said about those; and these rows."""
        chosen = np.asarray(self.kinds == Kind.KNOWLEDGE.value)
        return chosen, self.of(chosen)

    @cached_property
    def skills(self) -> tuple[Array, Table]:
        """Which rows stand for skills; and these rows."""
        chosen = np.asarray(self.kinds == Kind.SKILL.value)
        return chosen, self.of(chosen)

    @cached_property
    def topics(self) -> list[frozenset[int]]:
        """What each row is mainly about."""
        return [frozenset(topics_of(row.split())[:_MAIN_TOPICS]) for row in self.terms.tolist()]

    @cached_property
    def calendars(self) -> tuple[Array, Array]:
        """The days when each was said and when it happened."""
        return calendar_dates(self.said_at), calendar_dates(self.event_times)

    @cached_property
    def surroundings(self) -> Surroundings:
        return Surroundings(self)

    @cached_property
    def _searchable(self) -> tuple[str, Array]:
        """All terms as one text, and where in it each row ends."""
        rows = self.terms.tolist()
        sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        return " " + _BETWEEN_ROWS.join(rows) + " ", np.cumsum(sizes + len(_BETWEEN_ROWS))

    def count_terms(self, query_terms: Sequence[str]) -> Array:
        """How often each term is in each row: `str.find` over one long text beats splitting any of the rows."""
        text, ends = self._searchable
        counts = np.zeros((len(self), len(query_terms)))
        for column, term in enumerate(query_terms):
            places = _places(text, f" {term} ")
            if places:
                owners = np.searchsorted(ends, places, side="right")
                counts[:, column] = np.bincount(owners, minlength=len(self))
        return counts

    def saying(self, phrase: str) -> Array:
        """Which rows hold these terms, one after the other."""
        text, ends = self._searchable
        said = np.zeros(len(self), dtype=bool)
        said[np.searchsorted(ends, _places(text, f" {phrase} "), side="right")] = True
        return said


_COLUMNS = (
    "keys terms lengths kinds speakers slots conversations said_at event_times valid_until word_count position"
    " is_asking confidence is_rough is_chinese heat made_at recalls recalled_at is_told"
).split()


def calendar_dates(moments: Array) -> Array:
    """Year, month and day (UTC) of each moment; zeros where it is unknown."""
    is_known = ~np.isnan(moments)
    days = (np.where(is_known, moments, 0) // 86_400).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    parts = (
        days.astype("datetime64[Y]").astype(int) + 1970,
        months.astype(int) % 12 + 1,
        (days - months).astype(int) + 1,
    )
    return np.where(is_known[:, None], np.stack(parts, axis=1), 0)


def _objects(values: Sequence[Any]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _places(text: str, needle: str) -> list[int]:
    found = []
    at = text.find(needle)
    while at >= 0:
        found.append(at)
        # One step back: neighbouring terms share the space between them.
        at = text.find(needle, at + len(needle) - 1)
    return found


class Frequencies(NamedTuple):
    """Of how many rows each of the query's terms is in how many."""

    rows: float
    found_in: Array


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one search: their columns, and how often each of the query's terms is in each.

    `frequencies` are those of all rows that the candidates were chosen from, where they are not all there is.
    """

    table: Table
    counts: Array
    frequencies: Frequencies | None = None

    def __len__(self) -> int:
        return len(self.table)

    def words(self, least_rows: int = 0) -> TermStatistics:
        """Of few rows, each term is in many: `least_rows` says as how many they count."""
        rows, found_in = self.frequencies or Frequencies(len(self), (self.counts > 0).sum(axis=0))
        rows = max(rows, least_rows)
        weights = np.log1p((rows - found_in + 0.5) / (found_in + 0.5))
        return TermStatistics(self.counts, self.table.lengths, weights)


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
        damping = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
        return _share((counts / (counts + damping[:, None])) @ self.weights, self.weights)


def _share(part: Array, weights: Array) -> Array:
    total = float(weights.sum())
    return part / total if total > 0 else np.zeros(len(part))


class Surroundings:
    """Who stands next to whom in the conversations that the candidates come from. Gaps are allowed.

    Where one message made several rows, the first of them stands for it.
    """

    def __init__(self, table: Table) -> None:
        self._conversation, self._conversations = table.conversations.codes, len(table.conversations.names)
        self._own_place = self._conversation * _CONVERSATION_STEP + table.position
        self._places, self._row_at = np.unique(self._own_place, return_index=True)
        self._neighbours: dict[int, tuple[Array, Array]] = {}

    def at(self, offset: int, values: Array, missing: Array | float = 0.0) -> Array:
        """The values so many messages later or earlier."""
        row, is_there = self._neighbour(offset)
        return np.where(is_there if values.ndim == 1 else is_there[:, None], values[row], missing)

    def _neighbour(self, offset: int) -> tuple[Array, Array]:
        """Which row stands there, and whether one does: the same for every query."""
        found = self._neighbours.get(offset)
        if found is None:
            wanted = self._own_place + offset
            place = np.minimum(np.searchsorted(self._places, wanted), len(self._places) - 1)
            found = self._neighbours[offset] = (self._row_at[place], self._places[place] == wanted)
        return found

    def mean_of_best(self, values: Array, count: int) -> Array:
        """The mean of the conversation's largest few values."""
        order = np.lexsort((-values, self._conversation))
        ordered = self._conversation[order]
        starts = np.searchsorted(ordered, np.arange(self._conversations))
        is_top = np.arange(len(order)) - starts[ordered] < count
        sums = np.bincount(ordered[is_top], values[order][is_top], self._conversations)
        sizes = np.bincount(ordered[is_top], minlength=self._conversations)
        return (sums / np.maximum(sizes, 1))[self._conversation]
