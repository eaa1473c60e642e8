"""Read snapshots from the database: whole, or only what changed since an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Aggregate, BigIntegerField, BinaryField, BooleanField, Field, Func
from numpy.typing import NDArray

from memories.cubes.change_markers import ChangeMarker
from memories.models.memory import MemoryQuerySet
from memories.models.vector_decoding import VectorBytes, decode_vector
from memories.retrieval.cache.snapshot import Rows, Snapshot, encode_ids
from memories.retrieval.ranking.candidate_table import ASSISTANT, Candidate, CandidateTable
from memories.retrieval.ranking.packed_vectors import PackedVectors
from memories.retrieval.values_held.held import find_held_values
from memories.retrieval.values_held.kinds import HeldKind
from memories.values import MemoryKind

# So many rows are read at a time.
BATCH = 2_000
_KINDS = {kind.value: kind for kind in MemoryKind}


class _WrittenBy(Func):
    """The number of the transaction that wrote the row; the argument only says which table."""

    template = '"memories_memory".xmin::text::bigint'
    output_field = BigIntegerField()


class _Versions(Aggregate):
    """Key and transaction of every row in one string of bytes: as rows, 20,000 take the driver longer than a search."""

    template = "string_agg(uuid_send(%(expressions)s) || xidsend(\"memories_memory\".xmin), ''::bytea)"
    output_field = BinaryField()


class _Keys(Aggregate):
    """The key of every row in one string of bytes."""

    template = "string_agg(uuid_send(%(expressions)s), ''::bytea)"
    output_field = BinaryField()


class _Seconds(Func):
    """A time as seconds: the driver takes longer over a thousand timestamps than the database over the search."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"
    output_field = Field()  # a FloatField would call float() on every float


class _IsFromFeedback(Func):
    """SQL expression: true where feedback or somebody's words made the memory; what comes from documents alone names
    its file."""

    template = (
        "(\"memories_memory\".kind = 'knowledge'"
        " AND (%(expressions)s ? 'feedback' OR NOT %(expressions)s ? 'file'))"
    )
    output_field = BooleanField()


# Counted only up to the limit.
_COUNTS = """
SELECT base.id, held.rows FROM unnest(%s::uuid[]) AS base (id) CROSS JOIN LATERAL (
  SELECT count(*) AS rows FROM (
    SELECT FROM memories_memory WHERE cube_id = base.id AND status IN ('activated', 'frozen') LIMIT %s) AS one) AS held
"""


def count_cube_memories(cubes: Sequence[UUID], most: int) -> dict[UUID, int]:
    """Count how many memories of each cube a search may return; one more than `most` stands for any more."""
    if not cubes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [list(cubes), most + 1])
        return dict(cursor.fetchall())


def read_snapshot(
    memories: MemoryQuerySet, model: str, dimensions: int, marker: ChangeMarker | None = None
) -> Snapshot:
    """A snapshot of these rows.

    The marker was read before: a row may be newer than it says, and then the next search looks again.
    """
    return Snapshot.of(marker, _build_rows(memories, model, dimensions))


def refresh_snapshot(
    known: Snapshot,
    memories: MemoryQuerySet,
    *,
    model: str,
    dimensions: int,
    marker: ChangeMarker,
    most_changed: int,
) -> Snapshot | None:
    """The same of the rows as they are now: those that `known` holds in the same version are not read again.

    None where more than `most_changed` would be read.
    """
    ids, written_by = _build_versions(memories)
    places, is_here = known.rows.find_places(ids)
    is_known = is_here.copy()
    is_known[is_here] = known.rows.written_by[places[is_here]] == written_by[is_here]
    # What was written may be nothing that a search returns: passages that are not shown yet, or the trash.
    if is_known.all() and len(ids) == len(known):
        return replace(known, marker=marker)
    changed = [UUID(bytes=key) for key in _pad_ids(ids[~is_known])]
    if len(changed) > most_changed:
        return None
    parts = [known.rows.take(places[is_known])]
    if changed:
        parts.append(_build_rows(memories.filter(pk__in=changed), model, dimensions))
    return Snapshot.of(marker, Rows.joined(parts), known)


