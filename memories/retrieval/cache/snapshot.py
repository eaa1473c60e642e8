"""A snapshot of the rows of some cubes, in the form that the ranker reads."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.cubes.change_markers import ChangeMarker
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieval.ranking.features import Candidate, Mask, Table, Vectors
from memories.retrieval.ranking.topic_boost import topic_boost
from memories.values import Kind

# Bytes of a row beside its vector and its letters, and of a memory fetched whole beside its texts. Measured with 1,000
# rows; what JSON holds takes a dozen bytes a letter as objects.
_ROW_BYTES, _WHOLE_BYTES, _JSON_BYTES = 1_500, 2_500, 12


class Row(NamedTuple):
    """A candidate, its version, and its vector (float32, unit length, shape (d,)) if it is of the model in use."""

    written_by: int
    candidate: Candidate
    vector: NDArray[np.float32] | None
    expires_on: date | None = None


@dataclass(slots=True)
class Snapshot:
    """The rows of some cubes at one moment, ready to be ranked.

    `whole` holds those memories that were fetched in full, which only found ones must be: all searches of the
    process share them, and nobody may change one. What is read for one search only has no marker.
    """

    marker: ChangeMarker | None
    rows: dict[UUID, Row]
    whole: dict[UUID, Memory]
    table: Table
    vectors: Vectors
    has_vector: Mask
    places: dict[UUID, int]
    read_at: float
    whole_bytes: int = 0
    # Day numbers (`date.toordinal`), 0 for none; made when first asked for.
    last_days: NDArray[np.int32] | None = None
    parts: dict[tuple[tuple[Kind, ...], bool], tuple[Mask, Table]] = field(default_factory=dict)
    gated: dict[tuple[tuple[str, ...], bool], tuple[Mask, dict[str, int]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        marker: ChangeMarker | None,
        rows: dict[UUID, Row],
        dimensions: int,
        known: Snapshot | None = None,
    ) -> Snapshot:
        """With what an earlier snapshot holds of the same rows."""
        vectors = np.zeros((len(rows), dimensions), dtype=np.float32)
        has_vector = np.zeros(len(rows), dtype=bool)
        for place, row in enumerate(rows.values()):
            if row.vector is not None:
                vectors[place], has_vector[place] = row.vector, True
        table = Table([row.candidate for row in rows.values()])
        if not table.passages[0].all():  # documents have no present topic
            table.topic_boost = topic_boost(table, vectors, has_vector)
        whole = known.still_whole(rows) if known else {}
        read_at = known.read_at if known else time.monotonic()
        weight = sum(_weight(memory) for memory in whole.values())
        places = {key: place for place, key in enumerate(rows)}
        return cls(marker, rows, whole, table, vectors, has_vector, places, read_at, weight)

    def still_whole(self, rows: dict[UUID, Row]) -> dict[UUID, Memory]:
        """Of a copy, because other threads may be adding to it."""
        kept = dict(self.whole).items()
        return {pk: memory for pk, memory in kept if pk in rows and rows[pk] is self.rows.get(pk)}

    def part(self, kinds: tuple[Kind, ...], with_past: bool) -> tuple[Mask, Table]:
        """Which rows are of these kinds and hold today, or held once; and those rows."""
        found = self.parts.get((kinds, with_past))
        if found is None:
            chosen = np.isin(self.table.kinds, [kind.value for kind in kinds])
            chosen &= with_past | np.isnan(self.table.valid_until)
            found = self.parts[kinds, with_past] = (chosen, self.table.of(chosen))
        return found

    def gates(self, kinds: tuple[str, ...], with_past: bool) -> tuple[Mask, dict[str, int]]:
        """Which rows are of these kinds and hold today, or held once; how many do, and what kept the others back."""
        found = self.gated.get((kinds, with_past))
        if found is None:
            is_wanted = np.isin(self.table.kinds, kinds)
            holds = np.isnan(self.table.valid_until) | with_past
            counts = {
                "candidates": int((is_wanted & holds).sum()),
                "other_kind": int((~is_wanted).sum()),
                "no_longer_true": int((is_wanted & ~holds).sum()),
            }
            found = self.gated[kinds, with_past] = (is_wanted & holds, counts)
        return found

    def vectors_of(self, keys: Iterable[UUID]) -> tuple[Vectors, Mask]:
        """Their vectors, and which of them have one."""
        places = [self.places[key] for key in keys]
        return self.vectors[places], self.has_vector[places]

    def expired(self, today: date) -> Mask | None:
        """Which rows' last day is over; None where no row has one."""
        if self.last_days is None:
            last_days = [row.expires_on.toordinal() if row.expires_on else 0 for row in self.rows.values()]
            self.last_days = np.array(last_days, dtype=np.int32)
        if not self.last_days.any():
            return None
        return (self.last_days > 0) & (self.last_days < today.toordinal())

    def missing(self, keys: Iterable[UUID]) -> list[UUID]:
        return [key for key in keys if key not in self.whole]

    def keep(self, memories: MemoryQuerySet, keys: list[UUID]) -> None:
        """Fetches these whole."""
        found = memories.filter(pk__in=keys).defer("embedding", "words", "words_vector", "content_hash")
        fetched = {memory.pk: memory for memory in found}
        self.whole.update(fetched)
        self.whole_bytes += sum(_weight(memory) for memory in fetched.values())

    def terms_of(self, key: UUID) -> str:
        return self.rows[key].candidate.terms

    @property
    def bytes(self) -> int:
        letters = sum(len(row.candidate.terms) for row in self.rows.values())
        rows = int(2 * self.vectors.nbytes) + 2 * letters + _ROW_BYTES * len(self.rows)
        return rows + self.whole_bytes


def _weight(memory: Memory) -> int:
    letters = len(memory.text) + len(memory.title) + len(memory.reasoning)
    objects = sum(len(str(value)) for value in (memory.info, memory.details, memory.tags) if value)
    return _WHOLE_BYTES + 2 * letters + _JSON_BYTES * objects
