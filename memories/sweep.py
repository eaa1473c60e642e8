"""What keeps tasks moving when a ring was lost, a worker died or the broker is away.

Reads the task table only, through the sweeper's own database role.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from django.db import connections, transaction
from kombu.exceptions import OperationalError

from memories import outbox
from memories.values import TaskState

log = logging.getLogger(__name__)

BATCH = 500
ANNOUNCE_AGAIN = timedelta(seconds=30)
TOO_OLD = timedelta(hours=72)
# Any two-key number will do as long as nobody else of this database uses it.
LEADER_LOCK = 7_203_001

RELEASE = """
UPDATE memories_task SET state = CASE WHEN crashes + 1 >= %(crashes)s THEN 'dead' ELSE 'waiting' END,
       crashes = crashes + 1, due_at = now(), announced_at = NULL, lease_until = NULL,
       error_code = 'worker_lost',
       finished_at = CASE WHEN crashes + 1 >= %(crashes)s THEN now() ELSE NULL END
 WHERE state = 'running' AND lease_until < now()
"""
BURY = """
UPDATE memories_task SET state = 'dead', finished_at = now(), error_code = 'too_old'
 WHERE state IN ('queued', 'waiting') AND created_at < now() - make_interval(secs => %(age)s)
"""
DUE = """
UPDATE memories_task SET announced_at = now() WHERE id IN (
    SELECT id FROM memories_task due
     WHERE state IN ('queued', 'waiting') AND due_at <= now()
       AND created_at < now() - interval '2 seconds'
       AND (announced_at IS NULL OR announced_at < now() - make_interval(secs => %(again)s))
       AND NOT EXISTS (SELECT 1 FROM memories_task earlier
                        WHERE earlier.subject = due.subject AND earlier.id <> due.id
                          AND earlier.state IN ('queued', 'running', 'waiting')
                          AND (earlier.created_at, earlier.id) < (due.created_at, due.id))
     ORDER BY due_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
RETURNING id
"""


def sweep() -> int:
    """One round, by one leader at a time. Returns how many tasks were rung again."""
    with transaction.atomic(using=outbox.SWEEP), connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LEADER_LOCK])
        row = cursor.fetchone()
        if row is None or not row[0]:
            return 0
        cursor.execute(RELEASE, {"crashes": outbox.MAX_CRASHES})
        cursor.execute(BURY, {"age": TOO_OLD.total_seconds()})
        cursor.execute(DUE, {"again": ANNOUNCE_AGAIN.total_seconds(), "batch": BATCH})
        due: list[UUID] = [found[0] for found in cursor.fetchall()]
    return _ring(due)


def _ring(due: list[UUID]) -> int:
    for rung, task_id in enumerate(due):
        try:
            outbox.publish(task_id)
        except (OperationalError, OSError):
            log.warning("sweep_could_not_ring", extra={"left": len(due) - rung})
            return rung
    return len(due)


def due_tasks(limit: int = 20) -> list[UUID]:
    """Tasks that could run now: for workers that look for themselves while the broker is away."""
    with connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute(
            "SELECT id FROM memories_task WHERE (state IN (%s, %s) AND due_at <= now())"
            " OR (state = %s AND lease_until < now()) ORDER BY created_at, id LIMIT %s",
            [TaskState.QUEUED, TaskState.WAITING, TaskState.RUNNING, limit],
        )
        return [row[0] for row in cursor.fetchall()]


def has_overdue(seconds: int) -> bool:
    """Whether a task that nothing holds back has been due for this long."""
    with connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM memories_task WHERE state IN ('queued', 'waiting')"
            " AND due_at < now() - make_interval(secs => %s)) AND NOT EXISTS (SELECT 1 FROM memories_task"
            " WHERE state = 'running' AND lease_until > now())",
            [seconds],
        )
        row = cursor.fetchone()
        return bool(row and row[0])
