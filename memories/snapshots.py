"""Cubes as the ranker reads them, kept in this process between searches and checked against the database by each.

Nothing has to announce a change. One aggregate over the rows' ids and transaction numbers (`xmin`) says whether
anything was written, deleted or changed since, whoever did it; then only the changed rows are read again. What is
kept is in memory only, the least recently searched forgotten first.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db.models import Aggregate, BigIntegerField, BinaryField, Count, Field, Func

from memories.features import Array, Candidate, Table
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.values import Kind
from tenancy.aside import Aside, losing
from tenancy.scoping import Scope, active_scope, tenant_scope

# What nobody searched for this long is forgotten.
KEPT_SECONDS = 600.0
# A vector's header on the wire: its dimensions and two bytes without use, before big-endian floats.
_VECTOR_HEADER = 4
# Bytes of a row beside its vector and its letters, the whole memory included. Measured with 1,000 rows.
_ROW_BYTES = 4_000
_KINDS = {kind.value: kind for kind in Kind}


class Stamp(NamedTuple):
    """Which rows there are in which version: two equal stamps mean equal rows."""

    rows: int
    checksum: int


class _Checksum(Aggregate):
    """Each row's id hashed with the number of the transaction that wrote this version of it."""

    template = "BIT_XOR(uuid_hash_extended(%(expressions)s, xmin::text::bigint))"
    output_field = BigIntegerField()
    arity = 1


class _ChecksumOfAll(Func):
    """The same beside every row, so that rows and stamp are of one moment."""

    template = "BIT_XOR(uuid_hash_extended(%(expressions)s, xmin::text::bigint)) OVER ()"
    output_field = BigIntegerField()


class _WrittenBy(Func):
    """The transaction number; the argument only says which table."""

    template = "xmin::text::bigint"
    output_field = BigIntegerField()


class _Seconds(Func):
    """A time as seconds: the driver takes longer over a thousand timestamps than the database over the search."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"
    output_field = Field()  # a FloatField would call float() on every float


class _Bytes(Func):
    """A vector as the database sends it: pgvector's own reader parses text, number by number."""

    function = "vector_send"
    output_field = BinaryField()


