"""The list of members and invitations, as the pages that change it show it again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.pages.shell.access import ROLE_NAMES, Access, format_roles_for, get_access
from console.sign_in.second_factor import KINDS
from console.ui.lists.paging import PAGE_SIZE
from tenancy.models import Account, Invitation, Membership, ProjectRole, Role
from tenancy.people.permissions import get_member_action

# Of an id in the address, so that it fits the column.
LONGEST_ID = 18


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member as the list shows them; a hint says why something cannot be done, if it cannot."""

    membership: Membership
    is_me: bool
    hint: str
    differing: list[tuple[str, str]] = field(default_factory=list)

    @property
    def role_name(self) -> str:
        return str(ROLE_NAMES[Role(self.membership.role)])


@dataclass(frozen=True, slots=True)
class MembersPage:
    """A page of the members, the longest-standing first. `here` is where it is shown again after a change."""

    members: list[Any]
    here: str
    first_url: str
    next_url: str


def list_context(request: HttpRequest, account: Account) -> dict[str, Any]:
    access = get_access(request)
    part = _load_part(account, request.GET.get("after", ""))
    everybody = with_factors(account.memberships.all())
    count = everybody.count()
    return {
        "account": account,
        "rows": _build_rows(access, part.members),
        "here": part.here,
        "caption": ngettext("%(n)s member", "%(n)s members", count) % {"n": count},
        "previous_url": part.first_url,
        "next_url": part.next_url,
        "missing": everybody.filter(has_factor=False).count() if account.asks_second_factor else 0,
        "may_ask": access.may("ask_second_factors"),
        "ask_hint": _("Only %(roles)s can change this.") % {"roles": format_roles_for("ask_second_factors")},
        "invitations": _list_open_invitations(access),
        "may_manage": access.may("manage_members"),
        "may_transfer": access.may("transfer_account"),
        "manage_hint": _("Only %(roles)s can invite people.") % {"roles": format_roles_for("manage_members")},
    }


def _list_open_invitations(access: Access) -> list[tuple[Invitation, str]]:
    """List invitations that were neither accepted nor revoked, for members who may see addresses."""
    if not access.may("manage_members"):
        return []
    open_ones = access.account.invitations.filter(accepted_at=None, revoked_at=None)
    return [
        (invitation, str(ROLE_NAMES[Role(invitation.role)]))
        for invitation in open_ones.select_related("invited_by")
    ]


def with_factors(members: QuerySet[Membership]) -> QuerySet[Any]:
    """Each with `has_factor`: whether they set up a second one."""
    factors = Authenticator.objects.filter(user_id=OuterRef("user_id"), type__in=KINDS)
    return members.annotate(has_factor=Exists(factors))


def _load_part(account: Account, after: str) -> MembersPage:
    """Load a page of members by their ids, which increase with time. An invalid position means the first page."""
    members = with_factors(account.memberships.select_related("user")).order_by("pk")
    address = reverse("console:members", args=[account.pk])
    place = int(after) if after.isdecimal() and len(after) <= LONGEST_ID else 0
    memberships = list(members.filter(pk__gt=place)[: PAGE_SIZE + 1])
    if place and not memberships:  # the last of a page was removed
        return _load_part(account, "")
    shown = memberships[:PAGE_SIZE]
    return MembersPage(
        shown,
        f"{address}?after={place}" if place else address,
        address if place else "",
        f"{address}?after={shown[-1].pk}" if len(memberships) > PAGE_SIZE else "",
    )


def _build_rows(access: Access, members: list[Membership]) -> list[MemberRow]:
    differing: dict[int, list[tuple[str, str]]] = defaultdict(list)
    theirs = ProjectRole.objects.filter(
        account=access.account, user__in=[member.user_id for member in members]
    )
    for project_role in theirs.select_related("project").order_by("project__name"):
        differing[project_role.user_id].append(
            (project_role.project.name, str(ROLE_NAMES[Role(project_role.role)]))
        )
    return [
        MemberRow(
            membership,
            membership.pk == access.membership.pk,
            _explain_disabled_actions(access, membership),
            differing[membership.user_id],
        )
        for membership in members
    ]


def _explain_disabled_actions(access: Access, membership: Membership) -> str:
    needed = get_member_action(membership.role)
    if access.may(needed):
        return ""
    return _("Only %(roles)s can change this member.") % {"roles": format_roles_for(needed)}
