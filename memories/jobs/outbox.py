"""The task row as outbox and job in one: written, announced, claimed, finished.

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

from memories.models import Task
from memories.models.cube import MemCube
from memories.values import Queue, TaskKind, TaskState, get_queue
from tenancy.metering.refunds import Cost

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
    """What a task has worked out fits no longer what is there: it begins anew, and nothing of it was written."""


class Unfinished(Exception):
    """The run is over, the work is not: what is done is kept."""


class BrokerUnavailable(Exception):
    """The broker does not accept notifications at present."""


def write_task(
    cube: MemCube,
    kind: TaskKind,
    dedupe_key: str,
    payload: dict[str, Any],
    subject: UUID | None = None,
    through: UUID | None = None,
    cost: Cost | None = None,
) -> Task:
    """The row, in the caller's transaction; announced when that commits. It waits for others of its subject.

    The work on a shared cube names the project that it came `through`. `cost` is refunded if the work fails for good.
    """
    project = cube.project_id or through
    return write_work(cube.account_id, project, kind, dedupe_key, payload, subject or cube.pk, cost=cost)


def write_work(
    account: UUID,
    project: UUID | None,
    kind: TaskKind,
    dedupe_key: str,
    payload: dict[str, Any],
    subject: UUID,
    due_at: datetime | None = None,
    cost: Cost | None = None,
) -> Task:
    """The same for work on something that is no cube, and for work that has time until then."""
    task: Task = Task.objects.create(
        account_id=account,
        project_id=project,
        kind=kind,
        subject=subject,
        dedupe_key=dedupe_key,
        payload=payload,
        due_at=due_at or timezone.now(),
        cost=cost,
    )
    announce_on_commit(task.pk, kind, due_at)
    return task


def announce_on_commit(task_id: UUID, kind: str, due_at: datetime | None = None) -> None:
    """Only sets a flag after commit: no request waits for the broker.

    For a task that is due later, workers are notified then, by this process or else by the sweeper.
    """
    transaction.on_commit(lambda: _announcer.notify(task_id, get_queue(kind), _get_seconds_until(due_at)))


def _get_seconds_until(due_at: datetime | None) -> float:
    return 0.0 if due_at is None else (due_at - timezone.now()).total_seconds()


def notify_workers(task_id: UUID | str, kind: str) -> None:
    """Notify workers of a committed task, from a background thread."""
    _announcer.notify(UUID(str(task_id)), get_queue(kind))


class Announcer:
    """One thread a process that publishes task ids to the broker."""

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
                self._thread = Thread(target=self._run, name="announcer", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        rest = Event()
        while True:
            self._wake_up.wait(self._pause())
            self._wake_up.clear()
            while self._waiting:
                if not self._publish(*self._waiting.popleft()):
                    self._failures += 1
                    if self._failures >= ANNOUNCER_FAILURES:
                        rest.wait(ANNOUNCER_REST)
                else:
                    self._failures = 0

    def _pause(self) -> float | None:
        """Seconds until the next task is due; those that are due already go to the others that wait."""
        with self._lock:
            now = time.monotonic()
            for task_id in [task_id for task_id, (due, _) in self._later.items() if due <= now]:
                self._waiting.append((task_id, self._later.pop(task_id)[1]))
            if self._waiting:
                return 0.0
            return min(due for due, _ in self._later.values()) - now if self._later else None

    @staticmethod
    def _publish(task_id: UUID, queue: Queue) -> bool:
        try:
            publish(task_id, queue)
        except BrokerUnavailable:
            # The row is safe: a sweeper notifies again, so losing this signal costs seconds, not messages.
            log.warning("announce_failed", extra={"task": str(task_id)})
            return False
        return True


_announcer = Announcer()


def publish(task_id: UUID, queue: Queue) -> None:
    """Wakes a worker of the queue. Raises `BrokerUnavailable`."""
    try:
        current_app.send_task(
            WORK_TASK_NAME, args=[str(task_id)], queue=queue.value, retry=False, ignore_result=True
        )
    except _list_broker_faults() as error:
        raise BrokerUnavailable from error


@cache
def _list_broker_faults() -> tuple[type[Exception], ...]:
    """What kombu raises itself, and what it lets through from the broker's own client."""
    connection = current_app.connection_for_write()
    return (OperationalError, OSError, *connection.connection_errors, *connection.channel_errors)


@contextmanager
def lease(task: Task) -> Iterator[None]:
    """Renews the lease from a thread while the work goes on."""
    done = Event()
    thread = Thread(target=_renew, args=(task, done), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(task: Task, done: Event) -> None:
    while not done.wait(RENEW_SECONDS):
        close_old_connections()
        try:
            select_held_row(task).update(lease_until=timezone.now() + LEASE)
        except DatabaseError as error:
            # A lease lasts several renewals, so that one may fail: the database may be restarting.
            log.warning("lease_not_renewed", extra={"task": str(task.pk), "fault": type(error).__name__})
    connections[SWEEP].close()


def select_held_row(task: Task) -> Any:
    """A query for the row, as long as this worker's claim holds: what it updates otherwise is nothing."""
    return Task.every.using(SWEEP).filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)


def require_fence(task: Task) -> None:
    """Asked under the subject's lock, before the writing begins. Raises `LeaseLost` when the claim is not ours."""
    if not Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING).exists():
        raise LeaseLost(str(task.pk))


def keep_result(task: Task, result: dict[str, Any]) -> None:
    """What is done so far, in the transaction of it. Raises `LeaseLost` when the claim is not ours."""
    held = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)
    if not held.update(result=result):
        raise LeaseLost(str(task.pk))
    task.result = result


def keep_payload(task: Task, payload: dict[str, Any]) -> None:
    """What is left to do, in the transaction of what is done. Raises `LeaseLost` when the claim is not ours."""
    held = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)
    if not held.update(payload=payload):
        raise LeaseLost(str(task.pk))


def complete(task: Task, result: dict[str, Any]) -> None:
    """The final write, in the transaction of the results. Raises `LeaseLost` when the claim is not ours."""
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
    """The tasks of what belongs to an account and to none of its projects."""
    rows: QuerySet[Task] = Task.every.filter(subject=subject, project=None)
    return rows


def list_tasks_without_project(account: UUID) -> QuerySet[Task]:
    """What an account asked for as a whole."""
    rows: QuerySet[Task] = Task.every.filter(account=account, project=None)
    return rows


def list_accounts_with(wanted: Q) -> set[UUID]:
    """Who has such tasks."""
    tasks = Task.every.using(SWEEP).filter(wanted)
    return set(tasks.values_list("account_id", flat=True).distinct())


def list_accounts_given_up(kind: TaskKind) -> set[UUID]:
    """Whose work of this kind came to a bad end."""
    return list_accounts_with(Q(kind=kind, state__in=[TaskState.FAILED, TaskState.DEAD]))


def list_held_by(family: str) -> list[Task]:
    """What the workers whose names begin so are at."""
    return list(Task.every.using(SWEEP).filter(worker__startswith=family, state=TaskState.RUNNING))


def end_lease(task: Task) -> None:
    """For a worker that is known to be dead: its crash is counted now, not when the lease would have run out."""
    select_held_row(task).update(lease_until=timezone.now() - timedelta(seconds=1))


def release_all(family: str) -> None:
    """Gives back what a stopped worker's children still hold: a restart is neither an attempt nor a crash."""
    Task.every.using(SWEEP).filter(worker__startswith=family, state=TaskState.RUNNING).update(
        state=TaskState.WAITING,
        due_at=timezone.now(),
        announced_at=None,
        lease_until=None,
        attempts=F("attempts") - 1,
    )
