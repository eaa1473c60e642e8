"""Deletes an account with all that hangs on it: its projects, and what they share."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone

from console.data.erasure.delete_rows import delete_batch, delete_remaining_rows
from knowledgebase.models import KnowledgeBase
from knowledgebase.removal.removal import erase_base
from memories.files.storage import delete_holder_files
from memories.retrieval.cache.snapshots import drop_cached_in_processes
from tenancy.audit.log import record_event
from tenancy.billing.change_subscription import delete_customer
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, ApiKey, Project, User


def delete_account(account: Account, actor: User) -> None:
    """Delete everything of an account but its audit log: the customer at Stripe first, then what is stored here.

    Raises like `delete_customer`; then nothing was changed. The keys are revoked before anything stored is deleted, and
    other processes may accept them for `tenancy.keys.keys.CACHE_SECONDS` more. What breaks in the middle leaves an
    account without keys, which can be deleted again.
    """
    delete_customer(account)
    ApiKey.objects.filter(account=account, revoked_at=None).update(revoked_at=timezone.now())
    clear_key_cache()
    projects = list(account.projects.order_by("created_at"))
    for project in projects:
        _erase(project)
    with tenant_scope(account):
        bases = list(KnowledgeBase.objects.within(account).select_related("cube"))
    for base in bases:
        erase_base(base)
    with tenant_scope(account), transaction.atomic():
        detail = {"name": account.name, "projects": [str(project.pk) for project in projects]}
        record_event(account, actor, "account.deleted", account, detail=detail)
        for base in bases:
            for holder in (base.pk, base.cube_id):
                transaction.on_commit(partial(delete_holder_files, account.pk, holder))
        account.delete()


def _erase(project: Project) -> None:
    """By the same steps as the worker's, without a receipt: nobody will be there to read it."""
    account = project.account
    is_more = True
    while is_more:
        with tenant_scope(account):
            is_more = bool(delete_batch(project))
            if not is_more:
                delete_remaining_rows(project)
    drop_cached_in_processes([project.pk])
    delete_holder_files(account.pk, project.pk)
