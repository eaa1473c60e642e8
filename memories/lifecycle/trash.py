"""The trash: deleted memories are not recalled, can be restored for some days, and are then purged.

A memory in the trash keeps its vector, words, sources and history where they are. What it had replaced holds again
meanwhile, and skills unlearn it as they do what is deleted for good. Deleting an end user empties their trash too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q
from django.utils import timezone

from memories.consolidation.cube_locks import hold_cubes, lock_cube
from memories.consolidation.versions import Reason, build_version, change_memory
from memories.cubes.announcements import announce_changed_memories
from memories.lifecycle.erase import (
    Replaced,
    erase_memories,
    lock_memories_to_delete,
    reopen_superseded,
)
from memories.lifecycle.states import supersede_rivals
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.settings.trash import TrashPolicies
from memories.signals import memories_pre_delete
from memories.values import MemoryKind, MemoryStatus
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.models.project import ProjectQuerySet
from tenancy.runtime.batching import run_for_each_owner

# So many memories are written, restored or purged in one go.
BATCH = 500
HEAVY = ("embedding", "words", "words_vector")
# In the details of what lies in the trash: what it had replaced, and until when that held.
REPLACED = "had_replaced"
# What the trash holds of this kind said the same as another.
MERGED = Q(superseded_by__isnull=False, valid_until=None)


@dataclass(frozen=True, slots=True)
class Discarded:
    """Number of deleted memories, and until when those in the trash can be restored; None where all are gone for
    good."""

    count: int
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """Ids of restored memories, and of those that stay because a valid memory says the same."""

    back: list[UUID] = field(default_factory=list)
    held: list[UUID] = field(default_factory=list)

    def add(self, other: Restored) -> None:
        self.back.extend(other.back)
        self.held.extend(other.held)


_FOR_GOOD = Q(kind=MemoryKind.SKILL) | Q(is_raw=True)


def move_to_trash(project: Project, memories: MemoryQuerySet, actor: str) -> Discarded:
    """Into the trash, as long as the project keeps one. Inside the project's scope.

    A skill's memory goes with its skill, and the raw memory of a turn before it says anything lasting: both for good.
    """
    days = TrashPolicies.of(project).days
    if not days:
        return Discarded(erase_memories(project, memories))
    until = timezone.now() + timedelta(days=days)
    # Raw memories first: once they are locked or gone, no refinement puts lasting ones in their place any more.
    erased = erase_memories(project, memories.filter(_FOR_GOOD))
    moved = _move_restorable(project, memories.exclude(_FOR_GOOD), actor, until)
    return Discarded(erased + moved, until if moved else None)


def get_days_in_trash(project: Project, memory: Memory) -> int:
    """Return for how many days it can be restored once it is deleted; 0: not at all."""
    is_for_good = memory.kind == MemoryKind.SKILL or memory.is_raw
    return 0 if is_for_good else TrashPolicies.of(project).days


def _move_restorable(project: Project, memories: MemoryQuerySet, actor: str, until: datetime) -> int:
    mine = Memory.objects.within(MemCube.objects.within(project))
    keys = lock_memories_to_delete(mine, memories)
    if not keys:
        return 0
    memories_pre_delete.send(None, project_id=project.pk, memory_ids=keys)
    with seeing_trash():
        for start in range(0, len(keys), BATCH):
            batch: MemoryQuerySet = mine.filter(pk__in=keys[start : start + BATCH])
            MemoryVersion.objects.bulk_create(_build_versions(batch, actor))
            now = timezone.now()
            batch.update(
                status=MemoryStatus.DELETED, purge_at=until, version=F("version") + 1, updated_at=now
            )
    replaced = reopen_superseded(mine, keys)
    with seeing_trash():
        _note_replaced(mine, replaced)
    announce_changed_memories(project.pk, "deleted", keys)
    return len(keys)


def _note_replaced(mine: MemoryQuerySet, replaced: Replaced) -> None:
    """Note on deleted memories what they had superseded, so that a restore puts it back exactly."""
    for memory in mine.filter(pk__in=replaced).only("pk", "details"):
        memory.details = {**memory.details, REPLACED: replaced[memory.pk]}
        memory.save(update_fields=["details"])


def _build_versions(batch: MemoryQuerySet, actor: str) -> list[MemoryVersion]:
    """Build versions of the memories before deletion, from which a restore takes their status."""
    return [build_version(memory, actor=actor, reason=Reason.INTO_TRASH) for memory in batch.defer(*HEAVY)]


def select_trashed_memories(project: Project) -> MemoryQuerySet:
    """Select the project's trash; read inside its tenant scope and `seeing_trash`."""
    memories: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project)).exclude(purge_at=None)
    return memories


