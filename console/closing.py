"""Ends that span every app: a project, an account, with all that hangs on it."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone

from knowledgebase.models import KnowledgeBase
from knowledgebase.sweeps import take_over
from memories.intake.store import delete_all_of
from tenancy.audit import record
from tenancy.keys import forget_seen
from tenancy.models import Account, ApiKey, Project, User
from tenancy.scoping import tenant_scope


def delete_project(project: Project, actor: User) -> None:
    """Keys stop at once; memories, messages, tasks and logs go with the project. Nothing comes back."""
    with tenant_scope(project.account), transaction.atomic():
        record(project.account, actor, "project.deleted", project, detail={"name": project.name})
        _erase(project)


def delete_account(account: Account, actor: User) -> None:
    """Everything of an account but its audit log. Keys stop first, so that nothing comes while the rest goes.

    What breaks in the middle leaves an account without keys, which can be deleted again.
    """
    ApiKey.objects.filter(account=account, revoked_at=None).update(revoked_at=timezone.now())
    forget_seen()
    projects = list(account.projects.order_by("created_at"))
    for project in projects:
        with tenant_scope(account), transaction.atomic():
            _erase(project)
    with tenant_scope(account), transaction.atomic():
        detail = {"name": account.name, "projects": [str(project.pk) for project in projects]}
        record(account, actor, "account.deleted", account, detail=detail)
        for base in KnowledgeBase.objects.within(account).values_list("pk", "cube_id"):
            for holder in base:
                transaction.on_commit(partial(delete_all_of, account.pk, holder))
        account.delete()


def _erase(project: Project) -> None:
    account, key = project.account, project.pk
    # Whoever writes a row of the project from now on waits, and then finds it gone.
    Project.objects.select_for_update().filter(pk=key).first()
    project.delete()
    transaction.on_commit(forget_seen)
    transaction.on_commit(partial(delete_all_of, account.pk, key))
    # Files that came through it into shared bases are processed in another project's name.
    transaction.on_commit(partial(take_over, account))
