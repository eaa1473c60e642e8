"""Claim the next task: accounts take turns, and those with the fewest running tasks come first.

A notification says that there is work for a queue, not which: its receiver claims the task whose turn it is, by one
conditional UPDATE, so that a thousand tasks of one account are no queue for the others. Of the tasks of `FILES`, which
fetch and parse what strangers sent, an account has one running at a time; of long ones, `LONG_TASKS_PER_ACCOUNT`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Q
from django.utils import timezone

from memories.jobs.outbox import LEASE, NOT_HELD_BACK, SWEEP, notify_workers
from memories.jobs.retry import MAX_CRASHES
from memories.models import Task
from memories.values import FILE_KINDS, Queue, TaskKind, TaskState, get_queue

# Accounts that one claim looks at; the next goes on behind them.
MOST_ACCOUNTS = 200
# Tasks of an account that one statement looks at, and statements for it: what is found to wait is noted, once each.
HEAD, HEADS = 50, 4
FIRST = UUID(int=0)
# Any number will do as long as nobody else of this database uses it with two keys.
ACCOUNT_LOCK = 7_203_002

# In the very words of the partial indexes `task_next` and `task_next_file`.
IN_QUEUE = {
    Queue.GENERAL: f"kind NOT IN ('{TaskKind.ATTACHMENT.value}', '{TaskKind.FILE.value}')",
    Queue.FILES: f"kind IN ('{TaskKind.ATTACHMENT.value}', '{TaskKind.FILE.value}')",
}
OPEN = {
    queue: f"state IN ('queued', 'waiting') AND NOT is_held_back AND {those}"
    for queue, those in IN_QUEUE.items()
}

# Round all accounts that have open tasks, from the one behind `after` on: one probe of the index for each.
ACCOUNTS = """
WITH RECURSIVE walk AS (
    SELECT 0 AS place, 0 AS lap, %(after)s::uuid AS account_id, NULL::timestamptz AS due_at
    UNION ALL
    SELECT walk.place + 1, following.lap, following.account_id, following.due_at
      FROM walk CROSS JOIN LATERAL (
           (SELECT walk.lap, account_id, due_at FROM memories_task
             WHERE {open} AND account_id > walk.account_id ORDER BY account_id, due_at LIMIT 1)
           UNION ALL
           (SELECT 1, account_id, due_at FROM memories_task
             WHERE {open} AND walk.lap = 0 ORDER BY account_id, due_at LIMIT 1)
           LIMIT 1) AS following
     WHERE walk.place < %(most)s AND (following.lap = 0 OR following.account_id <= %(after)s)
), busy AS (
    SELECT account_id, count(*) AS running FROM memories_task
     WHERE state = 'running' AND lease_until > now() AND {in_queue} GROUP BY account_id
)
SELECT walk.account_id, walk.due_at <= now(), coalesce(busy.running, 0)
  FROM walk LEFT JOIN busy ON busy.account_id = walk.account_id WHERE walk.place > 0 ORDER BY walk.place
"""

TAKE = """
UPDATE memories_task SET state = 'running', attempts = attempts + 1, fence = fence + 1, worker = %(worker)s,
       started_at = now(), crashes = crashes + CASE WHEN state = 'running' THEN 1 ELSE 0 END, is_held_back = false,
       lease_until = now() + make_interval(secs => %(lease)s)
"""
NOT_BUSY = f"""
NOT EXISTS (SELECT 1 FROM memories_task other
             WHERE other.state = 'running' AND other.lease_until > now() AND other.account_id = {{task}}.account_id
               AND other.id <> {{task}}.id AND other.{IN_QUEUE[Queue.FILES]})
"""  # noqa: S608  # no word of it comes from outside
# What is long may take its time, but not all workers at once.
NOT_TOO_LONG = f"""
(NOT {{task}}.is_long OR (SELECT count(*) FROM memories_task other
                         WHERE other.state = 'running' AND other.lease_until > now() AND other.is_long
                           AND other.account_id = {{task}}.account_id AND other.id <> {{task}}.id
                           AND other.{IN_QUEUE[Queue.GENERAL]}) < %(long)s)
