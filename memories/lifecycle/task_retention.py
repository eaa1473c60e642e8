"""Delete tasks that ended long ago.

A task that is open is never deleted, however old. Nor is one that failed and has something left to be done: a refund,
or a deletion that is taken up again.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from memories.jobs import outbox
from memories.models import Task
from memories.values import TaskKind, TaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project
from tenancy.runtime.batching import run_for_each_owner

COMPLETED_TASKS = timedelta(days=30)
# Operators run these again.
FAILED_TASKS = timedelta(days=90)
# So many in a transaction.
BATCH = 1_000


def clear_tasks() -> int:
    """One round over the accounts that have any. May be killed at any time: what is left is left to the next."""
    accounts = outbox.list_accounts_with(_build_expired_condition())
    return run_for_each_owner("clear_tasks", Account.objects.filter(pk__in=accounts), clear_tasks_of)


def clear_tasks_of(account: Account) -> int:
    """Returns how many of the account's tasks were deleted."""
    of_projects = Task.objects.within(Project.objects.filter(account=account))
    return sum(
        _clear_tasks(account, rows) for rows in (of_projects, outbox.list_tasks_without_project(account.pk))
    )


def _clear_tasks(account: Account, rows: QuerySet[Task]) -> int:
    cleared = 0
    while True:
        with tenant_scope(Scope(account.pk, None)):
            batch = list(rows.filter(_build_expired_condition()).values_list("pk", flat=True)[:BATCH])
            rows.filter(pk__in=batch).delete()
        cleared += len(batch)
        if len(batch) < BATCH:
            return cleared


def _build_expired_condition() -> Q:
    now = timezone.now()
    completed = Q(state=TaskState.COMPLETED, finished_at__lt=now - COMPLETED_TASKS)
    failed = Q(state__in=[TaskState.FAILED, TaskState.DEAD], finished_at__lt=now - FAILED_TASKS)
    is_over = Q(cost__isnull=True) & ~Q(kind__in=[TaskKind.PURGE, TaskKind.ERASE])
    return completed | (failed & is_over)
