"""Deletes an account: an owner orders it; a worker takes its projects and what they share, batch by batch.

The worker may die at any line and run again: what is left is what is there.
"""

from __future__ import annotations

import time
from functools import partial

from django.db import transaction
from django.utils import timezone

from console.data.erasure.delete_rows import delete_batch, delete_remaining_rows
from knowledgebase.removal.removal import erase_batch_of_any_base
from memories.files.storage import delete_holder_files
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import Task
from memories.retrieval.cache.snapshots import drop_cached_in_processes
from memories.values import TaskKind
from tenancy.audit.log import record_event
from tenancy.billing.change_subscription import delete_customer
from tenancy.billing.stripe.customers import find_customer
from tenancy.billing.stripe.failures import PaymentUnderway
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, ApiKey, Project, User

# Celery ends runs of two minutes; others have their turn in between.
RUN_SECONDS = 25.0


def delete_account(account: Account, actor: User) -> None:
    """Delete the customer at Stripe, revoke all keys and end all memberships; a task deletes everything but the audit
    log. This cannot be undone.

    Other processes may accept the keys for `tenancy.keys.keys.CACHE_SECONDS` more. A second order does nothing. Raises
    like `delete_customer`, and `PaymentUnderway` while a plan is being bought; then nothing was changed.
    """
    customer = delete_customer(account)
    now = timezone.now()
    with tenant_scope(account):
        row = Account.objects.select_for_update(no_key=True).filter(pk=account.pk, deleting_at=None).first()
        if row is None:
            return
        current = find_customer(row)
        if current and (customer is None or current.customer_id != customer.customer_id):
            raise PaymentUnderway  # in another tab: a customer who was made meanwhile
        ApiKey.objects.filter(account=row, revoked_at=None).update(revoked_at=now)
        row.projects.filter(deleting_at=None).update(deleting_at=now)
        # Invitations first: who is accepting one is waited for, and then a member.
        row.invitations.all().delete()
        row.memberships.all().delete()
        row.deleting_at = now
        row.save(update_fields=["deleting_at"])
        projects = row.projects.order_by("created_at").values_list("pk", flat=True)
        detail = {"name": row.name, "projects": [str(project) for project in projects]}
        record_event(row, actor, "account.deleted", row, detail=detail)
        write_account_deletion_task(row)
        transaction.on_commit(clear_key_cache)


def write_account_deletion_task(account: Account) -> None:
    """The task, in the caller's transaction."""
    outbox.write_work(
        account.pk,
        project_id=None,
        kind=TaskKind.ERASE,
        dedupe_key=str(account.pk),
        payload={},
        subject=account.pk,
    )


def run_account_deletion(task: Task) -> None:
    """The task goes with the account. Raises `Unfinished` when it is to go on in the next run, `outbox.LeaseLost`."""
    until = time.monotonic() + RUN_SECONDS
    while _delete_some(task):
        if time.monotonic() > until:
            raise Unfinished


def _delete_some(task: Task) -> bool:
    """One transaction. Whether there may be more to delete."""
    with tenant_scope(Scope(task.account_id, None)):
        outbox.require_fence(task)
        account = Account.objects.get(pk=task.account_id)
        project = account.projects.order_by("created_at").first()
        if project is not None:
            _delete_some_of_project(project)
        elif not erase_batch_of_any_base(account.pk):
            account.delete()
            return False
        return True


def _delete_some_of_project(project: Project) -> None:
    """By the same steps as the project's own deletion, without a receipt: nobody will be there to read it."""
    if not delete_batch(project):
        delete_remaining_rows(project)
        transaction.on_commit(partial(drop_cached_in_processes, [project.pk]))
        transaction.on_commit(partial(delete_holder_files, project.account_id, project.pk))
