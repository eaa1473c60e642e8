"""A project's background tasks as members see them: search, one task, running failed ones again, cancelling.

All functions run inside the project's scope.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.cubes.access import select_reachable_memories
from memories.jobs import claims, outbox
from memories.jobs.refund_failed_tasks import refund_task
from memories.jobs.rerun_failed_tasks import CANCELLED, run_again
from memories.models import MemCube, Memory, Task
from memories.models.conversation import Intake
from memories.signals import task_changed
from memories.values import TaskKind, TaskState
from tenancy.ids import get_id_bounds_near
from tenancy.models import Project, RequestLog

# A status or kind has no index of its own: it is compared in so many tasks at most, the newest first.
WINDOW = 20_000
MOST_AGAIN = 1_000
# What may be given up before it begins: the messages stay, and the raw memory of them is found by searches.
CANCELLABLE = frozenset({TaskKind.REFINE, TaskKind.FEEDBACK})
STATUSES = {
    "queued": (TaskState.QUEUED, TaskState.WAITING),
    "running": (TaskState.RUNNING,),
    "completed": (TaskState.COMPLETED,),
    "failed": (TaskState.FAILED, TaskState.DEAD),
}
MOST_SUBJECTS = 100
MOST_MEMORIES = 50
# A request is logged at its end, at most so long after its task was written.
LOGGED_WITHIN = timedelta(seconds=60)
# A raw memory and its task are written in one transaction, within seconds even on a loaded machine.
WRITTEN_WITHIN = timedelta(minutes=5)
# In a busy project that many requests after the task are looked through.
MOST_LOGGED = 500


@dataclass(frozen=True, slots=True)
class TaskSearch:
    """Filters of a search for tasks; empty ones filter nothing. `subject` is the id of an end user, agent or
    conversation."""

    status: str = ""
    kind: str = ""
    subject: str = ""
    since: datetime | None = None


def search_tasks(project: Project, wanted: TaskSearch) -> QuerySet[Task]:
    """The project's tasks that match, without order."""
    tasks: QuerySet[Task] = Task.objects.within(project)
    if wanted.status:
        tasks = tasks.filter(state__in=STATUSES[wanted.status])
    if wanted.kind:
        tasks = tasks.filter(kind=wanted.kind)
    if wanted.subject:
        owned = MemCube.objects.within(project).filter(owner_id=wanted.subject)
        tasks = tasks.filter(subject__in=list(owned.values_list("pk", flat=True)[:MOST_SUBJECTS]))
    if wanted.since:
        tasks = tasks.filter(created_at__gte=wanted.since)
    return tasks


def find_window_end(project: Project, wanted: TaskSearch, before: datetime | None) -> datetime | None:
    """The time of the oldest task that is compared, counted from `before`; None where all of them are."""
    if not (wanted.status or wanted.kind or wanted.subject):
        return None
    tasks = search_tasks(project, TaskSearch(since=wanted.since))
    if before:
        tasks = tasks.filter(created_at__lte=before)
    times = tasks.order_by("-created_at").values_list("created_at", flat=True)
    return next(iter(times[WINDOW : WINDOW + 1]), None)


def list_failed(project: Project) -> list[UUID]:
    """The newest failed tasks of which all can run again at once, at most `MOST_AGAIN`."""
    wanted = TaskSearch(status="failed")
    tasks = search_tasks(project, wanted).exclude(error_code=CANCELLED)
    if end := find_window_end(project, wanted, None):
        tasks = tasks.filter(created_at__gte=end)
    return list(tasks.order_by("-created_at").values_list("pk", flat=True)[:MOST_AGAIN])


def run_tasks_again(project: Project, ids: Iterable[UUID]) -> int:
    """Returns how many of these had failed and are queued again; what was cancelled was refunded, and stays so."""
    failed = Task.objects.within(project).exclude(error_code=CANCELLED)
    return run_again(failed.filter(pk__in=list(ids)))


def can_retry(task: Task) -> bool:
    return task.state in STATUSES["failed"] and task.error_code != CANCELLED


def can_cancel(task: Task) -> bool:
    return task.kind in CANCELLABLE and task.state in STATUSES["queued"]


@transaction.atomic
def cancel_task(project: Project, task: Task) -> bool:
    """Ends a task that has not begun, as failed, and refunds it. False when a worker has it by now."""
    if not can_cancel(task):
        return False
    open_rows = Task.objects.within(project).filter(pk=task.pk, state__in=STATUSES["queued"])
    is_ended = open_rows.update(
        state=TaskState.FAILED,
        finished_at=timezone.now(),
        error_code=CANCELLED,
        error_text="",
        is_held_back=False,
    )
    if is_ended:
        transaction.on_commit(lambda: _refund_and_call_next(task))
    return bool(is_ended)


def _refund_and_call_next(task: Task) -> None:
    refund_task(task.pk)
    if following := claims.call_next(task):
        outbox.notify_workers(following, task.kind)
    fields = {"task_id": str(task.pk), "kind": task.kind, "status": TaskState.FAILED.value}
    task_changed.send_robust(None, project_id=str(task.project_id), **fields)


def load_task_cubes(project: Project, tasks: Iterable[Task]) -> dict[UUID, MemCube]:
    """The cubes that the tasks are about; a task about something else has none."""
    cubes: dict[UUID, MemCube] = MemCube.objects.within(project).in_bulk({task.subject for task in tasks})
    return cubes


def find_intake(project: Project, task: Task) -> Intake | None:
    """The messages that the task is to read, with their conversation."""
    key = _parse_uuid(task.payload.get("intake"))
    intakes = Intake.objects.within(project).select_related("conversation")
    intake: Intake | None = intakes.filter(pk=key).first() if key else None
    return intake


def list_memories(project: Project, task: Task) -> list[Memory]:
    """The memories that the task's result names and that are still there."""
    keys = list(dict.fromkeys(_iterate_uuids_in(task.result)))[:MOST_MEMORIES]
    memories = select_reachable_memories(project).filter(pk__in=keys) if keys else []
    return list(memories)


def find_memory_refined_from(project: Project, raw: UUID) -> Memory | None:
    """The first memory still there of those that replaced a raw memory, which is deleted when it is refined."""
    if raw.version != 7:
        return None
    task = (
        Task.objects.within(project)
        .filter(pk__range=get_id_bounds_near(raw, WRITTEN_WITHIN))
        .filter(kind=TaskKind.REFINE, payload__rough=str(raw))
        .first()
    )
    keys = [UUID(key) for name in ("added", "merged") for key in task.result.get(name, [])] if task else []
    still = select_reachable_memories(project).select_related("cube", "superseded_by").in_bulk(keys)
    return next((still[key] for key in keys if key in still), None)


def find_request(project: Project, task: Task) -> RequestLog | None:
    """The request that asked for the task, if it is still in the log."""
    until = task.created_at + LOGGED_WITHIN
    entries = RequestLog.objects.within(project).filter(
        created_at__gte=task.created_at, created_at__lte=until
    )
    newest = list(entries.order_by("created_at").values_list("pk", flat=True)[:MOST_LOGGED])
    light = RequestLog.objects.within(project).defer("request_body", "response_body", "trace")
    of_task = light.filter(pk__in=newest, created_at__gte=task.created_at, created_at__lte=until, code=0)
    entry: RequestLog | None = of_task.filter(response_body__contains=str(task.pk)).first()
    return entry


def _iterate_uuids_in(value: Any) -> Iterable[UUID]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _iterate_uuids_in(item)
    elif key := _parse_uuid(value):
        yield key


def _parse_uuid(value: Any) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
