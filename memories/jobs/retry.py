"""Whether, when and how often a failed task is retried.

A worker that dies has no say in it: its lease ends, `sweeper` releases the task or gives it up after `MAX_CRASHES`.
"""

from __future__ import annotations

import logging
import random
import time
import traceback
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import close_old_connections
from django.db.models import F
from django.utils import timezone

from memories.engine.protocols import ProviderRefused, ProviderUnavailable
from memories.jobs import outbox
from memories.models import Task
from memories.values import TaskState
from tenancy.errors import CatalogueError
from tenancy.runtime.address_guard import TryLater

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
MAX_CRASHES = 3
# Seconds: the delay doubles with each attempt.
BACKOFF_BASE, BACKOFF_LIMIT = 2.0, 300.0
# Seconds between attempts while a provider is away.
OUTAGE_PAUSE = (5.0, 30.0)
# How long a failure is tried to be written down while the database restarts, before the lease must run out.
RETRY_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0)


def decide_after_failure(task: Task, fault: Exception) -> TaskState:
    """Writes down what comes of a claimed task whose handler raised this, and returns it."""
    match fault:
        case outbox.LeaseLost():
            log.warning("fence_lost", extra={"task": str(task.pk)})
            return TaskState.RUNNING
        case ProviderRefused():
            return fail_task(task, "provider_refused", str(fault))
        case ProviderUnavailable():
            return postpone_without_attempt(task, "provider_unavailable")
        case outbox.Unfinished() | outbox.InputsChanged():
            return continue_later(task)
        case TryLater():
            return postpone_task(task, "not_fetched")
        case CatalogueError() if fault.status >= 500:
            return postpone_task(task, str(fault.code))
        case CatalogueError():
            return fail_task(task, str(fault.code), fault.text)
        case DatabaseError():
            _log_fault(task, fault)
            return _postpone_with_retries(task, type(fault).__name__)
        case _:
            _log_fault(task, fault)
            return postpone_task(task, type(fault).__name__)


def _postpone_with_retries(task: Task, error_code: str) -> TaskState:
    for pause in RETRY_DELAYS:
        close_old_connections()
        try:
            return postpone_task(task, error_code)
        except DatabaseError:
            time.sleep(pause)
    return postpone_task(task, error_code)


def _log_fault(task: Task, fault: Exception) -> None:
    """Log where it broke, without the message: a database's words quote the row, and so the end user's."""
    frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(fault.__traceback__)]
    log.error("task_broke", extra={"task": str(task.pk), "fault": type(fault).__name__, "at": frames[-6:]})


def postpone_task(task: Task, error_code: str, *, delay: float | None = None) -> TaskState:
    """Postpone a task after a temporary failure, by `delay` in seconds; after the last attempt it is dead.

    Waits are exponential with full jitter (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
    """
    if task.attempts >= MAX_ATTEMPTS:
        return _end_task(task, TaskState.DEAD, error_code)
    if delay is None:
        delay = random.uniform(0, min(BACKOFF_LIMIT, BACKOFF_BASE * 2**task.attempts))  # noqa: S311
    due = timezone.now() + timedelta(seconds=delay)
    outbox.select_held_row(task).update(
        state=TaskState.WAITING, due_at=due, lease_until=None, announced_at=None, error_code=error_code
    )
    return TaskState.WAITING


def postpone_without_attempt(
    task: Task, error_code: str, pause: tuple[float, float] = OUTAGE_PAUSE
) -> TaskState:
    """Try again while a provider is away or the project archived: the attempt does not count, so that hours of it kill
    no task."""
    due = timezone.now() + timedelta(seconds=random.uniform(*pause))
    outbox.select_held_row(task).update(
        state=TaskState.WAITING,
        due_at=due,
        lease_until=None,
        announced_at=None,
        attempts=F("attempts") - 1,
        error_code=error_code,
    )
    return TaskState.WAITING


def continue_later(task: Task) -> TaskState:
    """Queue a task again whose work takes several runs; what is done is stored, and tasks of others come first."""
    outbox.select_held_row(task).update(
        state=TaskState.WAITING,
        due_at=timezone.now(),
        lease_until=None,
        announced_at=None,
        attempts=F("attempts") - 1,
        crashes=0,  # of work that gets on, those of one run count
    )
    outbox.notify_workers(task.pk, task.kind)
    return TaskState.WAITING


def fail_task(task: Task, error_code: str, error_text: str = "") -> TaskState:
    """End a task after a permanent failure."""
    return _end_task(task, TaskState.FAILED, error_code, error_text)


def _end_task(task: Task, state: TaskState, error_code: str, error_text: str = "") -> TaskState:
    """End the task, unless another worker has claimed it by now."""
    is_ended = outbox.select_held_row(task).update(
        state=state,
        lease_until=None,
        finished_at=timezone.now(),
        error_code=error_code,
        error_text=error_text[:300],
    )
    return state if is_ended else TaskState.RUNNING