class Row(NamedTuple):
    """A candidate, its version, and its vector when it is of the model in use."""

    written_by: int
    candidate: Candidate
    vector: Array | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The rows of some cubes at one moment, ready to be ranked.

    `whole` holds those memories that were fetched in full, which only found ones must be: all searches of the
    process share them, and nobody may change one.
    """

    stamp: Stamp
    rows: dict[UUID, Row]
    whole: dict[UUID, Memory]
    table: Table
    vectors: Array
    has_vector: Array
    parts: dict[tuple[tuple[Kind, ...], bool], tuple[Array, Table]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, stamp: Stamp, rows: dict[UUID, Row], dimensions: int, whole: dict[UUID, Memory] | None = None
    ) -> Snapshot:
        vectors = np.zeros((len(rows), dimensions), dtype=np.float32)
        has_vector = np.zeros(len(rows), dtype=bool)
        for place, row in enumerate(rows.values()):
            if row.vector is not None:
                vectors[place], has_vector[place] = row.vector, True
        table = Table([row.candidate for row in rows.values()])
        return cls(stamp, rows, whole or {}, table, vectors, has_vector)

    def part(self, kinds: tuple[Kind, ...], with_past: bool) -> tuple[Array, Table]:
        """Which rows are of these kinds and hold today, or held once; and those rows."""
        found = self.parts.get((kinds, with_past))
        if found is None:
            chosen = np.isin(self.table.kinds, [kind.value for kind in kinds])
            chosen &= with_past | np.isnan(self.table.valid_until)
            found = self.parts[kinds, with_past] = (chosen, self.table.of(chosen))
        return found

    def cosines(self, query: Sequence[float] | None) -> Array:
        """NaN where a row has no vector of this model: like is compared with like."""
        if query is None:
            return np.full(len(self.table), np.nan)
        cosines = self.vectors @ np.asarray(query, dtype=np.float32)
        return np.where(self.has_vector, cosines, np.nan).astype(float)

    def missing(self, keys: Iterable[UUID]) -> list[UUID]:
        return [key for key in keys if key not in self.whole]

    def keep(self, memories: MemoryQuerySet, keys: list[UUID]) -> None:
        """Fetches these whole."""
        found = memories.filter(pk__in=keys).defer("embedding", "words", "words_vector", "content_hash")
        self.whole.update({memory.pk: memory for memory in found})

    def terms_of(self, key: UUID) -> str:
        return self.rows[key].candidate.terms

    @property
    def bytes(self) -> int:
        letters = sum(3 * len(row.candidate.terms) for row in self.rows.values())
        return int(2 * self.vectors.nbytes) + 2 * letters + _ROW_BYTES * len(self.rows)


def stamp_of(memories: MemoryQuerySet) -> Stamp:
    """One pass over the rows, none of which is fetched."""
    found = memories.aggregate(count=Count("pk"), checksum=_Checksum("pk"))
    return Stamp(found["count"], found["checksum"] or 0)


def read(memories: MemoryQuerySet, model: str, dimensions: int, known: Snapshot | None = None) -> Snapshot:
    """A snapshot of these rows; what `known` holds in the same version is not read again."""
    if known is None or not known.rows:
        return _read_all(memories, model, dimensions)
    versions = list(memories.order_by("pk").values_list("pk", _WrittenBy("pk"), _ChecksumOfAll("pk")))
    stamp = Stamp(len(versions), versions[0][2] if versions else 0)
    changed = [pk for pk, written_by, _ in versions if not _is_known(known, pk, written_by)]
    # Read a moment later than the stamp, a row may be newer than it says: the next search will look again.
    fresh = _rows(memories.filter(pk__in=changed), model) if changed else {}
    rows = {pk: row for pk, _, _ in versions if (row := fresh.get(pk) or known.rows.get(pk)) is not None}
    whole = {pk: memory for pk, memory in known.whole.items() if pk in rows and pk not in fresh}
    return Snapshot.of(stamp, rows, dimensions, whole)


def _is_known(known: Snapshot, pk: UUID, written_by: int) -> bool:
    row = known.rows.get(pk)
    return row is not None and row.written_by == written_by


def _read_all(memories: MemoryQuerySet, model: str, dimensions: int) -> Snapshot:
    found = list(memories.order_by("pk").values_list(*_COLUMNS, _ChecksumOfAll("pk")))
    stamp = Stamp(len(found), found[0][-1] if found else 0)
    return Snapshot.of(stamp, {row[0]: _row(row, model) for row in found}, dimensions)


def _rows(memories: MemoryQuerySet, model: str) -> dict[UUID, Row]:
    return {row[0]: _row(row, model) for row in memories.values_list(*_COLUMNS)}


_COLUMNS = (
    "pk",
    _WrittenBy("pk"),
    "embedding_model",
    _Bytes("embedding"),
    "kind",
    "words",
    "speaker",
    "conversation_key",
    "position",
    "text",
    "confidence",
    "is_rough",
    "language",
    _Seconds("event_time"),
    _Seconds("valid_until"),
    _Seconds("created_at"),
)


def _row(values: Sequence[Any], model: str) -> Row:
    (pk, written_by, embedded_by, embedding, kind, words, speaker, conversation) = values[:8]
    (position, text, confidence, is_rough, language, happened, over, made) = values[8:16]
    # How fresh a rough memory is counts from its arrival, whatever time its words are dated to.
    said_at = made if is_rough or happened is None else happened
    size, is_asking = text.count(" ") + 1, "?" in text or "？" in text
    what = (pk, _KINDS[kind], words, size, speaker, conversation, position, is_asking)
    candidate = Candidate(*what, said_at, happened, over, confidence, is_rough, language)
    return Row(written_by, candidate, _vector(embedding) if embedded_by == model else None)


def _vector(sent: bytes | memoryview | None) -> Array | None:
    if sent is None:
        return None
    return np.frombuffer(sent, dtype=">f4", offset=_VECTOR_HEADER).astype(np.float32)


class Snapshots:
    """The snapshots of this process, up to so many bytes. Threads may read the same one twice, never a mixed one."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[tuple[UUID, ...], tuple[float, int, Snapshot]] = OrderedDict()

    def get(self, cubes: tuple[UUID, ...]) -> Snapshot | None:
        with self._lock:
            self._forget_old()
            found = self._kept.get(cubes)
            if found is None:
                return None
            self._kept[cubes] = (time.monotonic(), *found[1:])
            self._kept.move_to_end(cubes)
            return found[2]

    def put(self, cubes: tuple[UUID, ...], snapshot: Snapshot) -> None:
        size = snapshot.bytes
        with self._lock:
            self._kept.pop(cubes, None)
            if size <= self._most:
                self._kept[cubes] = (time.monotonic(), size, snapshot)
            while sum(kept for _, kept, _ in self._kept.values()) > self._most:
                self._kept.popitem(last=False)

    def forget(self, cube: UUID) -> None:
        """Drops what holds this cube's words, so that a deletion is complete here too."""
        with self._lock:
            for cubes in [cubes for cubes in self._kept if cube in cubes]:
                del self._kept[cubes]

    def _forget_old(self) -> None:
        earliest = time.monotonic() - KEPT_SECONDS
        for cubes in [cubes for cubes, (used, _, _) in self._kept.items() if used < earliest]:
            del self._kept[cubes]


snapshots = Snapshots(settings.SNAPSHOT_MEGABYTES * 2**20)


class Cold(NamedTuple):
    """A snapshot whose memories are to be fetched whole before the next search needs some of them."""

    scope: Scope
    cubes: tuple[UUID, ...]
    snapshot: Snapshot


def _complete(cold: list[Cold]) -> None:
    for scope, cubes, snapshot in cold:
        missing = snapshot.missing(snapshot.rows)
        if missing:
            with losing("snapshots", len(missing)), tenant_scope(scope):
                snapshot.keep(Memory.objects.within(list(cubes)).recallable(), missing)


completion = Aside("snapshots", _complete)


def snapshot_of(
    memories: MemoryQuerySet, cubes: tuple[UUID, ...], model: str, dimensions: int, most: int
) -> Snapshot | None:
    """The present rows of these cubes, from memory where nothing changed; None when there are more than `most`.

    To be called in the scope of their owner.
    """
    stamp = stamp_of(memories)
    if stamp.rows > most:
        return None
    known = snapshots.get(cubes)
    if known is not None and known.stamp == stamp:
        return known
    fresh = read(memories, model, dimensions, known)
    snapshots.put(cubes, fresh)
    scope = active_scope()
    if scope is not None:
        completion.put(Cold(scope, cubes, fresh))
    return fresh
