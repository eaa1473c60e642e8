"""Ends that span every app: a project, an account, with all that hangs on it."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone

from console.data.erasure.delete_project import ask_for_erasure
from console.data.erasure.delete_rows import holdings, take_batch, take_rest
from knowledgebase.models import KnowledgeBase
from memories.files.storage import delete_all_of
from memories.models import CubeGrant
from tenancy.audit.log import record_event
from tenancy.billing.change import delete_customer
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, ApiKey, Membership, Project, User
from tenancy.models.deletion import ProjectDeletion


def delete_project(project: Project, actor: User) -> ProjectDeletion:
    """Its keys stop and nobody opens it any more, at once; what it holds goes by a task. This cannot be undone.

    Raises `NotFound` when that was ordered before.
    """
    with tenant_scope(project.account):
        # Before the row is held: calls that still come in would wait for it.
        expected = holdings(project)
        found = Project.objects.here().select_for_update(no_key=True).filter(pk=project.pk).first()
        if found is None:
            raise NotFound("the project is being deleted")
        deletion = _receipt(found, actor, expected)
        _close(found)
        detail = {"name": project.name, "receipt": str(deletion.pk)}
        record_event(project.account, actor, "project.deleted", project, detail=detail)
        ask_for_erasure(deletion)
        transaction.on_commit(clear_key_cache)
    return deletion


def bases_that_stay(project: Project) -> list[str]:
    """The names of the knowledge bases that it may search: they are the account's. Inside the account's scope."""
    cubes = CubeGrant.objects.within(project).values("cube")
    bases = KnowledgeBase.objects.within(project.account_id).filter(cube__in=cubes, deleted_at=None)
    return list(bases.order_by("name", "pk").values_list("name", flat=True))


def _receipt(project: Project, actor: User, expected: dict[str, int]) -> ProjectDeletion:
    deletion: ProjectDeletion = ProjectDeletion.objects.create(
        account_id=project.account_id,
        project=project,
        name=project.name,
        actor=actor,
        expected=expected,
        kept=bases_that_stay(project),
    )
    return deletion


def _close(project: Project) -> None:
    now = timezone.now()
    project.api_keys.filter(revoked_at=None).update(revoked_at=now)
    Membership.objects.filter(current_project=project).update(current_project=None)
    CubeGrant.objects.within(project).delete()
    Project.objects.filter(pk=project.pk).update(deleting_at=now)


def delete_account(account: Account, actor: User) -> None:
    """Everything of an account but its audit log. Keys stop first, so that nothing comes while the rest goes.

    What breaks in the middle leaves an account without keys, which can be deleted again.
    """
    delete_customer(account)
    ApiKey.objects.filter(account=account, revoked_at=None).update(revoked_at=timezone.now())
    clear_key_cache()
    projects = list(account.projects.order_by("created_at"))
    for project in projects:
        _erase(project)
    with tenant_scope(account), transaction.atomic():
        detail = {"name": account.name, "projects": [str(project.pk) for project in projects]}
        record_event(account, actor, "account.deleted", account, detail=detail)
        for base in KnowledgeBase.objects.within(account).values_list("pk", "cube_id"):
            for holder in base:
                transaction.on_commit(partial(delete_all_of, account.pk, holder))
        account.delete()


def _erase(project: Project) -> None:
    """By the same steps as the worker's, without a receipt: nobody will be there to read it."""
    account = project.account
    is_more = True
    while is_more:
        with tenant_scope(account):
            is_more = bool(take_batch(project))
            if not is_more:
                take_rest(project)
    delete_all_of(account.pk, project.pk)
