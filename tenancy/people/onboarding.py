"""First sign-in of a developer: create account, project "default" and key."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from tenancy.keys.keys import NewKey, create_key
from tenancy.models import Account, Membership, Plan, Project, Role, User

DEFAULT_PROJECT = "default"
FIRST_PLAN = "free"


@dataclass(frozen=True, slots=True)
class OpenedAccount:
    """A user with an account and a project."""

    user: User
    account: Account
    project: Project


@transaction.atomic
def open_account(user: User, *, project_name: str = DEFAULT_PROJECT, plan: str = FIRST_PLAN) -> OpenedAccount:
    """The account that the user used last; at the first sign-in a new one with its first project.

    Takes a lock on the person, so that two tabs at the first sign-in make one account, not two.
    """
    User.objects.select_for_update().get(pk=user.pk)
    memberships = user.memberships.select_related("account", "current_project")
    membership = memberships.order_by(F("seen_at").desc(nulls_last=True), "pk").first()
    if membership is None:
        account = Account.objects.create(name=f"{user.name}'s account", plan=Plan.objects.get(code=plan))
        membership = Membership.objects.create(account=account, user=user, role=Role.OWNER)
    project = membership.current_project
    if project is None or project.deleting_at is not None:
        project = _create_first_project(membership, project_name)
    return OpenedAccount(user, membership.account, project)


def _create_first_project(membership: Membership, name: str) -> Project:
    # One at work before one that is archived.
    in_order = F("archived_at").asc(nulls_first=True)
    project = membership.account.projects.here().order_by(in_order, "created_at").first()
    if project is None:
        project, _ = Project.objects.here().get_or_create(account=membership.account, name=name)
    membership.current_project = project
    membership.save(update_fields=["current_project"])
    return project


def issue_first_key(tenant: OpenedAccount) -> NewKey | None:
    """Create the project's key "default", once; None when the project has a key already."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=tenant.project.pk)
        if tenant.project.api_keys.exists():
            return None
        return create_key(tenant.project, "default", created_by=tenant.user)
