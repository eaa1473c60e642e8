"""The tasks that delete projects and accounts: which of both one does, and that none is given up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from console.data.erasure.delete_account import run_account_deletion, write_account_deletion_task
from console.data.erasure.delete_project import run_project_deletion, write_deletion_task
from memories.jobs import outbox
from memories.jobs.rerun_failed_tasks import run_again
from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project
from tenancy.models.deletion import ProjectDeletion

log = logging.getLogger(__name__)


def run_erase_task(task: Task) -> None:
    """An account's task has the account for its subject. Raises `Unfinished`, and `outbox.LeaseLost`."""
    if task.subject == task.account_id:
        run_account_deletion(task)
    else:
        run_project_deletion(task)


def continue_deletions() -> int:
    """By the clock: whatever became of its task, a deletion is never given up. Returns how many had to be revived.

    Only accounts are asked that are being deleted, or a project of them is, or whose task came to a bad end after that
    was gone.
    """
    going = Project.objects.exclude(deleting_at=None).values_list("account_id", flat=True)
    ending = Account.objects.exclude(deleting_at=None).values_list("pk", flat=True)
    asked = {*going, *ending, *outbox.list_accounts_given_up(TaskKind.ERASE)}
    return sum(_revive_deletions(account) for account in Account.objects.filter(pk__in=asked))


def _revive_deletions(account: Account) -> int:
    with tenant_scope(account):
        if account.deleting_at is not None:  # which takes its projects along
            count = _revive_task(account.pk, lambda: write_account_deletion_task(account))
        else:
            unfinished = ProjectDeletion.objects.within(account).filter(finished_at=None)
            count = sum(_revive_project_deletion(deletion) for deletion in unfinished)
    if count:
        log.warning("deletions_revived", extra={"count": count})
    return count


def _revive_project_deletion(deletion: ProjectDeletion) -> int:
    return _revive_task(deletion.pk, lambda: write_deletion_task(deletion))


def _revive_task(subject: UUID, write: Callable[[], None]) -> int:
    """1 where no task was at work, which runs again then, or is written anew."""
    tasks = outbox.list_account_tasks(subject)
    if tasks.filter(state__in=OPEN_STATES).exists():
        return 0
    if not run_again(tasks):
        write()
    return 1
