"""Undo a run: delete what it made and restore what it archived, except what was changed since."""

from __future__ import annotations

import time
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.versions import change_memory
from memories.ingest.reextraction.comparison import is_machine_made
from memories.ingest.reextraction.runs import (
    ACTOR,
    MADE_BY,
    Counts,
    add_counts,
    announce_change,
    format_run_reason,
)
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.lifecycle.erase import erase_memories
from memories.models import MemCube, Memory, MemoryVersion, Task
from memories.models.memory import MemoryQuerySet
from memories.values import MemoryStatus
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

UNDONE_AT_ONCE = 50
UNDONE = "a run of making memories anew was undone"


def undo_run(task: Task, scope: Scope, until: float) -> None:
    run = task.payload["run"]
    while True:
        with tenant_scope(scope):
            counts = _undo_some(task, run)
            if counts is None:
                outbox.complete(task, task.result)
                announce_change(task)
                return
            add_counts(task, counts)
        if time.monotonic() > until:
            raise Unfinished


def _undo_some(task: Task, run: str) -> Counts | None:
    """Deletes what the run made, then restores what it archived; None when nothing is left."""
    project = Project.objects.select_related("account").get(pk=task.own_project)
    mine: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project))
    # Ids grow with time. Runs of earlier versions marked memories, too, that they found and wrote more into.
    seen = task.result.get("seen", run)
    made = mine.filter(**{f"details__{MADE_BY}": run}, pk__gt=seen)
    batch = list(made.order_by("pk").prefetch_related("versions", "sources")[:UNDONE_AT_ONCE])
    if batch:
        _lock_all(task, batch)
        untouched = [memory.pk for memory in batch if is_machine_made(memory) and not _says_more(memory, run)]
        task.result = {**task.result, "seen": str(batch[-1].pk)}
        _take_apart(mine, untouched)
        erase_memories(project, mine.filter(pk__in=untouched), is_by_person=False)
        return Counts(removed=len(untouched), left_alone=len(batch) - len(untouched))
    return _restore_some(task, mine, run)


def _says_more(memory: Memory, run: str) -> bool:
    """Return whether messages that came after the run began say it too."""
    return any(source.message_id > UUID(run) for source in memory.sources.all())


def _take_apart(mine: MemoryQuerySet, doomed: Sequence[UUID]) -> None:
    """Undo merges into memories that the run made: what was merged stands for itself again."""
    merged = mine.filter(status=MemoryStatus.MERGED, superseded_by__in=doomed).prefetch_related("versions")
    for memory in merged.order_by("pk").select_for_update(of=("self",)):
        before = next(version for version in memory.versions.all() if version.status != MemoryStatus.MERGED)
        change_memory(memory, actor=ACTOR, reason=UNDONE, status=before.status, superseded_by=None)


def _restore_some(task: Task, mine: MemoryQuerySet, run: str) -> Counts | None:
    versions = MemoryVersion.objects.within(mine).filter(actor=ACTOR, reason=format_run_reason(run))
    after = task.result.get("restored", "")
    versions = versions.filter(pk__gt=after) if after else versions
    batch = list(versions.select_related("memory").order_by("pk")[:UNDONE_AT_ONCE])
    if not batch:
        return None
    _lock_all(task, [version.memory for version in batch])
    restored = sum(_restore_memory(mine, version) for version in batch)
    task.result = {**task.result, "restored": str(batch[-1].pk)}
    return Counts(added=restored, left_alone=len(batch) - restored)


def _restore_memory(mine: MemoryQuerySet, version: MemoryVersion) -> bool:
    """Restore an archived memory; False where it was changed since, or where another memory says the same."""
    memory = mine.select_for_update(of=("self",)).filter(pk=version.memory_id).first()
    if memory is None or memory.status != MemoryStatus.ARCHIVED or memory.version != version.number + 1:
        return False
    same = Q(kind=memory.kind, content_hash=memory.content_hash)
    if Memory.objects.within(memory.cube_id).current().filter(same).exclude(pk=memory.pk).exists():
        return False
    change_memory(memory, actor=ACTOR, reason=UNDONE, status=version.status)
    return True


def _lock_all(task: Task, memories: Sequence[Memory]) -> None:
    for key in sorted({memory.cube_id for memory in memories}):
        lock_cube(key)
    outbox.require_fence(task)
