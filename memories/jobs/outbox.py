"""The task row is outbox and job in one: it is written, announced, claimed and completed here.

The broker only wakes workers. A notification that is lost, doubled or late changes nothing: the worker claims a row
(`claims`), holds it by a lease, and may write its result only under the fence it claimed.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from threading import Event, Lock, Thread
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import DatabaseError, close_old_connections, connections, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from memories.engine.provider_choice import has_own_provider
from memories.models import Task
from memories.models.cube import MemCube
from memories.values import LONG_KINDS, MODEL_KINDS, Queue, TaskKind, TaskState, get_queue
from tenancy.isolation.scoping import Scope
from tenancy.metering.refunds import Cost
from tenancy.models import Project
from tenancy.projects.model_providers import find_provider

log = logging.getLogger(__name__)

WORK_TASK_NAME = "memories.work"
LEASE = timedelta(seconds=60)
RENEW_SECONDS = 15.0
# A refused publish costs 0.6-0.8 s even without retries: after this many the announcer rests.
ANNOUNCER_FAILURES, ANNOUNCER_REST = 3, 5.0
MOST_WAITING = 10_000
# Clocks differ a little: a notification before the due time would be ignored.
JUST_AFTER = 0.05

SWEEP = "sweep"
# Why the oldest task of each subject of an archived project waits; the others wait for it.
PROJECT_ARCHIVED = "project_archived"

# Of the open tasks of one subject only the oldest may run. {task} is the row that is asked about.
NOT_HELD_BACK = """
NOT EXISTS (SELECT 1 FROM memories_task earlier
             WHERE earlier.subject = {task}.subject AND earlier.id <> {task}.id
               AND earlier.state IN ('queued', 'running', 'waiting')
               AND (earlier.created_at, earlier.id) < ({task}.created_at, {task}.id))
"""


class LeaseLost(Exception):
    """Another worker owns the task now: everything this worker did with it must be rolled back."""


class InputsChanged(Exception):
    """Raised when the inputs of a task have changed meanwhile: nothing was written, and it starts again."""


class Unfinished(Exception):
    """The run has ended before the work: what is done is stored, and another run continues."""


class BrokerUnavailable(Exception):
    """The broker does not accept notifications at present."""


def write_task(
    cube: MemCube,
    kind: TaskKind,
    *,
    dedupe_key: str,
    payload: dict[str, Any],
    subject: UUID | None = None,
    through: UUID | None = None,
    cost: Cost | None = None,
    is_long: bool = False,
) -> Task:
    """Write the task of a cube in the caller's transaction; workers are notified when it commits.

    Tasks of one subject run in order. Work on a shared cube names the project that it came `through`. `cost` is
    refunded if the work fails permanently. What `is_long` may take many seconds, see `claims`.
    """
    return write_work(
        cube.account_id,
        project_id=cube.project_id or through,
        kind=kind,
        dedupe_key=dedupe_key,
        payload=payload,
        subject=subject or cube.pk,
        cost=cost,
        is_long=is_long,
    )


def write_work(
    account_id: UUID,
    *,
    project_id: UUID | None,
    kind: TaskKind,
    dedupe_key: str,
    payload: dict[str, Any],
    subject: UUID,
    due_at: datetime | None = None,
    cost: Cost | None = None,
    is_long: bool = False,
) -> Task:
    """Write a task for any subject, as `write_task` does for a cube. It may be due later, at `due_at`.

    It `is_long` also by its kind, and where it asks a model of the project's own.
    """
    task: Task = Task.objects.create(
        account_id=account_id,
        project_id=project_id,
        kind=kind,
        subject=subject,
        dedupe_key=dedupe_key,
        payload=payload,
        due_at=due_at or timezone.now(),
        cost=cost,
        is_long=is_long
        or kind in LONG_KINDS
        or (kind in MODEL_KINDS and has_own_provider(Scope(account_id, project_id))),
    )
    announce_on_commit(task.pk, kind, due_at)
    return task


def mark_long_tasks(project: Project) -> None:
    """Mark open tasks as long where the project has a model provider of its own now; inside its scope."""
    if find_provider(project) is not None:
        waiting = Task.objects.within(project).filter(state__in=[TaskState.QUEUED, TaskState.WAITING])
        waiting.filter(kind__in=MODEL_KINDS, is_long=False).update(is_long=True)


def announce_on_commit(task_id: UUID, kind: str, due_at: datetime | None = None) -> None:
    """Notify workers of the task after the commit, from a background thread: no request waits for the broker.

    For a task that is due later, workers are notified then, by this process or else by the sweeper.
    """
    transaction.on_commit(lambda: _announcer.notify(task_id, get_queue(kind), _get_seconds_until(due_at)))


def _get_seconds_until(due_at: datetime | None) -> float:
    return 0.0 if due_at is None else (due_at - timezone.now()).total_seconds()


def notify_workers(task_id: UUID | str, kind: str) -> None:
    """Notify workers of a committed task, from a background thread."""
    _announcer.notify(UUID(str(task_id)), get_queue(kind))


class Announcer:
    """Publishes task ids to the broker, from one thread in each process."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[UUID, Queue]] = deque(maxlen=MOST_WAITING)
        # Tasks that are due later, by the moment: the last word on each holds.
        self._later: dict[UUID, tuple[float, Queue]] = {}
        self._wake_up = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._failures = 0

    def notify(self, task_id: UUID, queue: Queue, seconds: float = 0.0) -> None:
        """Notify now, or after a delay in seconds. When the queue is full, the sweeper notifies instead."""
        with self._lock:
            self._later.pop(task_id, None)
            if seconds <= 0:
                self._waiting.append((task_id, queue))
            elif len(self._later) < MOST_WAITING:
                self._later[task_id] = time.monotonic() + seconds + JUST_AFTER, queue
        self._wake_up.set()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._announce_tasks, name="announcer", daemon=True)
                self._thread.start()

    def _announce_tasks(self) -> None:
        rest = Event()
        while True:
            self._wake_up.wait(self._compute_pause())
            self._wake_up.clear()
            while self._waiting:
                if not self._publish_task(*self._waiting.popleft()):
                    self._failures += 1
                    if self._failures >= ANNOUNCER_FAILURES:
                        rest.wait(ANNOUNCER_REST)
                else:
                    self._failures = 0

    def _compute_pause(self) -> float | None:
        """Move tasks that are due to those that wait; return the seconds until the next one is due."""
        with self._lock:
            now = time.monotonic()
            for task_id in [task_id for task_id, (due, _) in self._later.items() if due <= now]:
                self._waiting.append((task_id, self._later.pop(task_id)[1]))
            if self._waiting:
                return 0.0
            return min(due for due, _ in self._later.values()) - now if self._later else None

    @staticmethod
    def _publish_task(task_id: UUID, queue: Queue) -> bool:
        try:
            publish(task_id, queue)
        except BrokerUnavailable:
            # The row is safe: a sweeper notifies again, so losing this signal costs seconds, not messages.
            log.warning("announce_failed", extra={"task": str(task_id)})
            return False
        return True


