"""The lifecycle of memories: which states may follow which, who may change them, and the policies of projects.

generated   written, not yet to be recalled          → activated, archived, expired, frozen
activated   recalled by searches                     → merged (automation), archived, expired, frozen
frozen      recalled, and spared by all automation   → activated
archived    kept and shown, not recalled             → activated, expired
expired     past its time, not recalled              → activated
merged      said by another memory now               (the end)
deleted     in the trash, seen by nobody             (what it was, or purged: `memories/lifecycle/trash.py`)

Automation moves only what is generated, activated or archived. Every step writes a version with actor and reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.versions import POLICY, Reason, change_memory
from memories.cubes.access import select_reachable_memories
from memories.cubes.announcements import announce_changed_memories
from memories.models import MemCube, Memory, MemoryVersion
from memories.values import Confidence, MemoryStatus
from tenancy.errors import InvalidParameters, MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.runtime.batching import run_for_each_owner

FOLLOWING: dict[MemoryStatus, frozenset[MemoryStatus]] = {
    MemoryStatus.GENERATED: frozenset(
        {MemoryStatus.ACTIVATED, MemoryStatus.ARCHIVED, MemoryStatus.EXPIRED, MemoryStatus.FROZEN}
    ),
    MemoryStatus.ACTIVATED: frozenset({MemoryStatus.ARCHIVED, MemoryStatus.EXPIRED, MemoryStatus.FROZEN}),
    MemoryStatus.FROZEN: frozenset({MemoryStatus.ACTIVATED}),
    MemoryStatus.ARCHIVED: frozenset({MemoryStatus.ACTIVATED, MemoryStatus.EXPIRED}),
    MemoryStatus.EXPIRED: frozenset({MemoryStatus.ACTIVATED}),
    MemoryStatus.MERGED: frozenset(),
    MemoryStatus.DELETED: frozenset(),
}
SETTING = "lifecycle"
LONGEST_DAYS = 3_650
BATCH = 100
# Of a project in one round; the next round continues where this one stopped.
MOST = 2_000


@dataclass(frozen=True, slots=True)
class Policies:
    """After how many days automation changes the state of a memory; 0 is never.

    Working memory is short-term by definition, so it expires by default. Nothing else is taken out of recall
    unless somebody who knows the application wishes so.
    """

    expire_working_days: int = 30
    archive_doubtful_days: int = 0
    expire_archived_days: int = 0

    @classmethod
    def of(cls, project: Project) -> Policies:
        stored = project.get_settings(SETTING, cls.__slots__)
        return cls(**{name: int(days) for name, days in stored.items()})

    def as_setting(self) -> dict[str, int]:
        """Raises `InvalidParameters` for days that make no sense."""
        for name, days in asdict(self).items():
            if not 0 <= days <= LONGEST_DAYS:
                raise InvalidParameters(f"{name}: 0 to {LONGEST_DAYS} days")
        return asdict(self)


def set_status(
    project: Project, memory_id: UUID | str, status: MemoryStatus, actor: str, reason: str = ""
) -> Memory:
    """A person's or program's decision. The status it has already changes nothing.

    Raises `MemoryUnknown` for an id that the project does not hold, and `InvalidParameters` for a step that the
    life of a memory does not have.
    """
    with tenant_scope(project):
        memory = _lock_memory(project, memory_id)
        now = MemoryStatus(memory.status)
        if now == status:
            return memory
        change_status(memory, status, actor, reason)
        announce_changed_memories(project.pk, str(status), [memory.pk])
        return memory


def change_status(memory: Memory, status: MemoryStatus, actor: str, reason: str = "") -> None:
    """One step of a memory's life, for callers that hold the lock of its cube. Raises `InvalidParameters`."""
    now = MemoryStatus(memory.status)
    if status not in FOLLOWING[now]:
        raise InvalidParameters(f"status: a memory that is {now} cannot become {status}")
    if status == MemoryStatus.ACTIVATED and now in {
        MemoryStatus.ARCHIVED,
        MemoryStatus.EXPIRED,
        MemoryStatus.GENERATED,
    }:
        supersede_rivals(memory, actor)
    change_memory(memory, actor=actor, reason=reason or f"{now} became {status}", status=status)


def may_become(memory: Memory) -> frozenset[MemoryStatus]:
    """The states that a person may choose."""
    return FOLLOWING[MemoryStatus(memory.status)]


def _lock_memory(project: Project, memory_id: UUID | str) -> Memory:
    """The memory, while nobody else compares and writes in its cube."""
    try:
        key = memory_id if isinstance(memory_id, UUID) else UUID(memory_id)
    except ValueError:
        raise MemoryUnknown(str(memory_id)[:60]) from None
    mine = select_reachable_memories(project).filter(pk=key)
    cube_id = mine.values_list("cube_id", flat=True).first()
    if cube_id is None:
        raise MemoryUnknown(str(key))
    lock_cube(cube_id)
    memory: Memory | None = (
        mine.select_for_update(of=("self",)).defer("embedding", "words", "words_vector").first()
    )
    if memory is None:
        raise MemoryUnknown(str(key))
    return memory