def load_row_keys(memories: MemoryQuerySet) -> NDArray[np.bytes_]:
    """The keys of these rows, in the form of `Rows.ids`: S16, shape (n,)."""
    return np.frombuffer(bytes(memories.aggregate(keys=_Keys("pk"))["keys"] or b""), dtype="S16")


def _build_versions(memories: MemoryQuerySet) -> tuple[NDArray[np.bytes_], NDArray[np.uint32]]:
    """Keys in their order, S16, and the transaction that wrote each, uint32: both of shape (n,)."""
    sent = bytes(memories.aggregate(versions=_Versions("pk"))["versions"] or b"")
    versions = np.frombuffer(sent, dtype=[("id", "S16"), ("written_by", ">u4")])
    versions = versions[np.argsort(versions["id"])]
    return np.ascontiguousarray(versions["id"]), versions["written_by"].astype(np.uint32)


def _pad_ids(ids: NDArray[np.bytes_]) -> list[bytes]:
    """All 16 bytes of each (S16, shape (k,)): numpy drops zeros at the end."""
    return [key.ljust(16, b"\0") for key in ids.tolist()]


def _build_rows(memories: MemoryQuerySet, model: str, dimensions: int) -> Rows:
    """Turned into columns in batches, so that few of them are Python objects at the same time."""
    parts = [read_batch(memories, model, dimensions)]
    while len(parts[-1]) == BATCH:
        parts.append(read_batch(memories, model, dimensions, parts[-1]))
    return Rows.joined(parts)


def read_batch(memories: MemoryQuerySet, model: str, dimensions: int, after: Rows | None = None) -> Rows:
    """The first of these rows, or those after the last of an earlier batch; the last batch is not full."""
    if after is not None:
        memories = memories.filter(pk__gt=after.table.keys[-1])
    return _build_columns(list(memories.order_by("pk").values_list(*_COLUMNS)[:BATCH]), model, dimensions)


def _build_columns(rows: Sequence[Sequence[Any]], model: str, dimensions: int) -> Rows:
    vectors = np.zeros((len(rows), dimensions), dtype=np.float32)
    for place, row in enumerate(rows):
        if row[2] == model and row[3] is not None:
            vectors[place] = decode_vector(row[3])
    return Rows(
        encode_ids(row[0] for row in rows),
        np.array([row[1] for row in rows], dtype=np.uint32),
        np.array([row[21].toordinal() if row[21] else 0 for row in rows], dtype=np.int32),
        CandidateTable([_build_candidate(row) for row in rows]),
        PackedVectors.of(vectors),
    )


_COLUMNS = (
    "pk",
    _WrittenBy("pk"),
    "embedding_model",
    VectorBytes("embedding"),
    "kind",
    "words",
    "speaker",
    "conversation_key",
    "position",
    "text",
    "confidence",
    "is_raw",
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


def _build_candidate(values: Sequence[Any]) -> Candidate:
    pk, _, _, _, kind, words, speaker, conversation = values[:8]
    (position, text, confidence, is_raw, language, happened, over, made, began, recalls, recalled) = values[
        8:19
    ]
    is_correction, slot = values[19:21]
    # How fresh a raw memory is counts from its arrival, whatever time its words are dated to.
    said_at = made if is_raw or happened is None else happened
    size, is_asking = text.count(" ") + 1, "?" in text or "？" in text
    what = (pk, _KINDS[kind], words, size, speaker, conversation, position, is_asking)
    # When it was said or what day it is about, whenever it arrived: conversations may be sent long after.
    stated = made if began is None else began
    details = (said_at, happened, over, confidence, is_raw, language, stated, recalls or 0, recalled)
    # Only statements are asked for values: no passages, skills or lines of named speakers.
    is_statement = speaker in ("", ASSISTANT) and kind in (MemoryKind.FACT, MemoryKind.PREFERENCE)
    held = find_held_values(text, language) if is_statement else HeldKind.UNREAD
    return Candidate(*what, *details, is_correction=is_correction, slot=slot, held=held)
