"""The trash: what members delete leaves recall at once, can be restored for some days, and is then gone for good.

A memory in the trash keeps its vector, words, sources and history where they are. What it had replaced holds again
meanwhile, and skills unlearn it as they do what is deleted for good. Deleting an end user empties their trash too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from memories.forget import bring_back, forget, tell, with_merged
from memories.lifecycle import take_over
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.reconcile import lock_cube
from memories.signals import memories_doomed
from memories.trash_policies import TrashPolicies
from memories.trash_wall import seeing_trash
from memories.values import Kind, Status
from memories.versions import Reason, change
from tenancy.errors import InvalidParameters
from tenancy.ids import uuid7
from tenancy.models import Project
from tenancy.scoping import tenant_scope

# So many memories are written, restored or purged in one go.
BATCH = 500
HEAVY = ("embedding", "words", "words_vector")


@dataclass(frozen=True, slots=True)
class Discarded:
    """How many memories went, and until when those in the trash can be restored; None where all are gone for good."""

    count: int
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """What is back, and what stays in the trash because something that holds now says the same."""

    back: list[UUID] = field(default_factory=list)
    held: list[UUID] = field(default_factory=list)


def discard(project: Project, memories: MemoryQuerySet, actor: str) -> Discarded:
    """Into the trash, as long as the project keeps one. Inside the project's scope.

    A skill's memory goes with its skill, and the fast memory of a turn before it says anything lasting: both for good.
    """
    days = TrashPolicies.of(project).days
    if not days:
        return Discarded(forget(project, memories))
    for_good = Q(kind=Kind.SKILL) | Q(is_rough=True)
    keys = list(memories.exclude(for_good).values_list("pk", flat=True))
    count = forget(project, memories.filter(for_good))
    if not keys:
        return Discarded(count)
    until = timezone.now() + timedelta(days=days)
    return Discarded(count + _throw_away(project, keys, actor, until), until)


def _throw_away(project: Project, chosen: Sequence[UUID], actor: str, until: datetime) -> int:
    mine = Memory.objects.within(MemCube.objects.within(project))
    keys = with_merged(mine, chosen)
    list(mine.filter(pk__in=keys).select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    memories_doomed.send(None, project_id=project.pk, memory_ids=keys)
    with seeing_trash():
        for start in range(0, len(keys), BATCH):
            batch: MemoryQuerySet = mine.filter(pk__in=keys[start : start + BATCH])
            MemoryVersion.objects.bulk_create(_versions(batch, actor))
            now = timezone.now()
            batch.update(status=Status.DELETED, purge_at=until, version=F("version") + 1, updated_at=now)
    bring_back(mine, keys)
    tell(project, keys, "deleted")
    return len(keys)


def _versions(batch: MemoryQuerySet, actor: str) -> list[MemoryVersion]:
    """What each said and was: its status comes back from there."""
    return [
        MemoryVersion(
            id=uuid7(),
            account_id=memory.account_id,
            project_id=memory.project_id,
            memory=memory,
            number=memory.version,
            title=memory.title,
            text=memory.text,
            status=memory.status,
            actor=actor[:60],
            reason=Reason.THROWN_AWAY,
        )
        for memory in batch.defer(*HEAVY)
    ]


def trashed(project: Project) -> MemoryQuerySet:
    """What lies in the project's trash; read it inside the project's scope, while seeing the trash."""
    found: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project)).exclude(purge_at=None)
    return found


def restore(project: Project, chosen: MemoryQuerySet, actor: str) -> Restored:
    """What was thrown away is what it was before; where it held, it takes its state from whatever held it meanwhile."""
    restored = Restored()
    with tenant_scope(project), seeing_trash():
        rows = list(chosen.order_by("cube_id", "pk").values_list("cube_id", "pk"))
        for cube, found in groupby(rows, key=lambda row: row[0]):
            lock_cube(cube)
            _restore(project, [key for _, key in found], actor, restored)
        tell(project, restored.back, "restored")
    return restored


def _restore(project: Project, keys: Sequence[UUID], actor: str, restored: Restored) -> None:
    """What was merged into a memory comes back with it, after it."""
    together = trashed(project).filter(Q(pk__in=keys) | Q(superseded_by__in=keys, valid_until=None))
    rows = list(together.select_for_update(of=("self",)).defer(*HEAVY).order_by("pk"))
    before = _states_before(rows)
    for memory in sorted(rows, key=lambda one: before[one.pk] == Status.MERGED):
        state = before[memory.pk]
        if state == Status.MERGED and memory.superseded_by_id not in restored.back:
            state = Status.ARCHIVED  # nothing says it any more
        try:
            _put_back(memory, state, actor)
        except InvalidParameters:
            restored.held.append(memory.pk)
        else:
            restored.back.append(memory.pk)


def _put_back(memory: Memory, state: Status, actor: str) -> None:
    """Raises `InvalidParameters` where another memory that holds now says the same."""
    if state in {Status.ACTIVATED, Status.FROZEN}:
        take_over(memory, actor)
    change(memory, actor=actor, reason=Reason.TAKEN_OUT, status=state, purge_at=None)


def _states_before(rows: Sequence[Memory]) -> dict[UUID, Status]:
    keys = [memory.pk for memory in rows]
    versions = MemoryVersion.objects.within(keys).filter(reason=Reason.THROWN_AWAY).order_by("number")
    return {key: Status(status) for key, status in versions.values_list("memory", "status")}


def purge(project: Project, chosen: MemoryQuerySet) -> int:
    """For good: rows, vectors, words, versions and the files that nothing else came from. Seeing the trash."""
    return forget(project, chosen.order_by())


def purge_due() -> int:
    """One round over all projects. A round that breaks off is gone on with by the next."""
    return sum(_purge_due(project) for project in Project.objects.here().order_by("pk").iterator())


def _purge_due(project: Project) -> int:
    return sum(_batches(project, timezone.now()))


def _batches(project: Project, now: datetime) -> Iterator[int]:
    """Each a small transaction."""
    while True:
        with tenant_scope(project), seeing_trash():
            due = list(trashed(project).filter(purge_at__lte=now).values_list("pk", flat=True)[:BATCH])
            gone = purge(project, trashed(project).filter(pk__in=due)) if due else 0
        yield gone
        if len(due) < BATCH:
            return
