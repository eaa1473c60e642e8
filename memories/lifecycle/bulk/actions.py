"""Actions on a batch of memories and their undo. The caller holds the locks of the cubes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.consolidation.versions import BY_HAND, build_version, change_memory
from memories.cubes.announcements import announce_changed_memories
from memories.lifecycle.states import FOLLOWING, change_status, reactivate_superseded, supersede_rivals
from memories.lifecycle.trash import move_to_trash, restore_in_cube, select_trashed_memories
from memories.models import BulkItem, BulkJob, MemCube, Memory, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.values import BulkAction, BulkOutcome, MemoryStatus
from tenancy.errors import InvalidParameters
from tenancy.models import Project

HEAVY = ("embedding", "words", "words_vector")
MOST_TAGS = 100
UNDONE = f"{BY_HAND}: undone"
# What people put under protection is spared, but for taking the protection away.
SPARING = frozenset(set(BulkAction) - {BulkAction.FREEZE, BulkAction.UNFREEZE})
STATUS_OF = {
    BulkAction.ARCHIVE: MemoryStatus.ARCHIVED,
    BulkAction.RESTORE: MemoryStatus.ACTIVATED,
    BulkAction.FREEZE: MemoryStatus.FROZEN,
    BulkAction.UNFREEZE: MemoryStatus.ACTIVATED,
}

Outcomes = dict[UUID, BulkOutcome]


@dataclass(frozen=True, slots=True)
class BulkBatch:
    """Some items of a job and those of their memories that exist; `actor` is who ordered it, as versions name them."""

    project: Project
    job: BulkJob
    items: Sequence[BulkItem]
    memories: dict[UUID, Memory]
    actor: str

    @classmethod
    def load(cls, project: Project, job: BulkJob, items: Sequence[BulkItem], actor: str) -> BulkBatch:
        wanted = select_held_by(project).filter(pk__in=[item.memory for item in items])
        rows = wanted.select_for_update(of=("self",)).defer(*HEAVY).order_by("pk")
        return cls(project, job, items, {row.pk: row for row in rows}, actor)


def select_held_by(project: Project) -> MemoryQuerySet:
    """The project's own memories, without the trash."""
    rows: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project))
    return rows


def do_batch(batch: BulkBatch) -> Outcomes:
    """Apply the action to a batch; return the outcome by memory id. Changed and protected ones are left alone."""
    action = BulkAction(batch.job.action)
    outcomes = {item.memory: _get_spared_outcome(batch, item, action) for item in batch.items}
    free = [batch.memories[key] for key, outcome in outcomes.items() if outcome == BulkOutcome.PENDING]
    return outcomes | DOERS[action](batch, free)


def undo_batch(batch: BulkBatch) -> Outcomes:
    """The way back for what was done; what changed since is left as it is."""
    action = BulkAction(batch.job.action)
    if action == BulkAction.DELETE:
        return _take_out(batch)
    before = _load_versions_before(batch)
    outcomes = {item.memory: BulkOutcome.KEPT for item in batch.items}
    for item in batch.items:
        memory, version = batch.memories.get(item.memory), before.get(item.memory)
        if memory is not None and version is not None and memory.version == item.version + 1:
            outcomes[item.memory] = _put_back(batch, memory, version, action)
    announce_changed_memories(batch.project.pk, "updated", list(batch.memories))
    return outcomes


def _get_spared_outcome(batch: BulkBatch, item: BulkItem, action: BulkAction) -> BulkOutcome:
    memory = batch.memories.get(item.memory)
    if memory is None:
        return BulkOutcome.GONE
    if memory.version != item.version:
        return BulkOutcome.CHANGED
    if memory.status == MemoryStatus.FROZEN and action in SPARING:
        return BulkOutcome.FROZEN
    return BulkOutcome.PENDING


def _delete_batch(batch: BulkBatch, memories: Sequence[Memory]) -> Outcomes:
    if not memories:
        return {}
    doomed = select_held_by(batch.project).filter(pk__in=[memory.pk for memory in memories])
    discarded = move_to_trash(batch.project, doomed, batch.actor)
    batch.job.restorable_until = batch.job.restorable_until or discarded.until
    return dict.fromkeys((memory.pk for memory in memories), BulkOutcome.DONE)


def _set_status(batch: BulkBatch, memories: Sequence[Memory]) -> Outcomes:
    status = STATUS_OF[BulkAction(batch.job.action)]
    outcomes: Outcomes = {}
    for memory in memories:
        if memory.status == status:
            outcomes[memory.pk] = BulkOutcome.SAME
        elif status not in FOLLOWING[MemoryStatus(memory.status)]:
            outcomes[memory.pk] = BulkOutcome.REFUSED
        else:
            outcomes[memory.pk] = BulkOutcome.DONE
    moved = [memory for memory in memories if outcomes[memory.pk] == BulkOutcome.DONE]
    _keep_versions(batch, moved, lambda memory: f"{memory.status} became {status}")
    _update_batch(batch, moved, status=status)
    return outcomes


