"""A snapshot of the rows of some cubes, in the form that the ranker reads."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.cubes.change_markers import ChangeMarker
from memories.engine.calibration.model import Statements
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieval.ranking.arrays import Integers, Mask, Vectors
from memories.retrieval.ranking.candidate_table import CandidateTable
from memories.retrieval.ranking.packed_vectors import PackedVectors
from memories.retrieval.ranking.topic_boost import compute_topic_boost
from memories.values import MemoryKind

# Bytes of a row beside its vector and its terms, with the parts of it that searches make of the table; and of a memory
# fetched whole beside its texts. Measured with 20,000 rows; what JSON holds takes a dozen bytes a letter as objects.
ROW_BYTES, _WHOLE_BYTES, _JSON_BYTES = 640, 2_500, 12
# Snapshots of more rows keep none of them whole.
MOST_WHOLE = 5_000


class Places(NamedTuple):
    """Positions in a snapshot of k rows that are asked for, and which of them it has at all: both of shape (k,).

    The place of a row that it lacks is that of another one.
    """

    at: Integers
    is_here: Mask


class RowsOfKinds(NamedTuple):
    """Mask of a snapshot's rows of some kinds, shape (n,), and those rows."""

    chosen: Mask
    table: CandidateTable


class Gates(NamedTuple):
    """Mask of a snapshot's rows that may answer, shape (n,); how many do, and how many each gate kept back."""

    may_answer: Mask
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of memories, column by column, sorted by `ids`: S16, 16 bytes each.

    `written_by`: uint32, the transaction that wrote each, which is its version. `last_days`: int32, the number of its
    last day (`date.toordinal`), 0 for none. All have shape (n,).
    """

    ids: NDArray[np.bytes_]
    written_by: NDArray[np.uint32]
    last_days: NDArray[np.int32]
    table: CandidateTable
    vectors: PackedVectors

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """The rows of these, sorted."""
        ids = np.concatenate([part.ids for part in parts])
        rows = cls(
            ids,
            np.concatenate([part.written_by for part in parts]),
            np.concatenate([part.last_days for part in parts]),
            CandidateTable.joined([part.table for part in parts]),
            PackedVectors.joined([part.vectors for part in parts]),
        )
        is_sorted = (ids[:-1] <= ids[1:]).all()
        return rows if is_sorted else rows.take(np.argsort(ids))

    def take(self, places: Integers) -> Rows:
        """Select the rows at these places (int64, shape (k,)), in that order."""
        of = (self.ids[places], self.written_by[places], self.last_days[places])
        return Rows(*of, self.table.taken(places), self.vectors.take(places))

    def find_places(self, ids: NDArray[np.bytes_]) -> Places:
        """Find where these `ids` (S16, shape (k,)) are, and which of them are here at all: both of shape (k,)."""
        if not len(self.ids):
            return Places(np.zeros(len(ids), dtype=np.int64), np.zeros(len(ids), dtype=bool))
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return Places(places, self.ids[places] == ids)

    @property
    def bytes(self) -> int:
        return self.vectors.bytes + self.table.terms.bytes + ROW_BYTES * len(self.ids)


@dataclass(slots=True)
class Snapshot:
    """The rows of some cubes at one moment, ready to be ranked.

    `whole` holds memories that were fetched in full, which only found ones must be: all searches of the process share
    them, and nobody may change one. What is read for one search only has no marker.
    """

    marker: ChangeMarker | None
    rows: Rows
    whole: dict[UUID, Memory]
    read_at: float
    whole_bytes: int = 0
    parts: dict[tuple[tuple[MemoryKind, ...], bool], RowsOfKinds] = field(default_factory=dict)
    gated: dict[tuple[tuple[str, ...], bool], Gates] = field(default_factory=dict)
    # What the embedding model's calibration says of the rows whatever the question is; None until the first search.
    statements: Statements | None = None

    @classmethod
    def of(cls, marker: ChangeMarker | None, rows: Rows, known: Snapshot | None = None) -> Snapshot:
        """With what an earlier snapshot holds of the same rows."""
        if not rows.table.passages[0].all():  # documents have no present topic
            rows.table.topic_boost = compute_topic_boost(rows.table, rows.vectors, time.time())
        whole = known.still_whole(rows) if known else {}
        read_at = known.read_at if known else time.monotonic()
        weight = sum(_estimate_weight(memory) for memory in whole.values())
        return cls(marker, rows, whole, read_at, weight)

    @property
    def table(self) -> CandidateTable:
        return self.rows.table

    @property
    def vectors(self) -> PackedVectors:
        return self.rows.vectors

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: UUID) -> bool:
        return bool(self.rows.find_places(encode_ids([key])).is_here[0])

    def still_whole(self, rows: Rows) -> dict[UUID, Memory]:
        """The fully loaded memories of the same version in `rows`; a copy, because other threads may add to it."""
        kept = dict(self.whole)
        if not kept:
            return kept
        ids = encode_ids(kept)
        (before, was_here), (now, is_here) = self.rows.find_places(ids), rows.find_places(ids)
        is_same = was_here & is_here
        is_same[is_same] = self.rows.written_by[before[is_same]] == rows.written_by[now[is_same]]
        return {key: memory for (key, memory), same in zip(kept.items(), is_same, strict=True) if same}

    def part(self, kinds: tuple[MemoryKind, ...], with_past: bool) -> RowsOfKinds:
        """Return which rows are of these kinds and hold today, or held once: shape (n,); and those rows."""
        part = self.parts.get((kinds, with_past))
        if part is None:
            chosen = self.table.kinds.are_any([kind.value for kind in kinds])
            chosen &= with_past | np.isnan(self.table.valid_until)
            part = self.parts[kinds, with_past] = RowsOfKinds(chosen, self.table.of(chosen))
        return part

    def gates(self, kinds: tuple[str, ...], with_past: bool) -> Gates:
        """Return which rows are of these kinds and hold today, or held once; how many do, and what kept the others
        back."""
        gated = self.gated.get((kinds, with_past))
        if gated is None:
            is_wanted = self.table.kinds.are_any(kinds)
            holds = np.isnan(self.table.valid_until) | with_past
            counts = {
                "candidates": int((is_wanted & holds).sum()),
                "other_kind": int((~is_wanted).sum()),
                "no_longer_true": int((is_wanted & ~holds).sum()),
            }
            gated = self.gated[kinds, with_past] = Gates(is_wanted & holds, counts)
        return gated

    def get_vectors(self, keys: Iterable[UUID]) -> tuple[Vectors, Mask]:
        """Their vectors, float32, shape (k, d), zeros where there is none; and which of the k have one, shape (k,)."""
        places = self.rows.find_places(encode_ids(keys)).at
        return self.vectors.floats(places), self.vectors.has_vector[places]

    def expired(self, today: date) -> Mask | None:
        """Return which rows' last day is over: shape (n,); None where no row has one."""
        if not self.rows.last_days.any():
            return None
        return (self.rows.last_days > 0) & (self.rows.last_days < today.toordinal())

    def missing(self, keys: Iterable[UUID]) -> list[UUID]:
        return [key for key in keys if key not in self.whole]

    def read_whole(self, memories: MemoryQuerySet, keys: list[UUID]) -> dict[UUID, Memory]:
        """Reads these from the database; a snapshot of few rows keeps them."""
        rows = memories.filter(pk__in=keys).defer("embedding", "words", "words_vector", "content_hash")
        read = {memory.pk: memory for memory in rows}
        if len(self) <= MOST_WHOLE:
            self.whole.update(read)
            self.whole_bytes += sum(_estimate_weight(memory) for memory in read.values())
        return read

    def get_terms(self, key: UUID) -> str:
        places = self.rows.find_places(encode_ids([key])).at
        return self.table.terms.text(int(places[0]))

    @property
    def bytes(self) -> int:
        return self.rows.bytes + self.whole_bytes


def encode_ids(keys: Iterable[UUID]) -> NDArray[np.bytes_]:
    """Keys in the form that they are sorted and compared in: S16, shape (k,)."""
    return np.array([key.bytes for key in keys], dtype="S16")


def _estimate_weight(memory: Memory) -> int:
    letters = len(memory.text) + len(memory.title) + len(memory.reasoning)
    objects: Any = (memory.info, memory.details, memory.tags)
    return _WHOLE_BYTES + 2 * letters + _JSON_BYTES * sum(len(str(value)) for value in objects if value)
