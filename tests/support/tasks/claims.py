"""Claims of tasks in the database that all tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from django.db import OperationalError, connections, transaction

from memories.jobs import outbox
from memories.models import Task
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until

# Others who write tasks wait behind an attempt, for so long at most.
ATTEMPT_MILLISECONDS = 300


@contextmanager
def claiming_only(*owners: Tenant) -> Iterator[None]:
    """The tasks of these tenants may be claimed, of others none; in this transaction only, which is rolled back.

    Nobody else writes a task meanwhile: one that another test adds after the others were held back would have its turn.
    """
    mine = [owner.project.account_id for owner in owners]
    with transaction.atomic(using=outbox.SWEEP):
        wait_until(_lock_tasks)
        every = Task.every.using(outbox.SWEEP)
        every.exclude(account__in=mine).filter(is_held_back=False).update(is_held_back=True)
        every.filter(account__in=mine).update(is_held_back=False)
        yield
        transaction.set_rollback(True, using=outbox.SWEEP)


def _lock_tasks() -> bool:
    """Return whether this transaction alone may write tasks now; not while another one still has written some."""
    with suppress(OperationalError), transaction.atomic(using=outbox.SWEEP):
        with connections[outbox.SWEEP].cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {ATTEMPT_MILLISECONDS}")
            cursor.execute(f"LOCK TABLE {Task._meta.db_table} IN EXCLUSIVE MODE")
        return True
    return False


def run_at_once(process: Callable[[Task], object], claims: Sequence[Task]) -> list[str]:
    """Process the claims of one task by a worker each: "done", or "lost" where another one had taken the task."""

    def run(claim: Task) -> str:
        try:
            process(claim)
        except outbox.LeaseLost:
            return "lost"
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(len(claims)) as workers:
        return list(workers.map(run, claims))
