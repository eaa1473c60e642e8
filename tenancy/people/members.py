"""The people of an account: their roles, and how they leave. An account always keeps an owner.

Whatever changes who owns an account locks the account first, so that two owners who leave at once find out about
each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters, LastOwner
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, ApiKey, Membership, Project, ProjectRole, Role, User
from tenancy.people.invitations import delete_closed_invitations
from tenancy.people.permissions import get_member_action, is_allowed
from tenancy.signals import member_left


@dataclass(frozen=True, slots=True)
class Roles:
    """Role of a member in the account, and in projects (by id) where it differs."""

    in_account: str
    in_projects: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, membership: Membership) -> Roles:
        differing = ProjectRole.objects.filter(account=membership.account_id, user=membership.user_id)
        return cls(
            membership.role, {str(key): role for key, role in differing.values_list("project", "role")}
        )

    def settled(self) -> Roles:
        """Without redundant roles: an owner of the account needs none in projects.

        Raises `InvalidParameters` for the owner of a single project.
        """
        if self.in_account == Role.OWNER:
            return Roles(self.in_account)
        differing = {key: role for key, role in self.in_projects.items() if role and role != self.in_account}
        if Role.OWNER in differing.values():
            raise InvalidParameters("owners belong to the account, not to one project")
        return Roles(self.in_account, differing)

    def as_detail(self) -> dict[str, Any]:
        return {"role": self.in_account, "projects": self.in_projects}


def get_role_in(membership: Membership, project: Project) -> str:
    """The role in this project: an owner is one everywhere, others may differ."""
    if membership.role == Role.OWNER:
        return membership.role
    differing = ProjectRole.objects.filter(project=project, user_id=membership.user_id).first()
    return differing.role if differing else membership.role


@transaction.atomic
def change_roles(account: Account, member: User, roles: Roles, actor: User) -> None:
    """The role in the account, and those in projects where they differ; what stays as it is needs no mention.

    Raises `LastOwner` when the account would be left without one, and `InvalidParameters` where the actor may not.
    """
    membership = _lock_membership(account, member)
    before = Roles.of(membership)
    after = roles.settled()
    _refuse_actor(account, actor, before.in_account, after.in_account)
    if before == after:
        return
    if before.in_account == Role.OWNER != after.in_account:
        _refuse_without_owner(account, member)
    Membership.objects.filter(pk=membership.pk).update(role=after.in_account)
    there = account.projects.here().filter(pk__in=after.in_projects)
    ProjectRole.objects.filter(account=account, user=member).delete()
    ProjectRole.objects.bulk_create(
        ProjectRole(account=account, project=project, user=member, role=after.in_projects[str(project.pk)])
        for project in there
    )
    detail = {"member": member.pk, "before": before.as_detail(), "after": after.as_detail()}
    record_event(account, actor, "member.roles_changed", member, detail=detail)


@transaction.atomic
def transfer_ownership(account: Account, heir: User, actor: User) -> None:
    """Make the heir an owner and the previous owner an admin."""
    giving, taking = _lock_membership(account, actor), _lock_membership(account, heir)
    if giving.role != Role.OWNER or actor.pk == heir.pk:
        raise InvalidParameters("an owner can make another member the owner")
    taking.role, giving.role = Role.OWNER, Role.ADMIN
    for membership in (taking, giving):
        membership.save(update_fields=["role"])
    detail = {"before": {"owner": actor.pk}, "after": {"owner": heir.pk}}
    record_event(account, actor, "account.transferred", account, detail=detail)


@transaction.atomic
def remove_member(account: Account, member: User, actor: User, *, revokes_keys: bool = False) -> int:
    """Ends a membership, one's own too, and says how many of the member's keys it revoked.

    Raises `LastOwner` when the account would be left without one, and `InvalidParameters` where the actor may not.
    """
    membership = _lock_membership(account, member)
    if membership.role == Role.OWNER:
        _refuse_without_owner(account, member)
    if actor.pk != member.pk:
        _refuse_actor(account, actor, membership.role)
    action = "member.left" if actor.pk == member.pk else "member.removed"
    revoked = _revoke_keys(account, member) if revokes_keys else 0
    membership.delete()
    member_left.send(None, account=account, member=member)
    detail = {"member": member.pk, "before": {"role": membership.role}, "keys_revoked": revoked}
    record_event(account, actor, action, member, detail=detail)
    return revoked


def list_accounts_owned_alone(user: User) -> list[Account]:
    """The accounts that would be left without an owner if this person went."""
    owned = Account.objects.filter(memberships__user=user, memberships__role=Role.OWNER)
    others = Membership.objects.filter(role=Role.OWNER).exclude(user=user)
    return list(owned.exclude(pk__in=others.values("account_id")).order_by("name"))


@transaction.atomic
def delete_login(user: User, addresses: Iterable[str] = ()) -> None:
    """The person leaves every account and is forgotten. Raises `LastOwner` while an account has no other owner.

    `addresses` are those of theirs beside the one they sign in with: closed invitations to them are deleted. Keys that
    they made keep running: they belong to the projects.
    """
    # A second click waits here, and finds nothing left to do. Rows that name the login are not kept waiting.
    if User.objects.select_for_update(no_key=True).filter(pk=user.pk).first() is None:
        return
    for account in Account.objects.filter(memberships__user=user).order_by("pk"):
        if _find_locked_membership(account, user):  # somebody may have removed them meanwhile
            remove_member(account, user, user)
    delete_closed_invitations([user.email, *addresses])
    user.delete()


def _lock_membership(account: Account, member: User) -> Membership:
    membership = _find_locked_membership(account, member)
    if membership is None:
        raise InvalidParameters("this person is not a member any more")
    return membership


def _find_locked_membership(account: Account, member: User) -> Membership | None:
    """While nobody else changes who the account's members are; None where there is none, or no account any more."""
    Account.objects.select_for_update(no_key=True).filter(pk=account.pk).first()
    return Membership.objects.filter(account=account, user=member).first()


def _refuse_actor(account: Account, actor: User, *roles: str) -> None:
    """Check the current roles: either may have changed since the actor opened the page."""
    acting = Membership.objects.filter(account=account, user=actor).first()
    if acting is None or not is_allowed((acting.role,), get_member_action(*roles)):
        raise InvalidParameters("your role in the account does not allow this")


def _refuse_without_owner(account: Account, leaving: User) -> None:
    others = Membership.objects.filter(account=account, role=Role.OWNER).exclude(user=leaving)
    if not others.exists():
        raise LastOwner


def _revoke_keys(account: Account, member: User) -> int:
    mine = ApiKey.objects.filter(account=account, created_by=member, revoked_at=None)
    revoked = mine.update(revoked_at=timezone.now())
    transaction.on_commit(clear_key_cache)
    return revoked
