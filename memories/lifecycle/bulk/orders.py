"""Bulk jobs as members order, cancel and undo them.

What a job may touch is decided when it is ordered: the ids and versions that the member saw are written down with
it, in the same transaction. What arrives later matches the filter in vain, and what changes later is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid5

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from memories.jobs import outbox
from memories.models import BulkItem, BulkJob, Task
from memories.models.memory import MemoryQuerySet
from memories.values import BulkAction, BulkOutcome, BulkState, TaskKind, TaskState
from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.ids import build_uuid7_at, uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User

# So many memories in one job, and jobs of a project that are open at once.
MOST_ITEMS, MOST_OPEN = 100_000, 20
# The order of the tasks of one project's jobs: one of them runs at a time.
_JOBS = UUID("6d0a4a3e-58b5-4f0c-8a0e-9f0f2b1c7d52")
# In the audit log, by action.
ORDERED = {
    BulkAction.DELETE: "memories.deleted",
    BulkAction.ARCHIVE: "memories.archived",
    BulkAction.RESTORE: "memories.restored",
    BulkAction.FREEZE: "memories.frozen",
    BulkAction.UNFREEZE: "memories.unfrozen",
    BulkAction.TAG: "memories.tagged",
    BulkAction.UNTAG: "memories.untagged",
}
FREEZE_ITEMS = """
INSERT INTO memories_bulkitem (id, account_id, project_id, job_id, cube, memory, version, outcome)
SELECT gen_random_uuid(), %s, %s, %s, chosen.cube_id, chosen.id, chosen.version, ''
  FROM ({chosen}) AS chosen (id, cube_id, version)
"""


class BulkMode(StrEnum):
    DO = "do"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """`chosen` is a query of the project's memories; `cutoff` when the member saw what it names.

    `filter` is what the receipt says of the choice, as fields of an address; `tag` is for the actions that need one.
    """

    action: BulkAction
    chosen: MemoryQuerySet
    cutoff: datetime
    filter: dict[str, str] = field(default_factory=dict)
    tag: str = ""

    @property
    def memories(self) -> MemoryQuerySet:
        """The chosen memories, without those that were added or changed after the cutoff.

        Ids increase with time, whatever dates a memory was given.
        """
        seen: MemoryQuerySet = self.chosen.filter(
            pk__lt=build_uuid7_at(self.cutoff), updated_at__lte=self.cutoff
        )
        return seen


def start_job(project: Project, order: BulkOrder, actor: User) -> BulkJob:
    """Writes the job, what it may touch, and its task. Inside the project's scope.

    Raises `InvalidParameters` for too many memories, for none, and for too many jobs at once.
    """
    if open_jobs(project).count() >= MOST_OPEN:
        raise InvalidParameters(f"at most {MOST_OPEN} jobs at once")
    job: BulkJob = BulkJob.objects.create(
        account_id=project.account_id,
        project=project,
        action=order.action,
        filter=order.filter,
        tag=order.tag,
        cutoff=order.cutoff,
        actor=actor,
        total=0,
    )
    job.total = _freeze_items(job, order.memories)
    if not 0 < job.total <= MOST_ITEMS:
        raise InvalidParameters(f"1 to {MOST_ITEMS} memories")
    job.task = _write_task(project, job, BulkMode.DO)
    job.save(update_fields=["total", "task"])
    detail = {"job": str(job.pk), "count": job.total, "cutoff": order.cutoff.isoformat()}
    record_event(project.account, actor, ORDERED[order.action], project, project=project, detail=detail)
    return job


def cancel_job(project: Project, key: UUID, actor: User) -> bool:
    """Stops an open job before its next batch; what is done stays done. False where there is nothing to stop."""
    with tenant_scope(project):
        job = _lock_job(project, key)
        if job is None or job.state not in {BulkState.OPEN, BulkState.UNDOING}:
            return False
        job.state, job.finished_at = BulkState.CANCELLED, timezone.now()
        job.save(update_fields=["state", "finished_at"])
        detail = {"counts": job.counts}
        record_event(project.account, actor, "memories.job_cancelled", job, project=project, detail=detail)
    return True


def undo_job(project: Project, key: UUID, actor: User) -> bool:
    """Orders the way back for all that the job has done. False where it has none."""
    with tenant_scope(project):
        job = _lock_job(project, key)
        if job is None or not can_undo(job):
            return False
        job.state, job.task = BulkState.UNDOING, _write_task(project, job, BulkMode.UNDO)
        job.save(update_fields=["state", "task"])
        detail = {"counts": job.counts}
        record_event(project.account, actor, "memories.job_undone", job, project=project, detail=detail)
    return True


def can_undo(job: BulkJob) -> bool:
    is_over = job.state in {BulkState.COMPLETED, BulkState.CANCELLED}
    if not is_over or not job.counts.get(BulkOutcome.DONE):
        return False
    if job.action == BulkAction.DELETE:
        return job.restorable_until is not None and job.restorable_until > timezone.now()
    return True


def open_jobs(project: Project) -> QuerySet[BulkJob]:
    rows: QuerySet[BulkJob] = BulkJob.objects.within(project)
    return rows.filter(state__in=[BulkState.OPEN, BulkState.UNDOING])


def list_given_up(project: Project, jobs: Sequence[BulkJob]) -> set[UUID]:
    """The tasks of these jobs that failed for good: they can be retried on the page of tasks."""
    ended = Task.objects.within(project).filter(state__in=[TaskState.FAILED, TaskState.DEAD])
    return set(ended.filter(pk__in=[job.task for job in jobs]).values_list("pk", flat=True))


def _lock_job(project: Project, key: UUID) -> BulkJob | None:
    job: BulkJob | None = BulkJob.objects.within(project).select_for_update().filter(pk=key).first()
    return job


def _write_task(project: Project, job: BulkJob, mode: BulkMode) -> UUID:
    order = uuid5(_JOBS, str(project.pk))
    payload = {"job": str(job.pk), "mode": mode.value}
    cause = f"{mode} {uuid7()}"
    task = outbox.write_work(
        project.account_id,
        project_id=project.pk,
        kind=TaskKind.BULK,
        dedupe_key=cause,
        payload=payload,
        subject=order,
    )
    key: UUID = task.pk
    return key


def _freeze_items(job: BulkJob, memories: MemoryQuerySet) -> int:
    """One statement: what the query holds at this moment, and nothing else, is what the job may touch."""
    bounded = memories.order_by().values("pk", "cube_id", "version")[: MOST_ITEMS + 1]
    try:
        sql, params = bounded.query.sql_with_params()
    except EmptyResultSet:
        return 0
    values: list[Any] = [job.account_id, job.project_id, job.pk]
    with connection.cursor() as cursor:
        cursor.execute(FREEZE_ITEMS.format(chosen=sql), [*values, *params])
        return cursor.rowcount


def list_job_items(job: BulkJob | UUID) -> QuerySet[BulkItem]:
    rows: QuerySet[BulkItem] = BulkItem.objects.within(job)
    return rows
