"""Notices above every page of an account: a failed payment, a quota nearly used up."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.shell.access import Access
from tenancy.billing.stripe.customers import find_unpaid_subscription
from tenancy.billing.values import SubscriptionState
from tenancy.metering.meters import NAMES
from tenancy.metering.usage import MeterFillLevel, list_meter_fill_levels
from tenancy.models import Account
from tenancy.people import permissions
from tenancy.storage.allowance import get_percent_stored

COOKIE = "notice"
# From this share on the pages say so.
NEARLY = 80


@dataclass(frozen=True, slots=True)
class Notice:
    """`name` is what the cookie of who has seen enough of it says; `ask` whom to ask who cannot change it."""

    name: str
    look: str
    text: str
    ask: str
    url: str
    link: str


def notice_for(request: HttpRequest, access: Access) -> Notice | None:
    """The most urgent one, unless this member put it away a while ago."""
    notice = _build_payment_notice(access) or _build_storage_notice(access) or _build_quota_notice(access)
    return None if notice is None or request.COOKIES.get(COOKIE) == notice.name else notice


def _build_payment_notice(access: Access) -> Notice | None:
    row = find_unpaid_subscription(access.account)
    if row is None:
        return None
    is_owner = permissions.is_allowed((access.membership.role,), "change_billing")
    if row.state == SubscriptionState.PAST_DUE:
        text = _("The last payment for this account failed. Without one the plan ends in some days.")
    else:
        text = _("The subscription of this account is not paid: the plan has ended, and nothing is deleted.")
    return Notice(
        name=f"payment-{row.state}-{row.period_end:%Y%m%d}" if row.period_end else f"payment-{row.state}",
        look="bad",
        text=text,
        ask="" if is_owner else _("Ask %(names)s.") % {"names": list_owner_names(access.account)},
        url=reverse("console:billing", args=[access.account.pk]),
        link=_("See billing"),
    )


def _build_storage_notice(access: Access) -> Notice | None:
    account = access.account
    percent = get_percent_stored(account.pk) if account.plan.storage_megabytes is not None else 0
    if percent < NEARLY:
        return None
    is_full = percent >= 100
    if is_full:
        text = _("The storage of this plan is used up: nothing more is stored until something is deleted.")
    else:
        text = _("%(percent)s%% of this plan's storage is used.") % {"percent": percent}
    return Notice(
        name=f"storage-{100 if is_full else NEARLY}",
        look="bad" if is_full else "warn",
        text=text,
        ask="" if _runs(access) else _name_leaders(account),
        url=reverse("console:usage", args=[account.pk]),
        link=_("See usage"),
    )


def _build_quota_notice(access: Access) -> Notice | None:
    full = [level for level in list_meter_fill_levels(access.account) if level.percent >= NEARLY]
    return _build_notice(access, max(full, key=lambda level: level.percent)) if full else None


def _build_notice(access: Access, filling: MeterFillLevel) -> Notice:
    is_full = filling.percent >= 100
    words = {"what": NAMES[filling.meter], "percent": filling.percent}
    if is_full:
        text = _("This month's quota is used up: %(what)s. Such calls are refused until it resets.") % words
    else:
        text = _("%(percent)s%% of this month's quota is used: %(what)s.") % words
    return Notice(
        name=f"{filling.meter.value.replace('/', '-')}-{100 if is_full else NEARLY}-{filling.month:%Y%m}",
        look="bad" if is_full else "warn",
        text=text,
        ask="" if _runs(access) else _name_leaders(access.account),
        url=reverse("console:usage", args=[access.account.pk]),
        link=_("See usage"),
    )


def _runs(access: Access) -> bool:
    return permissions.is_allowed((access.membership.role,), "edit_project")


def _name_leaders(account: Account) -> str:
    """Name the members whom others may ask for a larger plan."""
    return _("Ask %(names)s for a larger plan.") % {"names": list_owner_names(account)}


def list_owner_names(account: Account) -> str:
    owners = account.memberships.filter(role="owner").select_related("user").order_by("pk")[:3]
    return ", ".join(owner.user.name for owner in owners)
