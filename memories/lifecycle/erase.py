"""Erase memories and subjects: rows, vectors, words, versions; an audit entry without content remains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.consolidation.cube_locks import lock_cube
from memories.cubes.announcements import announce_changed_memories
from memories.files.message_files import delete_unreferenced_files
from memories.models import (
    MemCube,
    Memory,
    MemorySource,
    Message,
    RecallTest,
    Task,
)
from memories.models.memory import MemoryQuerySet
from memories.signals import memories_pre_delete
from memories.values import MemoryStatus, OwnerKind, TaskState
from tenancy.models import Project

BATCH = 5_000


def erase_memories(project: Project, memories: MemoryQuerySet, *, is_by_person: bool = True) -> int:
    """Delete the memories of a query with their versions and sources. Call it inside the project's scope.

    Of the messages of what a person or program deletes nothing is made anew (`memories/ingest/reextraction/`).
    """
    mine = Memory.objects.within(MemCube.objects.within(project))
    keys = lock_memories_to_delete(mine, memories)
    files = _find_source_files(mine, keys)
    memories_pre_delete.send(None, project_id=project.pk, memory_ids=keys)
    reopen_superseded(mine, keys)
    if is_by_person:
        _withhold_messages(project, keys)
    for start in range(0, len(keys), BATCH):
        batch = mine.filter(pk__in=keys[start : start + BATCH])
        # Straight to SQL, where the keys cascade: Django would load every row, vector and all.
        batch._raw_delete(batch.db)
    # The keys of the memories take their marks along: a test without any left says nothing.
    RecallTest.objects.within(project).filter(marks=None).delete()
    delete_unreferenced_files(project, files)
    announce_changed_memories(project.pk, "deleted", keys)
    return len(keys)


def _withhold_messages(project: Project, keys: Sequence[UUID]) -> None:
    for start in range(0, len(keys), BATCH):
        sources = MemorySource.objects.within(keys[start : start + BATCH]).values("message_id")
        Message.objects.within(project).filter(pk__in=sources, withheld_at=None).update(
            withheld_at=timezone.now()
        )


def wait_for_work(project: Project, memories: MemoryQuerySet, also: UUID | None = None) -> None:
    """Waits until no task writes where these memories are, until the transaction ends. Inside the project's scope.

    Call it before any row is locked: writers take a cube's lock first and its memories after. Only cubes at work are
    locked, and the shared ones last, as writers do: the database's table of locks is small, and cubes are many. `also`
    is a cube that the caller locks in any case: in the same order as the others.
    """
    at_work = Task.objects.within(project).filter(state=TaskState.RUNNING).values("subject")
    cubes = MemCube.objects.within(project).filter(pk__in=memories.order_by().values("cube"))
    at_work_here = set(cubes.filter(pk__in=at_work).values_list("pk", flat=True))
    public = list(cubes.filter(owner_kind=OwnerKind.PUBLIC).order_by("pk").values_list("pk", flat=True))
    own = at_work_here | ({also} if also else set())
    for key in [*sorted(own - set(public)), *public]:
        lock_cube(key)


def lock_memories_to_delete(mine: MemoryQuerySet, memories: MemoryQuerySet) -> list[UUID]:
    """Lock the memories of the query, and those merged into them, until the transaction ends.

    The query is run again under the locks: what was deleted or restored meanwhile is left out, and what a refinement
    put in the place of others is locked too. These locks come before all other rows: a refinement holds memories when
    it asks for more work on them.
    """
    gone: set[UUID] = set()
    while True:
        asked = with_merged(mine, memories.values_list("pk", flat=True))
        rows = mine.filter(pk__in=asked).select_for_update(of=("self",)).order_by("pk")
        locked = set(rows.values_list("pk", flat=True))
        vanished = set(asked) - locked
        if vanished <= gone:
            break
        gone |= vanished
    still = memories.filter(pk__in=locked).values_list("pk", flat=True)
    return [key for key in with_merged(mine, still) if key in locked]


def with_merged(mine: MemoryQuerySet, chosen: Iterable[UUID]) -> list[UUID]:
    """Add the memories that were merged into these: they are deleted and restored with them."""
    keys = list(dict.fromkeys(chosen))
    gone_with = Q(status=MemoryStatus.MERGED) | Q(status=MemoryStatus.DELETED, valid_until=None)
    merged = mine.filter(gone_with, superseded_by__in=keys).exclude(pk__in=keys)
    return [*keys, *merged.values_list("pk", flat=True)]


def _find_source_files(mine: MemoryQuerySet, keys: list[UUID]) -> set[UUID]:
    """The attachments that some of the deleted memories came from."""
    of_files = mine.filter(pk__in=keys, details__has_key="file")
    return {UUID(key) for key in of_files.values_list("details__file__attachment", flat=True).distinct()}


# Of each successor what it had replaced, and until when that held as it is written down; "" where it had no end.
Replaced = dict[UUID, dict[str, str]]


def reopen_superseded(mine: MemoryQuerySet, keys: list[UUID]) -> Replaced:
    """Make what a deleted memory had superseded valid again, unless something else holds its place."""
    was: Replaced = defaultdict(dict)
    replaced = mine.filter(superseded_by__in=keys).exclude(pk__in=keys).order_by("-valid_from")
    for memory in replaced.defer("embedding", "words", "words_vector"):
        until = memory.valid_until
        was[memory.superseded_by_id][str(memory.pk)] = until.isoformat() if until else ""
        memory.superseded_by = None
        memory.valid_until = until if _is_taken(mine, memory, keys) else None
        memory.save(update_fields=["superseded_by", "valid_until"])
    return was


def _is_taken(mine: MemoryQuerySet, memory: Memory, keys: list[UUID]) -> bool:
    same = Q(content_hash=memory.content_hash)
    if memory.slot:
        same |= Q(slot=memory.slot)
    rivals = mine.filter(cube=memory.cube_id).current().exclude(pk__in=keys)
    return bool(rivals.filter(same).exists())