"""  # noqa: S608
ALLOWED = {Queue.GENERAL: NOT_TOO_LONG, Queue.FILES: NOT_BUSY}
# The oldest of the account that waits for no other of its subject. Those that do are noted, so that no claim looks at
# them again until they are called. A claim waits for no row that another transaction has changed: it holds some itself,
# and the other may want those.
OLDEST = f"""
WITH head AS MATERIALIZED (
    SELECT due.id, due.due_at, NOT {NOT_HELD_BACK.format(task="due")} AS waits FROM memories_task due
     WHERE {{open}} AND account_id = %(account)s AND due_at <= now() ORDER BY due_at LIMIT %(head)s
), noted AS (
    UPDATE memories_task SET is_held_back = true WHERE id IN (
        SELECT task.id FROM memories_task task JOIN head ON head.id = task.id
         WHERE head.waits AND task.state IN ('queued', 'waiting') FOR UPDATE OF task SKIP LOCKED)
), picked AS (
    SELECT task.id FROM memories_task task JOIN head ON head.id = task.id
     WHERE NOT head.waits AND task.state IN ('queued', 'waiting') AND task.due_at <= now() AND {{allowed}}
     ORDER BY head.due_at LIMIT 1 FOR UPDATE OF task SKIP LOCKED
), taken AS (
    {TAKE} WHERE id = (SELECT id FROM picked) RETURNING id, fence
)
SELECT (SELECT count(*) FROM head WHERE waits), taken.id, taken.fence FROM (SELECT) AS one LEFT JOIN taken ON true
"""  # noqa: S608
# The worker that takes over an expired lease counts the crash; after the last one the task is left to the sweeper,
# which marks it dead: a task that kills its worker must not kill this one too.
THIS_ONE = f"""
{TAKE} WHERE id = %(task)s
   AND ((state IN ('queued', 'waiting') AND due_at <= now())
        OR (state = 'running' AND lease_until < now() AND crashes + 1 < %(crashes)s))
   AND {NOT_HELD_BACK.format(task="memories_task")}
   AND {{allowed}}
RETURNING id, fence
"""  # noqa: S608


@dataclass(slots=True)
class AccountTurns:
    """The account that this process served last, by queue: accounts take turns."""

    last: dict[Queue, UUID] = field(default_factory=dict)


_turns = AccountTurns()


def claim_next(
    queue: Queue, worker: str, otherwise: UUID | str | None = None, turns: AccountTurns = _turns
) -> Task | None:
    """The task whose turn it is, now ours until the lease ends; None when there is nothing to do.

    `otherwise` is the task to take where no account has its turn.
    """
    for account in _list_accounts(queue, turns):
        task = claim_oldest(account, queue, worker)
        if task is not None:
            turns.last[queue] = account
            return task
    return None if otherwise is None else claim_task(otherwise, worker, queue)


def _list_accounts(queue: Queue, turns: AccountTurns) -> list[UUID]:
    """List the accounts with due work, in the order of their turns."""
    after = turns.last.get(queue, FIRST)
    with connections[SWEEP].cursor() as cursor:
        statement = ACCOUNTS.format(open=OPEN[queue], in_queue=IN_QUEUE[queue])
        cursor.execute(statement, {"after": after, "most": MOST_ACCOUNTS})
        seen = cursor.fetchall()
    if seen:
        turns.last[queue] = seen[-1][0] if len(seen) == MOST_ACCOUNTS else after
    due = [(running, account) for account, is_due, running in seen if is_due]
    if queue == Queue.FILES:
        due = [(running, account) for running, account in due if not running]
    return [account for _, account in sorted(due, key=lambda pair: pair[0])]


def claim_oldest(account: UUID, queue: Queue, worker: str) -> Task | None:
    """The account's oldest due task, now ours until the lease ends; None where none may be claimed."""
    values: dict[str, Any] = {
        "worker": worker,
        "lease": LEASE.total_seconds(),
        "account": account,
        "head": HEAD,
        "long": settings.LONG_TASKS_PER_ACCOUNT,
    }
    statement = OLDEST.format(open=OPEN[queue], allowed=ALLOWED[queue].format(task="task"))
    for _ in range(HEADS):
        with transaction.atomic(using=SWEEP), connections[SWEEP].cursor() as cursor:
            if not _has_lock(cursor, account, queue):
                return None
            cursor.execute(statement, values)
            waits, task_id, fence = cursor.fetchone() or (0, None, None)
        if task_id is not None and fence is not None:
            return _load_claimed(task_id, fence)
        if not waits:
            return None
    return None


