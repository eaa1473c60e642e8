"""Run failed tasks again, for operators and members."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.jobs import monitoring, outbox
from memories.models import Task
from memories.values import TaskState
from tenancy.audit.log import record_event
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project

# The error code of a task that a member gave up before it began.
CANCELLED = "cancelled"


@transaction.atomic
def run_again(tasks: QuerySet[Task]) -> int:
    """Puts failed and dead tasks of the query back into the queue, with their attempts forgotten; not those that a
    member cancelled, whose cost was given back."""
    over = tasks.select_for_update().filter(state__in=[TaskState.FAILED, TaskState.DEAD])
    over = over.exclude(error_code=CANCELLED)
    kinds = dict(over.values_list("pk", "kind"))
    tasks.filter(pk__in=kinds).update(
        state=TaskState.QUEUED,
        attempts=0,
        crashes=0,
        due_at=timezone.now(),
        announced_at=None,
        finished_at=None,
        error_code="",
        error_text="",
    )
    for key, kind in kinds.items():
        outbox.announce_on_commit(key, kind)
    return len(kinds)


def run_each_again(ids: Iterable[UUID]) -> int:
    """Run failed and dead tasks of any accounts again, for operators; each is an entry in its account's audit log.

    Returns how many ran again, without those that run already, were completed or were deleted with their project.
    """
    return sum(_run_one_again(failed) for failed in monitoring.find_failed_tasks(list(ids)))


def _run_one_again(failed: monitoring.FailedTask) -> int:
    account = Account.objects.filter(pk=failed.account).first()
    if account is None:
        return 0
    with tenant_scope(Scope(failed.account, failed.project)):
        tasks = _select_task(failed)
        before = tasks.values("kind", "state", "error_code", "attempts").first()
        count = run_again(tasks)
        if count:
            project = Project.objects.filter(pk=failed.project).first() if failed.project else None
            detail = {"before": before, "after": {"state": TaskState.QUEUED.value, "attempts": 0}}
            record_event(account, None, "task.run_again", Task(pk=failed.id), project=project, detail=detail)
    return count


def _select_task(failed: monitoring.FailedTask) -> QuerySet[Task]:
    of_whole = failed.project is None
    tasks = outbox.list_account_tasks(failed.subject) if of_whole else Task.objects.within(failed.project)
    selected: QuerySet[Task] = tasks.filter(pk=failed.id)
    return selected
