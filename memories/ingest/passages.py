"""Passages of documents as memories of a shared cube: created, moved, activated and deleted.

Everything here runs in the caller's transaction and under the cube's lock. Which document a memory belongs to is its
`source_task`; `ordinal` is unique within that. What is kept can be recalled only when it is shown, so that a document
is there whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from pgvector import Vector

from memories.lifecycle.erase import reopen_superseded
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet, get_owner_fields
from memories.text.content import hash_passage
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import NO_TALK, Confidence, MemoryKind, MemoryStatus

BATCH = 500


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of a memory, and where in its document it stands: `about` is shown with it."""

    ordinal: int
    text: str
    title: str
    tags: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)


class EmbeddedMemory(NamedTuple):
    """A memory, what it said when that was embedded, and the vector."""

    key: UUID
    text: str
    vector: list[float]


def create_passages(cube: MemCube, document: UUID, passages: Sequence[Passage]) -> list[UUID]:
    """Create memories without vectors; return their ids in the order of the passages."""
    rows = [
        Memory(
            **get_owner_fields(cube),
            cube=cube,
            kind=MemoryKind.KNOWLEDGE,
            status=MemoryStatus.GENERATED,
            title=passage.title,
            text=passage.text,
            content_hash=hash_passage(document, passage.text),
            confidence=Confidence.KEPT,
            tags=list(passage.tags),
            conversation_key=NO_TALK,
            position=passage.ordinal,
            language=detect_language(passage.text),
            source_task=document,
            ordinal=passage.ordinal,
            details={"file": passage.about},
            words=" ".join(search_terms(passage.text)),
        )
        for passage in passages
    ]
    Memory.objects.bulk_create(rows)
    return [row.pk for row in rows]


_PLACE = """
UPDATE memories_memory memory SET embedding = made.vector::vector, embedding_model = %s
  FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS made (id, text, vector)
 WHERE memory.cube_id = %s AND memory.id = made.id AND memory.text = made.text
"""


def place_vectors(cube: MemCube, rows: Sequence[EmbeddedMemory], model: str) -> None:
    """Store vectors where a memory still says what was embedded; in one statement, because each leaves a note for
    searches."""
    keys, texts, vectors = zip(*rows, strict=True) if rows else ((), (), ())
    written = [Vector(vector).to_text() for vector in vectors]
    with connection.cursor() as cursor:
        cursor.execute(_PLACE, [model, list(keys), list(texts), written, cube.pk])


def list_passages(cube: MemCube, documents: Iterable[UUID]) -> MemoryQuerySet:
    mine: MemoryQuerySet = Memory.objects.within(cube).filter(source_task__in=list(documents))
    return mine


def move_passages(cube: MemCube, document: UUID, places: Mapping[UUID, Passage]) -> None:
    """Memories of an earlier version belong to this document now: what they say and said is left as it is."""
    keys = list(places)
    for start in range(0, len(keys), BATCH):
        batch = Memory.objects.within(cube).filter(pk__in=keys[start : start + BATCH])
        rows = list(batch.only("pk", "text", "details"))
        for row in rows:
            passage = places[row.pk]
            row.source_task, row.ordinal, row.position = document, passage.ordinal, passage.ordinal
            row.details = {**row.details, "file": passage.about}
            row.content_hash = hash_passage(document, row.text)
        fields = ["source_task", "ordinal", "position", "details", "content_hash"]
        Memory.objects.within(cube).bulk_update(rows, fields)


def show_passages(cube: MemCube, document: UUID) -> int:
    """Activate the memories of a document, so that searches find them."""
    return (
        list_passages(cube, [document])
        .filter(status=MemoryStatus.GENERATED)
        .update(status=MemoryStatus.ACTIVATED)
    )


def delete_passages(cube: MemCube, keys: Iterable[UUID]) -> set[UUID]:
    """Deletes memories with what replaced nothing else: corrections of them. Returns the ids of all that went."""
    mine: MemoryQuerySet = Memory.objects.within(cube)
    doomed = _with_corrections(mine, set(keys))
    if doomed:
        reopen_superseded(mine, list(doomed))
        delete_passage_rows(cube, list(doomed))
    return doomed


def _with_corrections(mine: MemoryQuerySet, doomed: set[UUID]) -> set[UUID]:
    while True:
        heirs = mine.filter(supersedes__in=doomed).exclude(pk__in=doomed).exclude(details__has_key="file")
        keys = set(heirs.values_list("pk", flat=True))
        others = mine.filter(superseded_by__in=keys).exclude(pk__in=doomed)
        keys -= set(others.values_list("superseded_by", flat=True))
        keys |= _find_statements_about(mine, doomed)
        if not keys:
            return doomed
        doomed |= keys


def _find_statements_about(mine: MemoryQuerySet, doomed: set[UUID]) -> set[UUID]:
    """Find what was stated to put right some of the doomed passages, and no other."""
    gone = {str(key) for key in doomed}
    rows = mine.filter(details__puts_right__has_any_keys=list(gone)).exclude(pk__in=doomed)
    about = rows.values_list("pk", "details__puts_right")
    return {key for key, passages in about if set(passages) <= gone}


def delete_passage_rows(cube: MemCube, keys: Sequence[UUID]) -> None:
    """Straight to SQL, where the keys cascade to versions, sources and recalls."""
    for start in range(0, len(keys), BATCH):
        batch: MemoryQuerySet = Memory.objects.within(cube).filter(pk__in=keys[start : start + BATCH])
        # Of the two in a pair the older may go in an earlier statement than its successor.
        Memory.objects.within(cube).filter(superseded_by__in=keys[start : start + BATCH]).update(
            superseded_by=None
        )
        batch._raw_delete(batch.db)