def restore_memories(project: Project, chosen: MemoryQuerySet, actor: str) -> Iterator[Restored]:
    """Restore memories of the trash to their former state; valid ones supersede what took their slot meanwhile.

    At most a batch of one cube at a time, each in a transaction of its own: two cubes are never locked together.
    """
    with tenant_scope(project), seeing_trash():
        # What was merged into a memory comes after that memory.
        is_merged = ExpressionWrapper(MERGED, output_field=BooleanField())
        ordered = chosen.annotate(is_merged=is_merged).order_by("cube_id", "is_merged", "pk")
        rows = list(ordered.values_list("cube_id", "pk"))
    for cube, group in groupby(rows, key=lambda row: row[0]):
        keys = [key for _, key in group]
        for start in range(0, len(keys), BATCH):
            yield restore_in_cube(project, cube, keys[start : start + BATCH], actor)


def restore_in_cube(project: Project, cube: UUID, keys: Sequence[UUID], actor: str) -> Restored:
    """Takes these memories of one cube out of the trash, with what was merged into them, in one transaction."""
    restored = Restored()
    with tenant_scope(project), seeing_trash():
        lock_cube(cube)
        together = select_trashed_memories(project).filter(
            Q(pk__in=keys) | MERGED & Q(superseded_by__in=keys)
        )
        rows = list(together.select_for_update(of=("self",)).defer(*HEAVY).order_by("pk"))
        before = _load_states_before(rows)
        for memory in sorted(rows, key=lambda row: before[row.pk] == MemoryStatus.MERGED):
            try:
                _put_back(memory, before[memory.pk], actor)
            except InvalidParameters:
                restored.held.append(memory.pk)
            else:
                restored.back.append(memory.pk)
        announce_changed_memories(project.pk, "restored", restored.back)
    return restored


def _put_back(memory: Memory, state: MemoryStatus, actor: str) -> None:
    """Restore a memory and what it had replaced. Raises `InvalidParameters` where another memory says the same."""
    if state == MemoryStatus.MERGED and not _is_said(memory):
        state = MemoryStatus.ARCHIVED  # nothing says it any more
    with transaction.atomic():
        _replace_again(memory)
        if state in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN}:
            supersede_rivals(memory, actor)
        kept = {name: value for name, value in memory.details.items() if name != REPLACED}
        change_memory(memory, actor=actor, reason=Reason.TAKEN_OUT, status=state, purge_at=None, details=kept)


def _is_said(memory: Memory) -> bool:
    """Return whether the memory that it was merged into is out of the trash."""
    into = Memory.objects.within(memory.cube_id).filter(pk=memory.superseded_by_id, purge_at=None)
    return bool(into.exists())


def _replace_again(memory: Memory) -> None:
    """Supersede again what the memory had superseded, unless that was changed meanwhile or a person froze it."""
    held: dict[str, str] = memory.details.get(REPLACED, {})
    predecessors = Memory.objects.within(memory.cube_id).filter(pk__in=held, superseded_by=None)
    for predecessor in predecessors.exclude(status=MemoryStatus.FROZEN, valid_until=None).defer(*HEAVY):
        ended = held[str(predecessor.pk)]
        until = datetime.fromisoformat(ended) if ended else None
        if predecessor.valid_until in {None, until}:
            predecessor.superseded_by, predecessor.valid_until = memory, until
            predecessor.save(update_fields=["superseded_by", "valid_until"])


def _load_states_before(rows: Sequence[Memory]) -> dict[UUID, MemoryStatus]:
    """A state that says that it was in the trash already is none to come back to."""
    keys = [memory.pk for memory in rows]
    versions = MemoryVersion.objects.within(keys).filter(reason=Reason.INTO_TRASH)
    before = versions.exclude(status=MemoryStatus.DELETED).order_by("number").values_list("memory", "status")
    return {key: MemoryStatus(status) for key, status in before}


def purge_memories(project: Project, chosen: MemoryQuerySet) -> Iterator[int]:
    """Delete memories permanently: rows, vectors, words, versions, and files that nothing else came from.

    Each batch is a small transaction. What somebody restores meanwhile stays.
    """
    while True:
        with tenant_scope(project), seeing_trash():
            keys = list(chosen.order_by("pk").values_list("pk", flat=True)[:BATCH])
            due = chosen.order_by().filter(pk__in=keys)
            hold_cubes(due)
            gone = erase_memories(project, due)
        yield gone
        if len(keys) < BATCH:
            return


def purge_due(projects: ProjectQuerySet | None = None) -> int:
    """One round over these projects or all that are at work. One that breaks off is gone on with by the next."""
    asked = Project.objects.all() if projects is None else projects
    return run_for_each_owner("purge_trash", asked.at_work(), _purge_due)


def _purge_due(project: Project) -> int:
    return sum(purge_memories(project, select_trashed_memories(project).filter(purge_at__lte=timezone.now())))


def postpone_purge(project: Project, time: timedelta) -> None:
    """Postpone the purge by the time in which the project was archived and nobody could restore anything."""
    with tenant_scope(project), seeing_trash():
        select_trashed_memories(project).update(purge_at=F("purge_at") + time)
