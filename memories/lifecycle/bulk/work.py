"""The task of a bulk job: batch by batch, each one transaction with its outcomes.

It may be killed at any line and run twice: an item whose outcome is written is never taken up again, and a worker whose
claim is over writes nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from memories.consolidation.cube_locks import lock_cubes
from memories.consolidation.versions import MEMBER
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.lifecycle.bulk.actions import BulkBatch, Outcomes, do_batch, undo_batch
from memories.lifecycle.bulk.orders import BulkMode, list_job_items
from memories.lifecycle.bulk.receipts import note_erasure
from memories.models import BulkItem, BulkJob, Task
from memories.values import BulkOutcome, BulkState
from tenancy.audit.log import record_event
from tenancy.audit.request_context import WORKER as WORKER_KIND
from tenancy.audit.request_context import act_as
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

# Memories and cubes of one transaction: the database's table of locks is small.
BATCH, CUBES = 200, 20
# Then the work of others has its turn.
SECONDS = 5.0
# The items that a task takes up, and the state in which the job waits for it.
TAKEN_UP = {
    BulkMode.DO: (BulkOutcome.PENDING, BulkState.OPEN),
    BulkMode.UNDO: (BulkOutcome.DONE, BulkState.UNDOING),
}


def run_bulk_job(task: Task) -> None:
    """Does or undoes a job, or as much of it as one go may. Raises `Unfinished`, and `outbox.LeaseLost`."""
    scope = Scope(task.account_id, task.project_id)
    until = time.monotonic() + SECONDS
    while True:
        with tenant_scope(scope):
            if _go_on(task):
                return
        if time.monotonic() > until:
            raise Unfinished


def _go_on(task: Task) -> bool:
    """One batch; True when the task is over."""
    mode = BulkMode(task.payload["mode"])
    outcome, state = TAKEN_UP[mode]
    project = Project.objects.select_related("account").get(pk=task.own_project)
    waiting = list_job_items(UUID(task.payload["job"])).filter(outcome=outcome).order_by("cube", "memory")
    picked = list(waiting[:BATCH])
    cubes = sorted({item.cube for item in picked})[:CUBES]
    # Cubes first, as all writers do; then the job, on which a member who cancels it waits.
    lock_cubes(project, cubes)
    outbox.require_fence(task)
    job = BulkJob.objects.within(project).select_for_update().filter(pk=task.payload["job"]).first()
    if job is None or job.state != state:
        outbox.complete(task, task.result)
        return True
    items = [item for item in picked if item.cube in cubes]
    if items:
        _apply_action(project, job, items, mode)
        outbox.store_result(task, {"counts": job.counts})
        return False
    _finish_job(project, job, mode)
    outbox.complete(task, {"counts": job.counts})
    return True


def _apply_action(project: Project, job: BulkJob, items: Sequence[BulkItem], mode: BulkMode) -> None:
    actor = f"{MEMBER}:{job.actor_id}"
    batch = BulkBatch.load(project, job, items, actor)
    outcomes = do_batch(batch) if mode is BulkMode.DO else undo_batch(batch)
    _write_outcomes(job, items, outcomes)


def _write_outcomes(job: BulkJob, items: Sequence[BulkItem], outcomes: Outcomes) -> None:
    counts = Counter(job.counts)
    for item in items:
        if item.outcome:
            counts[item.outcome] -= 1
        counts[outcomes[item.memory].value] += 1
    for outcome in set(outcomes.values()):
        keys = [item.pk for item in items if outcomes[item.memory] == outcome]
        list_job_items(job).filter(pk__in=keys).update(outcome=outcome)
    job.counts = {name: count for name, count in counts.items() if count > 0}
    job.save(update_fields=["counts", "restorable_until"])


def _finish_job(project: Project, job: BulkJob, mode: BulkMode) -> None:
    now = timezone.now()
    if mode is BulkMode.UNDO:
        job.state, job.undone_at = BulkState.UNDONE, now
    else:
        job.state, job.finished_at = BulkState.COMPLETED, now
        note_erasure(project, job)
    job.save(update_fields=["state", "finished_at", "undone_at"])
    detail = {"action": job.action, "is_undo": mode is BulkMode.UNDO, "counts": job.counts}
    with act_as(WORKER_KIND):
        record_event(project.account, None, "memories.job_completed", job, project=project, detail=detail)
