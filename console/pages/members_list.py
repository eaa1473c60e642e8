"""The list of members and invitations, as the pages that change it show it again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from console.pages.access import ROLE_NAMES, Access, access_of, roles_for
from console.second_factor import KINDS
from tenancy.models import Account, Invitation, Membership, ProjectRole, Role
from tenancy.permissions import over_member


@dataclass(frozen=True, slots=True)
class Row:
    """A member as the list shows them; a hint says why something cannot be done, if it cannot."""

    membership: Membership
    is_me: bool
    hint: str
    differing: list[tuple[str, str]] = field(default_factory=list)

    @property
    def role_name(self) -> str:
        return str(ROLE_NAMES[Role(self.membership.role)])


def list_context(request: HttpRequest, account: Account) -> dict[str, Any]:
    access = access_of(request)
    rows = _rows(access)
    return {
        "account": account,
        "rows": rows,
        "missing": sum(not row.membership.has_factor for row in rows),  # type: ignore[attr-defined]
        "may_ask": access.may("ask_second_factors"),
        "ask_hint": _("Only %(roles)s can change this.") % {"roles": roles_for("ask_second_factors")},
        "invitations": _invitations(access),
        "may_manage": access.may("manage_members"),
        "may_transfer": access.may("transfer_account"),
        "manage_hint": _("Only %(roles)s can invite people.") % {"roles": roles_for("manage_members")},
    }


def _invitations(access: Access) -> list[tuple[Invitation, str]]:
    """Those that nobody accepted or revoked, for whoever may see addresses."""
    if not access.may("manage_members"):
        return []
    open_ones = access.account.invitations.filter(accepted_at=None, revoked_at=None)
    return [(one, str(ROLE_NAMES[Role(one.role)])) for one in open_ones.select_related("invited_by")]


def with_factors(members: QuerySet[Membership]) -> QuerySet[Any]:
    """Each with `has_factor`: whether they set up a second one."""
    factors = Authenticator.objects.filter(user_id=OuterRef("user_id"), type__in=KINDS)
    return members.annotate(has_factor=Exists(factors))


def _rows(access: Access) -> list[Row]:
    found = with_factors(access.account.memberships.select_related("user"))
    differing: dict[int, list[tuple[str, str]]] = defaultdict(list)
    roles = ProjectRole.objects.filter(account=access.account).select_related("project")
    for one in roles.order_by("project__name"):
        differing[one.user_id].append((one.project.name, str(ROLE_NAMES[Role(one.role)])))
    return [
        Row(
            membership,
            membership.pk == access.membership.pk,
            _hint(access, membership),
            differing[membership.user_id],
        )
        for membership in found.order_by("created_at", "pk")
    ]


def _hint(access: Access, membership: Membership) -> str:
    needed = over_member(membership.role)
    if access.may(needed):
        return ""
    return _("Only %(roles)s can change this member.") % {"roles": roles_for(needed)}
