"""Reads snapshots from the database: whole ones, and what changed since an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Aggregate, BigIntegerField, BinaryField, BooleanField, Count, Field, Func

from memories.features import Array, Candidate
from memories.models.memory import MemoryQuerySet
from memories.snapshot import Row, Snapshot, Stamp
from memories.values import Kind

# A vector's header on the wire: its dimensions and two bytes without use, before big-endian floats.
_VECTOR_HEADER = 4
_KINDS = {kind.value: kind for kind in Kind}
_VERSION = '"memories_memory".xmin::text::bigint'


class _Checksum(Aggregate):
    """Each row's id hashed with the number of the transaction that wrote this version of it."""

    template = f"BIT_XOR(uuid_hash_extended(%(expressions)s, {_VERSION}))"
    output_field = BigIntegerField()
    arity = 1


class _ChecksumOfAll(Func):
    """The same beside every row, so that rows and stamp are of one moment."""

    template = f"BIT_XOR(uuid_hash_extended(%(expressions)s, {_VERSION})) OVER ()"
    output_field = BigIntegerField()


class _WrittenBy(Func):
    """The transaction number; the argument only says which table."""

    template = _VERSION
    output_field = BigIntegerField()


class _Seconds(Func):
    """A time as seconds: the driver takes longer over a thousand timestamps than the database over the search."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"
    output_field = Field()  # a FloatField would call float() on every float


class _IsTold(Func):
    """Whether feedback wrote it, or somebody's words: what comes from documents alone names its file."""

    template = (
        "(\"memories_memory\".kind = 'knowledge'"
        " AND (%(expressions)s ? 'feedback' OR NOT %(expressions)s ? 'file'))"
    )
    output_field = BooleanField()


class _Bytes(Func):
    """A vector as the database sends it: pgvector's own reader parses text, number by number."""

    function = "vector_send"
    output_field = BinaryField()


def stamp_of(memories: MemoryQuerySet) -> Stamp:
    """One pass over the rows, none of which is fetched."""
    found = memories.aggregate(count=Count("pk"), checksum=_Checksum("pk"))
    return Stamp(found["count"], found["checksum"] or 0)


# The count ends there: whoever asks wants to know whether it is more.
_STAMPS = f"""
SELECT base.id, held.rows, held.checksum
  FROM unnest(%s::uuid[]) AS base (id) CROSS JOIN LATERAL (
    SELECT count(*) AS rows, bit_xor(uuid_hash_extended(one.id, one.version)) AS checksum FROM (
      SELECT id, {_VERSION} AS version FROM memories_memory
       WHERE cube_id = base.id AND status IN ('activated', 'frozen') LIMIT %s) AS one) AS held
"""  # noqa: S608  # no word of it comes from outside


def stamps_of(cubes: Sequence[UUID], most: int) -> dict[UUID, Stamp]:
    """Those of several cubes, counted up to so many rows and one more."""
    if not cubes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_STAMPS, [list(cubes), most + 1])
        return {cube: Stamp(rows, checksum or 0) for cube, rows, checksum in cursor.fetchall()}


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
    return Snapshot.of(stamp, rows, dimensions, known)


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
    "recall__count",
    _Seconds("recall__last_at"),
    _IsTold("details"),
    "slot",
)


def _row(values: Sequence[Any], model: str) -> Row:
    (pk, written_by, embedded_by, embedding, kind, words, speaker, conversation) = values[:8]
    (position, text, confidence, is_rough, language, happened, over, made, recalls, recalled) = values[8:18]
    is_told, slot = values[18:20]
    # How fresh a rough memory is counts from its arrival, whatever time its words are dated to.
    said_at = made if is_rough or happened is None else happened
    size, is_asking = text.count(" ") + 1, "?" in text or "？" in text
    what = (pk, _KINDS[kind], words, size, speaker, conversation, position, is_asking)
    told = (said_at, happened, over, confidence, is_rough, language, made, recalls or 0, recalled)
    candidate = Candidate(*what, *told, is_told=is_told, slot=slot)
    return Row(written_by, candidate, _vector(embedding) if embedded_by == model else None)


def _vector(sent: bytes | memoryview | None) -> Array | None:
    if sent is None:
        return None
    return np.frombuffer(sent, dtype=">f4", offset=_VECTOR_HEADER).astype(np.float32)