def claim_task(task_id: UUID | str, worker: str, queue: Queue | None = None) -> Task | None:
    """Claim a task until the lease ends; None when it is done, not due, or claimed by another worker."""
    place = Task.every.using(SWEEP).filter(pk=task_id).values_list("kind", "account_id").first()
    if place is None or queue not in {None, get_queue(place[0])}:
        return None
    kind, account = place
    values: dict[str, Any] = {
        "worker": worker,
        "lease": LEASE.total_seconds(),
        "task": str(task_id),
        "crashes": MAX_CRASHES,
        "long": settings.LONG_TASKS_PER_ACCOUNT,
    }
    statement = THIS_ONE.format(allowed=ALLOWED[get_queue(kind)].format(task="memories_task"))
    with transaction.atomic(using=SWEEP), connections[SWEEP].cursor() as cursor:
        if not _has_lock(cursor, account, get_queue(kind)):
            return None
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return _load_claimed(*row) if row else None


def _has_lock(cursor: CursorWrapper, account: UUID, queue: Queue) -> bool:
    """Two that claim at once would else both find that nothing of the account runs. Until the transaction ends.

    A refused file is called when the one at work ends. General tasks have no such order: claims of an account wait for
    each other, which is some milliseconds, and hold nothing that another claim waits for.
    """
    subject = (ACCOUNT_LOCK, f"{queue.value} {account}")
    if queue == Queue.GENERAL:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", subject)
        return True
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))", subject)
    return bool((cursor.fetchone() or (False,))[0])


def _load_claimed(task_id: UUID, fence: int) -> Task:
    task: Task = Task.every.using(SWEEP).get(pk=task_id)
    # The fence of this claim, not of a worker that took the task over between the two statements.
    task.fence = fence
    return task


def call_next(task: Task) -> UUID | None:
    """The task that waited for this one, if it is due: of its subject, else of those that shared a place with it.

    Where both wait, other workers are notified of the second.
    """
    due: Any = Task.every.using(SWEEP).filter(
        state__in=[TaskState.QUEUED, TaskState.WAITING], due_at__lte=timezone.now()
    )
    of_subject: UUID | None = (
        due.filter(subject=task.subject).order_by("created_at", "id").values_list("pk", flat=True).first()
    )
    of_place = _find_next_in_place(task, due)
    if of_subject is None:
        return of_place
    Task.every.using(SWEEP).filter(pk=of_subject).update(is_held_back=False)
    if of_place is not None and of_place != of_subject:
        notify_workers(of_place, task.kind)
    return of_subject


def _find_next_in_place(task: Task, due: Any) -> UUID | None:
    """The account's oldest due task of those that had to wait while this one was running, for its sort alone."""
    if get_queue(task.kind) == Queue.FILES:
        sort = Q(kind__in=FILE_KINDS)
    elif task.is_long:
        sort = Q(is_long=True) & ~Q(kind__in=FILE_KINDS)
    else:
        return None
    waiting = due.filter(sort, account=task.account_id, is_held_back=False).order_by("due_at")
    following: UUID | None = waiting.values_list("pk", flat=True).first()
    return following
