"""Operators as the tests play them, and what they find in an account's audit log."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from memories.models import Task
from memories.values import TaskState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, AuditEvent, Project, User
from tests.support.accounts.people import give_factor, new_person, sign_in

ALL = (
    "tenancy.view_account tenancy.change_account memories.view_task memories.change_task tenancy.view_requestlog "
    "tenancy.add_operatorvisit tenancy.view_operatorvisit"
).split()


def new_operator(*permissions: str, has_factor: bool = True) -> User:
    """With these permissions; without any of them named, with those of every page of operators."""
    user = new_person()
    if has_factor:
        give_factor(user)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    for name in permissions or ALL:
        app, _, codename = name.partition(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return user


def operator_client(*permissions: str) -> Client:
    return sign_in(new_operator(*permissions))


def superuser() -> User:
    user = new_operator()
    user.is_superuser = True
    user.save(update_fields=["is_superuser"])
    return user


def signed_in_long_ago(client: Client) -> Client:
    session = client.session
    session["account_authentication_methods"] = [
        {**method, "at": method["at"] - 3600} for method in session["account_authentication_methods"]
    ]
    session.save()
    return client


def entries(account: Account) -> list[AuditEvent]:
    """The newest last."""
    with tenant_scope(account):
        return list(AuditEvent.objects.within(account).order_by("created_at", "pk"))


def done_by_operators(account: Account) -> list[AuditEvent]:
    return [event for event in entries(account) if event.actor_kind == "operator"]


def failed_task(project: Project, /, **fields: Any) -> UUID:
    """Work that ended badly, of a kind that does nothing when it is run again."""
    given: dict[str, Any] = {"project": project, "kind": "purge", "state": TaskState.DEAD}
    given.update({"error_code": "too_old", "attempts": 5, **fields})
    with tenant_scope(project.account):
        task = Task.objects.create(
            account_id=project.account_id,
            subject=uuid7(),
            dedupe_key=str(uuid7()),
            finished_at=timezone.now(),
            **given,
        )
    return UUID(str(task.pk))