def supersede_rivals(memory: Memory, actor: str) -> None:
    """End the memories that hold the slot of a restored memory: what a person restores is valid.

    Raises `InvalidParameters` where another valid memory says the same. A memory that was superseded stays so.
    """
    if memory.valid_until is not None:
        return  # it is restored as history
    current = Memory.objects.within(memory.cube_id).current().exclude(pk=memory.pk)
    if current.filter(kind=memory.kind, content_hash=memory.content_hash).exists():
        raise InvalidParameters("status: another memory that holds now says the same")
    rivals = current.filter(slot=memory.slot, status=MemoryStatus.ACTIVATED).exclude(slot="")
    for rival in rivals.defer("embedding", "words", "words_vector"):
        ends = max(timezone.now(), rival.valid_from or rival.created_at)
        change_memory(rival, actor=actor, reason=Reason.PUT_BACK, valid_until=ends, superseded_by=memory)


def reactivate_superseded(memory: Memory, actor: str, reason: str) -> None:
    """Undo `supersede_rivals`: what it ended is valid again, except what has changed since."""
    ended = Memory.objects.within(memory.cube_id).filter(superseded_by=memory, status=MemoryStatus.ACTIVATED)
    rivals = {rival.pk: rival for rival in ended.defer("embedding", "words", "words_vector")}
    versions = MemoryVersion.objects.within(list(rivals)).filter(reason=Reason.PUT_BACK)
    for key, number in versions.values_list("memory", "number"):
        rival = rivals[key]
        if rival.version == number + 1:
            change_memory(rival, actor=actor, reason=reason, valid_until=None, superseded_by=None)


def apply_policies() -> int:
    """Apply the policies of all projects once; return how many memories changed. May be killed and run again."""
    now = timezone.now()
    return run_for_each_owner("policies", Project.objects.at_work(), lambda project: apply_to(project, now))


def apply_to(project: Project, now: datetime) -> int:
    """Apply the project's policies to at most `MOST` memories; return how many changed."""
    changed = 0
    for due, status, reason in _iterate_due(Policies.of(project), now):
        for cube_id in _list_cubes(project, due):
            while changed < MOST:
                moved = _move_batch(project, cube_id, due, status, reason)
                changed += moved
                if moved < BATCH:
                    break
    return changed


def _iterate_due(policies: Policies, now: datetime) -> Iterator[tuple[Q, MemoryStatus, Reason]]:
    if days := policies.expire_working_days:
        since = now - timedelta(days=days)
        unused = Q(updated_at__lt=since) & (Q(recall=None) | Q(recall__last_at__lt=since))
        working = Q(
            status=MemoryStatus.ACTIVATED, valid_until=None, is_raw=False, memory_type="WorkingMemory"
        )
        yield working & unused, MemoryStatus.EXPIRED, Reason.WORKING_OVER
    if days := policies.archive_doubtful_days:
        doubtful = Q(is_raw=True) | Q(confidence__lt=Confidence.DOUBTFUL)
        never = Q(status=MemoryStatus.ACTIVATED, valid_until=None, recall=None)
        old = Q(updated_at__lt=now - timedelta(days=days))
        yield never & old & doubtful, MemoryStatus.ARCHIVED, Reason.NEVER_RECALLED
    if days := policies.expire_archived_days:
        archived = Q(status=MemoryStatus.ARCHIVED, updated_at__lt=now - timedelta(days=days))
        yield archived, MemoryStatus.EXPIRED, Reason.LONG_ARCHIVED


def _list_cubes(project: Project, due: Q) -> list[UUID]:
    with tenant_scope(project):
        mine = Memory.objects.within(MemCube.objects.within(project)).filter(due)
        return list(mine.order_by("cube_id").values_list("cube_id", flat=True).distinct()[:MOST])


def _move_batch(project: Project, cube_id: UUID, due: Q, status: MemoryStatus, reason: Reason) -> int:
    """Change a batch in one small transaction; a cube that is locked is left to the next round."""
    with tenant_scope(project):
        if not _is_free(cube_id):
            return 0
        mine = Memory.objects.within(cube_id).filter(due).defer("embedding", "words", "words_vector")
        batch: list[Memory] = list(mine.order_by("pk")[:BATCH])
        for memory in batch:
            change_memory(memory, actor=POLICY, reason=reason, status=status)
        if batch:
            announce_changed_memories(project.pk, str(status), [memory.pk for memory in batch])
        return len(batch)


def _is_free(cube_id: UUID) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [cube_id.int & 0x7FFF_FFFF_FFFF_FFFF])
        row = cursor.fetchone()
        return bool(row and row[0])
