"""Sweeper: notifies again of due tasks and releases those of dead workers.

Reads the task table only, through the sweeper's own database role. What the end of a file's task changes on the file
is written in the scope of its tenant.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

from memories.jobs import claims, outbox
from memories.jobs.registry import give_up, list_kinds_with_give_up
from memories.jobs.retry import MAX_CRASHES
from memories.models import Task
from memories.values import Queue, get_queue
from tenancy.isolation.scoping import Scope

log = logging.getLogger(__name__)

BATCH = 500
ANNOUNCE_AGAIN = timedelta(seconds=30)
# Work that waits this long is reported, never given up: what was acknowledged is done however late.
OVERDUE_ALERT = timedelta(hours=72)
ALERT_EVERY = timedelta(hours=1)
# Any two-key number will do as long as nobody else of this database uses it.
LEADER_LOCK = 7_203_001

# Tasks that the round is going to end, as the next statement does, of kinds whose handlers want to know.
DYING = """
SELECT id, kind, account_id, project_id, subject FROM memories_task
 WHERE kind = ANY(%(kinds)s) AND state = 'running' AND lease_until < now() AND crashes + 1 >= %(crashes)s
"""
# One that has come to this since then is left to the next round, which tells its handler first.
RELEASE = """
UPDATE memories_task SET state = CASE WHEN crashes + 1 >= %(crashes)s THEN 'dead' ELSE 'waiting' END,
       crashes = crashes + 1, due_at = now(), announced_at = NULL, lease_until = NULL,
       error_code = 'worker_lost',
       finished_at = CASE WHEN crashes + 1 >= %(crashes)s THEN now() ELSE NULL END
 WHERE state = 'running' AND lease_until < now()
   AND (crashes + 1 < %(crashes)s OR kind <> ALL(%(kinds)s) OR id = ANY(%(given_up)s))
"""
# The first two seconds are left to the notification that follows the commit.
DUE = f"""
UPDATE memories_task SET announced_at = now(), is_held_back = false WHERE id IN (
    SELECT due.id FROM memories_task due
     WHERE state IN ('queued', 'waiting') AND due_at <= now()
       AND created_at < now() - interval '2 seconds'
       AND (announced_at IS NULL OR announced_at < now() - make_interval(secs => %(again)s))
       AND {outbox.NOT_HELD_BACK.format(task="due")}
       AND ({claims.IN_QUEUE[Queue.GENERAL]} OR {claims.NOT_BUSY.format(task="due")})
     ORDER BY due_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
RETURNING id, kind
"""  # noqa: S608
# What an archived project's work waits for is the project, and what waits for an earlier task waits for that one.
OLDEST_WORK = f"""
SELECT count(*), extract(epoch FROM now() - min(due_at)) FROM memories_task due
 WHERE state IN ('queued', 'waiting') AND due_at < now() - make_interval(secs => %s)
   AND error_code <> '{outbox.PROJECT_ARCHIVED}'
   AND {outbox.NOT_HELD_BACK.format(task="due")}
"""  # noqa: S608
OVERDUE = f"""
SELECT EXISTS (SELECT 1 FROM memories_task due
                WHERE state IN ('queued', 'waiting') AND due_at < now() - make_interval(secs => %s)
                  AND {{in_queue}} AND {outbox.NOT_HELD_BACK.format(task="due")})
   AND NOT EXISTS (SELECT 1 FROM memories_task WHERE state = 'running' AND lease_until > now() AND {{in_queue}})
"""  # noqa: S608


def sweep_tasks(*, notifies: bool = True) -> int:
    """Do one round, as the only leader. Returns how many tasks were notified again; 0 while the broker is down."""
    with transaction.atomic(using=outbox.SWEEP), connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LEADER_LOCK])
        row = cursor.fetchone()
        if row is None or not row[0]:
            return 0
        _end_dying(cursor)
        if not notifies:
            return 0
        cursor.execute(DUE, {"again": ANNOUNCE_AGAIN.total_seconds(), "batch": BATCH})
        due: list[tuple[UUID, str]] = cursor.fetchall()
    return _notify_workers(due)


def _end_dying(cursor: CursorWrapper) -> None:
    """Call handlers before their tasks end, and before those are locked: a round that breaks off in between is made up
    for."""
    limits: dict[str, Any] = {
        "crashes": MAX_CRASHES,
        "kinds": list_kinds_with_give_up(),
    }
    cursor.execute(DYING, limits)
    dying = cursor.fetchall()
    for _, kind, account, project, subject in dying:
        give_up(kind, Scope(account, project), subject)
    ending = {**limits, "given_up": [task_id for task_id, *_ in dying]}
    cursor.execute(RELEASE, ending)


def _notify_workers(due: list[tuple[UUID, str]]) -> int:
    for notified, (task_id, kind) in enumerate(due):
        try:
            outbox.publish(task_id, get_queue(kind))
        except outbox.BrokerUnavailable:
            log.warning("sweep_could_not_notify", extra={"left": len(due) - notified})
            # Not announced: the next round notifies again.
            Task.every.using(outbox.SWEEP).filter(pk__in=[left for left, _ in due[notified:]]).update(
                announced_at=None
            )
            return notified
    return len(due)


def has_overdue(seconds: int, queue: Queue) -> bool:
    """Return whether a task that nothing holds back has been due for this long, and nobody works for its queue."""
    with connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute(OVERDUE.format(in_queue=claims.IN_QUEUE[queue]), [seconds])
        row = cursor.fetchone()
        return bool(row and row[0])


def report_overdue() -> int:
    """Log an alert for tasks that have been due for more than 72 hours. Returns how many there are."""
    with connections[outbox.SWEEP].cursor() as cursor:
        cursor.execute(OLDEST_WORK, [OVERDUE_ALERT.total_seconds()])
        count, seconds = cursor.fetchone() or (0, None)
    if count:
        log.error("tasks_overdue", extra={"count": count, "oldest_hours": round(float(seconds or 0) / 3600)})
    return int(count)
