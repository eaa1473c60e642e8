"""State of the tasks of all accounts, for operators: read by the sweeper's role, which sees tasks only.

Ids, kinds and codes only: the text of an error may quote what somebody sent, so it stays in the account's own pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.jobs import outbox
from memories.values import TaskState

# In the very words of the partial index `task_ended_badly`.
OVER = f"state IN ('{TaskState.FAILED.value}', '{TaskState.DEAD.value}')"

# What is due and not begun counts as waiting, whatever it waits for; `held` waits for an earlier one of its subject.
STANDING = """
SELECT kind, state, count(*), min(due_at) FILTER (WHERE state IN ('queued', 'waiting') AND due_at <= now()),
       count(*) FILTER (WHERE state IN ('queued', 'waiting') AND due_at <= now()),
       count(*) FILTER (WHERE state = 'running' AND lease_until < now())
  FROM memories_task WHERE state IN ('queued', 'running', 'waiting') GROUP BY kind, state ORDER BY kind, state
"""
ENDED_BADLY = f"""
SELECT kind, state, error_code, count(*), max(finished_at)
  FROM memories_task WHERE {OVER} AND finished_at > now() - interval '7 days'
 GROUP BY kind, state, error_code ORDER BY count(*) DESC, kind LIMIT 20
"""  # noqa: S608  # words of ours
WORKERS = """
SELECT worker, count(*), min(lease_until) FROM memories_task WHERE state = 'running' GROUP BY worker ORDER BY worker
"""
ENDED = f"""
SELECT id, account_id, project_id, kind, state, attempts, crashes, worker, error_code, created_at, finished_at
  FROM memories_task
 WHERE {OVER} AND finished_at IS NOT NULL AND (%s = '' OR kind = %s) AND (%s = '' OR error_code = %s)
   AND (%s::timestamptz IS NULL OR (finished_at, id) < (%s::timestamptz, %s::uuid))
 ORDER BY finished_at DESC, id DESC LIMIT %s
"""  # noqa: S608  # words of ours
FAILED = f"""
SELECT id, subject, account_id, project_id FROM memories_task
 WHERE id = ANY(%s) AND {OVER} ORDER BY finished_at, id
"""  # noqa: S608  # words of ours
FINISHED = (
    "SELECT count(*) FROM memories_task WHERE state = 'completed' AND finished_at > now() - interval '1 hour'"
)


@dataclass(frozen=True, slots=True)
class QueueLoad:
    """Open tasks of one kind in one state. `lost` are those whose worker stopped renewing its lease."""

    kind: str
    state: str
    count: int
    oldest_due_at: datetime | None
    due: int
    lost: int


@dataclass(frozen=True, slots=True)
class FailureCause:
    """A cause of failures, and how many there were in the last week."""

    kind: str
    state: str
    error_code: str
    count: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    tasks: int
    lease_until: datetime | None


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A task that ended badly, and whose it is; a task of a whole account has no project."""

    id: UUID
    subject: UUID
    account: UUID
    project: UUID | None


@dataclass(frozen=True, slots=True)
class EndedTask:
    id: UUID
    account: UUID
    project: UUID | None
    kind: str
    state: str
    attempts: int
    crashes: int
    worker: str
    error_code: str
    created_at: datetime
    finished_at: datetime


def list_queues() -> list[QueueLoad]:
    return [QueueLoad(*row) for row in _query_rows(STANDING)]


def list_failure_causes() -> list[FailureCause]:
    return [FailureCause(*row) for row in _query_rows(ENDED_BADLY)]


def list_busy_workers() -> list[Worker]:
    """List the workers that hold a task just now; idle ones are not known."""
    return [Worker(*row) for row in _query_rows(WORKERS)]


def count_finished_lately() -> int:
    ((count,),) = _query_rows(FINISHED)
    return int(count)


def list_ended_badly(after: tuple[datetime, UUID] | None, kind: str, code: str, most: int) -> list[EndedTask]:
    """Failed and dead tasks of every account, the last to end first; `after` is the end and key of the one before."""
    timestamp, key = after or (None, None)
    return [
        EndedTask(*row) for row in _query_rows(ENDED, kind, kind, code, code, timestamp, timestamp, key, most)
    ]


def find_failed_tasks(ids: list[UUID]) -> list[FailedTask]:
    """The tasks among these that ended badly."""
    return [FailedTask(*row) for row in _query_rows(FAILED, ids)]


def _query_rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall()
