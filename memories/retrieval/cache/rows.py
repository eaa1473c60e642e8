"""Reads snapshots from the database: whole ones, and what changed since an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import BigIntegerField, BinaryField, BooleanField, Field, Func

from memories.cubes.change_markers import ChangeMarker
from memories.models.memory import MemoryQuerySet
from memories.retrieval.cache.snapshot import Row, Snapshot
from memories.retrieval.ranking.features import Array, Candidate
from memories.values import Kind

# A vector's header on the wire: its dimensions and two bytes without use, before big-endian floats.
_VECTOR_HEADER = 4
_KINDS = {kind.value: kind for kind in Kind}


class _WrittenBy(Func):
    """The transaction number; the argument only says which table."""

    template = '"memories_memory".xmin::text::bigint'
    output_field = BigIntegerField()


class _Seconds(Func):
    """A time as seconds: the driver takes longer over a thousand timestamps than the database over the search."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"
    output_field = Field()  # a FloatField would call float() on every float


class _IsFromFeedback(Func):
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


# Counted only up to the limit.
_COUNTS = """
SELECT base.id, held.rows FROM unnest(%s::uuid[]) AS base (id) CROSS JOIN LATERAL (
  SELECT count(*) AS rows FROM (
    SELECT FROM memories_memory WHERE cube_id = base.id AND status IN ('activated', 'frozen') LIMIT %s) AS one) AS held
"""


def counts_of(cubes: Sequence[UUID], most: int) -> dict[UUID, int]:
    """How many memories of each cube a search may return; one more than `most` stands for any more."""
    if not cubes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [list(cubes), most + 1])
        return dict(cursor.fetchall())


def read_snapshot(
    memories: MemoryQuerySet,
    model: str,
    dimensions: int,
    marker: ChangeMarker | None = None,
    known: Snapshot | None = None,
) -> Snapshot:
    """A snapshot of these rows; what `known` holds in the same version is not read again.

    The marker was read before: a row may be newer than it says, and then the next search looks again.
    """
    if known is None or not known.rows:
        return Snapshot.of(marker, _rows(memories.order_by("pk"), model), dimensions)
    versions = list(memories.order_by("pk").values_list("pk", _WrittenBy("pk")))
    changed = [pk for pk, written_by in versions if not _is_known(known, pk, written_by)]
    # What was written may be nothing that a search returns: passages that are not shown yet, or the trash.
    if not changed and len(versions) == len(known.rows):
        return replace(known, marker=marker)
    fresh = _rows(memories.filter(pk__in=changed), model) if changed else {}
    rows = {pk: row for pk, _ in versions if (row := fresh.get(pk) or known.rows.get(pk)) is not None}
    return Snapshot.of(marker, rows, dimensions, known)


def _is_known(known: Snapshot, pk: UUID, written_by: int) -> bool:
    row = known.rows.get(pk)
    return row is not None and row.written_by == written_by


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
    _Seconds("valid_from"),
    "recall__count",
    _Seconds("recall__last_at"),
    _IsFromFeedback("details"),
    "slot",
    "expires_on",
)


def _row(values: Sequence[Any], model: str) -> Row:
    (pk, written_by, embedded_by, embedding, kind, words, speaker, conversation) = values[:8]
    (position, text, confidence, is_rough, language, happened, over, made, began, recalls, recalled) = values[
        8:19
    ]
    is_correction, slot, expires_on = values[19:22]
    # How fresh a raw memory is counts from its arrival, whatever time its words are dated to.
    said_at = made if is_rough or happened is None else happened
    size, is_asking = text.count(" ") + 1, "?" in text or "？" in text
    what = (pk, _KINDS[kind], words, size, speaker, conversation, position, is_asking)
    # When it was said, whenever it arrived: conversations may be sent long after.
    stated = made if began is None else began
    details = (said_at, happened, over, confidence, is_rough, language, stated, recalls or 0, recalled)
    candidate = Candidate(*what, *details, is_correction=is_correction, slot=slot)
    return Row(written_by, candidate, _vector(embedding) if embedded_by == model else None, expires_on)


def _vector(sent: bytes | memoryview | None) -> Array | None:
    if sent is None:
        return None
    return np.frombuffer(sent, dtype=">f4", offset=_VECTOR_HEADER).astype(np.float32)
