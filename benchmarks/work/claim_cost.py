"""What it costs to find the next task where one account has asked for very much, and when others have their turn.

    python -m benchmarks.work.claim_cost [--tasks 100000] [--claims 200]

The tasks have nothing to do and count as announced, so that the installation's own workers leave them alone. Claims are
made by this process: with one task of each of two accounts, with all tasks of one account and one of another, with all
of them waiting for the first of their end user, and with a due task of each of a thousand accounts.
"""

from __future__ import annotations

import argparse
import time
from typing import Any
from uuid import UUID, uuid4

from benchmarks.support.installation import installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, spread

PLACE_OF_THE_OTHER, RATIO = 2.0, 3.0
ACCOUNTS = 1_000

WRITE = """
INSERT INTO memories_task (id, account_id, project_id, kind, subject, payload, dedupe_key, state, attempts, crashes,
                           due_at, announced_at, worker, fence, result, error_code, error_text, created_at,
                           is_held_back)
SELECT gen_random_uuid(), %(account)s, %(project)s, 'refine', coalesce(%(subject)s::uuid, gen_random_uuid()), '{}',
       gen_random_uuid()::text, 'queued', 0, 0, now() - interval '1 hour' + number * interval '1 millisecond',
       now() + interval '1 day', '', 0, '{}', '', '', now() - interval '1 hour' + number * interval '1 millisecond',
       false
  FROM generate_series(1, %(count)s) AS number
"""


def run_measurement(tasks: int, claims: int) -> Report:
    report = Report("claim_cost", circumstances=machine() | {"tasks": tasks, "claims": claims})
    with installation():
        crowd, other = _account("crowd"), _account("other")
        _write(crowd, claims), _write(other, claims)
        few = _claim(claims)
        _clear()
        _write(crowd, tasks), _write(other, 1)
        many = _claim(claims)
        place = 1 + next(place for place, (_, account) in enumerate(many) if account == other[0])
        _clear()
        _write(crowd, tasks, uuid4()), _write(other, claims)
        waiting = _claim(claims)
        _clear()
        for number in range(ACCOUNTS):
            _write(_account(f"of-many-{number}"), 1)
        accounts = _claim(claims)
    rows = {
        f"{claims} tasks of each of two accounts": few,
        f"{tasks} tasks of one account, one of another": many,
        f"{tasks} of one end user, {claims} of another account": waiting,
        f"one of each of {ACCOUNTS} accounts": accounts,
    }
    times = {name: [took for took, _ in claimed] for name, claimed in rows.items()}
    report.tables = [
        Table("one claim", SPREAD_COLUMNS, [spread(name, values) for name, values in times.items()])
    ]
    medians = [sorted(values)[len(values) // 2] for values in times.values()]
    report.promises = [
        Promise("claims until the other account's only task", place, PLACE_OF_THE_OTHER),
        Promise("median with many tasks of one account over few", round(medians[1] / medians[0], 2), RATIO),
    ]
    return report


def _account(name: str) -> tuple[UUID, UUID]:
    from tenancy.models import Account, Project

    plan = Account.objects.values_list("plan_id", flat=True).first()
    account = Account.objects.create(name=name, plan_id=plan)
    project = Project(account=account, name=name)
    from tenancy.isolation.scoping import tenant_scope

    with tenant_scope(account):
        project.save()
    return account.pk, project.pk


def _write(owner: tuple[UUID, UUID], count: int, subject: UUID | None = None) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        values = {"account": owner[0], "project": owner[1], "count": count, "subject": subject}
        cursor.execute(WRITE, values)


def _claim(count: int) -> list[tuple[float, Any]]:
    """Milliseconds and account of each; a claimed task ends at once."""
    from django.db import connections

    from memories.jobs import outbox
    from memories.jobs.claims import AccountTurns, claim_next
    from memories.models import Task
    from memories.values import Queue, TaskState

    with connections["default"].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    turns, claimed = AccountTurns(), []
    for _ in range(count):
        began = time.perf_counter()
        task = claim_next(Queue.GENERAL, "bench:1:1", turns=turns)
        took = (time.perf_counter() - began) * 1000
        if task is None:
            break
        claimed.append((took, task.account_id))
        Task.every.using(outbox.SWEEP).filter(pk=task.pk).update(state=TaskState.COMPLETED)
    return claimed


def _clear() -> None:
    from memories.models import Task

    Task.every.all()._raw_delete("default")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--claims", type=int, default=200)
    asked = parser.parse_args()
    run_measurement(asked.tasks, asked.claims).publish()


if __name__ == "__main__":
    main()