def _restore_batch(batch: BulkBatch, memories: Sequence[Memory]) -> Outcomes:
    """One by one: each takes its state from what holds it now."""
    outcomes: Outcomes = {}
    for memory in memories:
        if memory.status not in {MemoryStatus.ARCHIVED, MemoryStatus.EXPIRED}:
            outcomes[memory.pk] = BulkOutcome.SAME
            continue
        try:
            with transaction.atomic():
                change_status(memory, MemoryStatus.ACTIVATED, batch.actor)
            outcomes[memory.pk] = BulkOutcome.DONE
        except InvalidParameters:
            outcomes[memory.pk] = BulkOutcome.REFUSED
    announce_changed_memories(batch.project.pk, MemoryStatus.ACTIVATED, list(outcomes))
    return outcomes


def _add_tag(batch: BulkBatch, memories: Sequence[Memory]) -> Outcomes:
    tag = batch.job.tag
    tagged = {memory.pk: [*memory.tags, tag] for memory in memories if tag not in memory.tags}
    return _write_tags(batch, memories, tagged)


def _remove_tag(batch: BulkBatch, memories: Sequence[Memory]) -> Outcomes:
    tag = batch.job.tag
    others = {
        memory.pk: [other_tag for other_tag in memory.tags if other_tag != tag]
        for memory in memories
        if tag in memory.tags
    }
    return _write_tags(batch, memories, others)


def _write_tags(batch: BulkBatch, memories: Sequence[Memory], tags: dict[UUID, list[str]]) -> Outcomes:
    outcomes = {memory.pk: BulkOutcome.SAME for memory in memories}
    changed = [memory for memory in memories if memory.pk in tags]
    refused = {memory.pk for memory in changed if memory.is_raw or len(tags[memory.pk]) > MOST_TAGS}
    outcomes |= dict.fromkeys(refused, BulkOutcome.REFUSED)
    changed = [memory for memory in changed if memory.pk not in refused]
    _keep_versions(batch, changed, lambda _: f"{BY_HAND}: tags")
    now = timezone.now()
    for memory in changed:
        memory.tags, memory.version, memory.updated_at = tags[memory.pk], memory.version + 1, now
    select_held_by(batch.project).bulk_update(changed, ["tags", "version", "updated_at"])
    announce_changed_memories(batch.project.pk, "updated", [memory.pk for memory in changed])
    return outcomes | {memory.pk: BulkOutcome.DONE for memory in changed}


def _keep_versions(batch: BulkBatch, memories: Iterable[Memory], reason: Callable[[Memory], str]) -> None:
    MemoryVersion.objects.bulk_create(
        [build_version(memory, actor=batch.actor, reason=reason(memory)) for memory in memories]
    )


def _update_batch(batch: BulkBatch, memories: Sequence[Memory], *, status: MemoryStatus) -> None:
    keys = [memory.pk for memory in memories]
    changed = select_held_by(batch.project).filter(pk__in=keys)
    changed.update(status=status, version=F("version") + 1, updated_at=timezone.now())
    announce_changed_memories(batch.project.pk, status, keys)


def _load_versions_before(batch: BulkBatch) -> dict[UUID, MemoryVersion]:
    """Load the version of each memory from before the job."""
    numbers = {item.memory: item.version for item in batch.items}
    rows = MemoryVersion.objects.within(list(numbers)).filter(number__in=set(numbers.values()))
    return {row.memory_id: row for row in rows if row.number == numbers[row.memory_id]}


def _put_back(batch: BulkBatch, memory: Memory, version: MemoryVersion, action: BulkAction) -> BulkOutcome:
    fields = (
        {"tags": version.tags} if action in {BulkAction.TAG, BulkAction.UNTAG} else {"status": version.status}
    )
    try:
        with transaction.atomic():
            if action == BulkAction.ARCHIVE and version.status == MemoryStatus.ACTIVATED:
                supersede_rivals(memory, batch.actor)
            change_memory(memory, actor=batch.actor, reason=UNDONE, **fields)
            if action == BulkAction.RESTORE:
                reactivate_superseded(memory, batch.actor, UNDONE)
    except InvalidParameters:
        return BulkOutcome.HELD
    return BulkOutcome.UNDONE


def _take_out(batch: BulkBatch) -> Outcomes:
    """Restore from the trash, cube by cube; what is no longer in it, or was deleted again, stays as it is."""
    outcomes: Outcomes = {item.memory: BulkOutcome.KEPT for item in batch.items}
    with seeing_trash():
        wanted = select_trashed_memories(batch.project).filter(pk__in=list(outcomes))
        versions = dict(wanted.values_list("pk", "version"))
    thrown = [item for item in batch.items if versions.get(item.memory) == item.version + 1]
    for cube in sorted({item.cube for item in thrown}):
        keys = [item.memory for item in thrown if item.cube == cube]
        restored = restore_in_cube(batch.project, cube, keys, batch.actor)
        outcomes |= {key: BulkOutcome.UNDONE for key in restored.back if key in outcomes}
        outcomes |= {key: BulkOutcome.HELD for key in restored.held if key in outcomes}
    return outcomes


DOERS: dict[BulkAction, Callable[[BulkBatch, Sequence[Memory]], Outcomes]] = {
    BulkAction.DELETE: _delete_batch,
    BulkAction.ARCHIVE: _set_status,
    BulkAction.RESTORE: _restore_batch,
    BulkAction.FREEZE: _set_status,
    BulkAction.UNFREEZE: _set_status,
    BulkAction.TAG: _add_tag,
    BulkAction.UNTAG: _remove_tag,
}