_announcer = Announcer()


def publish(task_id: UUID, queue: Queue) -> None:
    """Notify a worker of the queue. Raises `BrokerUnavailable`."""
    try:
        current_app.send_task(
            WORK_TASK_NAME, args=[str(task_id)], queue=queue.value, retry=False, ignore_result=True
        )
    except _list_broker_faults() as error:
        raise BrokerUnavailable from error


@cache
def _list_broker_faults() -> tuple[type[Exception], ...]:
    """List the exceptions of kombu and of the broker's client that mean the broker is unavailable."""
    connection = current_app.connection_for_write()
    return (OperationalError, OSError, *connection.connection_errors, *connection.channel_errors)


@contextmanager
def lease(task: Task) -> Iterator[None]:
    """Renew the lease from a thread while the block runs."""
    done = Event()
    thread = Thread(target=_renew_lease, args=(task, done), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew_lease(task: Task, done: Event) -> None:
    while not done.wait(RENEW_SECONDS):
        close_old_connections()
        try:
            select_held_row(task).update(lease_until=timezone.now() + LEASE)
        except DatabaseError as error:
            # A lease lasts several renewals, so that one may fail: the database may be restarting.
            log.warning("lease_not_renewed", extra={"task": str(task.pk), "fault": type(error).__name__})
    connections[SWEEP].close()


def select_held_row(task: Task) -> Any:
    """Select the task's row while this worker's claim is valid; otherwise the query matches nothing."""
    return Task.every.using(SWEEP).filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)


def require_fence(task: Task) -> None:
    """Check under the subject's lock that the claim is still ours, before anything is written. Raises `LeaseLost`."""
    if not Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING).exists():
        raise LeaseLost(str(task.pk))


def store_result(task: Task, result: dict[str, Any]) -> None:
    """Store an intermediate result, in the transaction of the work done. Raises `LeaseLost`."""
    held = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)
    if not held.update(result=result):
        raise LeaseLost(str(task.pk))
    task.result = result


def store_payload(task: Task, payload: dict[str, Any]) -> None:
    """Store what is left to do, in the transaction of the work done. Raises `LeaseLost`."""
    held = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)
    if not held.update(payload=payload):
        raise LeaseLost(str(task.pk))


def complete(task: Task, result: dict[str, Any]) -> None:
    """Complete the task, in the transaction that writes its results. Raises `LeaseLost` when the claim is not ours."""
    changed = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING).update(
        state=TaskState.COMPLETED,
        result=result,
        lease_until=None,
        finished_at=timezone.now(),
        error_code="",
        error_text="",
    )
    if changed == 0:
        raise LeaseLost(str(task.pk))


def list_account_tasks(subject: UUID) -> QuerySet[Task]:
    """List the tasks on a subject that belongs to an account and to none of its projects."""
    rows: QuerySet[Task] = Task.every.filter(subject=subject, project=None)
    return rows


def list_tasks_without_project(account: UUID) -> QuerySet[Task]:
    """List the tasks of an account that belong to none of its projects."""
    rows: QuerySet[Task] = Task.every.filter(account=account, project=None)
    return rows


def list_accounts_with(wanted: Q) -> set[UUID]:
    """List the accounts that have tasks of this sort."""
    tasks = Task.every.using(SWEEP).filter(wanted)
    return set(tasks.values_list("account_id", flat=True).distinct())


def list_accounts_given_up(kind: TaskKind) -> set[UUID]:
    """List the accounts in which tasks of this kind failed permanently."""
    return list_accounts_with(Q(kind=kind, state__in=[TaskState.FAILED, TaskState.DEAD]))


def list_held_by(family: str) -> list[Task]:
    """List the running tasks of the workers whose names begin with `family`."""
    return list(Task.every.using(SWEEP).filter(worker__startswith=family, state=TaskState.RUNNING))


def end_lease(task: Task) -> None:
    """End the lease of a worker that is known to be dead, so that its crash counts at once."""
    select_held_row(task).update(lease_until=timezone.now() - timedelta(seconds=1))


def release_all(family: str) -> None:
    """Release the tasks of a stopped worker's children: a restart counts as neither an attempt nor a crash."""
    Task.every.using(SWEEP).filter(worker__startswith=family, state=TaskState.RUNNING).update(
        state=TaskState.WAITING,
        due_at=timezone.now(),
        announced_at=None,
        lease_until=None,
        attempts=F("attempts") - 1,
    )
