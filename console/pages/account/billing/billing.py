"""What an account pays: its plan, the next invoice, the card, the invoices. Owners act, admins read, others see whom to
ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.account.billing.billing_words import build_billing_words, is_confirming
from console.pages.account.billing.pricing import Offer, build_offer
from console.pages.shell.access import Access, account_view, get_access
from console.pages.shell.notices import list_owner_names
from console.pages.shell.rendering import render_page
from tenancy.billing.applications import open_application
from tenancy.billing.prices import is_sold
from tenancy.billing.stripe.customers import find_customer, load_subscription
from tenancy.billing.stripe.gateway import is_configured
from tenancy.billing.stripe.portal import list_invoices
from tenancy.billing.values import OVER, PAID
from tenancy.models import Account, Plan
from tenancy.models.billing import Subscription
from tenancy.people.onboarding import FIRST_PLAN

CAME_BACK = "paid"


@dataclass(frozen=True, slots=True)
class Choosable:
    """A plan on offer and what may be done about it: no `verb` where nothing is to do, a `hint` where not just now."""

    offer: Offer
    verb: str
    address: str
    hint: str


@account_view("see")
@require_safe
def billing(request: HttpRequest, account: Account) -> HttpResponse:
    context = _build_context(request, account)
    return render_page(
        request, "console/account/billing/page.html", "console/account/billing/_standing.html", context
    )


def _build_context(request: HttpRequest, account: Account) -> dict[str, Any]:
    access, row = get_access(request), load_subscription(account)
    may_read = access.may("see_invoices")
    invoices = list_invoices(account) if may_read else []
    came_back, yearly = CAME_BACK in request.GET, request.GET.get("per") == "year"
    collects = is_configured()
    return {
        "account": account,
        "row": row,
        "is_paid": row.state not in OVER,
        "words": build_billing_words(row, invoices, came_back=came_back) if collects and may_read else [],
        "is_confirming": collects and is_confirming(row, came_back=came_back),
        "current": build_offer(account.plan, row.interval == "year", is_current=True),
        "choosable": _list_choosable_plans(
            account, row, yearly=yearly, hint=_explain_disabled_plans(access, row)
        ),
        "yearly": yearly,
        "invoices": invoices,
        "may_read": may_read,
        "may_change": access.may("change_billing"),
        "collects": collects,
        "is_customer": collects and find_customer(account) is not None,
        "application": open_application(account),
        "ask": list_owner_names(account),
        "query": request.GET.urlencode(),
        "live_project": access.membership.current_project,
    }


def _explain_disabled_plans(access: Access, row: Subscription) -> str:
    """Return why no plan can be chosen just now, "" where one can."""
    if not access.may("change_billing"):
        return _("Only owners change the plan. Ask %(names)s.") % {"names": list_owner_names(access.account)}
    if open_application(access.account) is not None:
        return _("Cancel the open application first.")
    if row.cancels_at and row.state not in OVER:
        return _("Resume the subscription first.")
    return _("Pay the open invoice first.") if row.state not in OVER | PAID else ""


def _list_choosable_plans(account: Account, row: Subscription, *, yearly: bool, hint: str) -> list[Choosable]:
    interval = "year" if yearly else "month"
    return [_build_choice(account, row, plan, interval, hint) for plan in Plan.objects.filter(is_listed=True)]


def _build_choice(account: Account, row: Subscription, plan: Plan, interval: str, hint: str) -> Choosable:
    is_current, is_paid = plan.pk == account.plan_id, row.state not in OVER
    offer = build_offer(plan, interval == "year", is_current=is_current)
    is_ending = bool(is_paid and row.cancels_at and plan.pk == FIRST_PLAN)
    if is_ending or (is_current and (not is_paid or row.interval == interval)):
        return Choosable(offer, "", "", "")
    action = _choose_action(row, plan, interval)
    address = reverse(f"console:{action.page}", args=[account.pk, *action.arguments])
    return Choosable(offer, action.verb, address, hint)


class _PlanAction(NamedTuple):
    """Button of a plan: what it says, and the page that does it, with what its address names beside the account."""

    verb: str
    page: str
    arguments: list[str]


def _choose_action(row: Subscription, plan: Plan, interval: str) -> _PlanAction:
    is_paid, words = row.state not in OVER, {"plan": plan.name}
    if plan.pk == FIRST_PLAN and is_paid:
        return _PlanAction(_("Cancel subscription"), "billing_cancel", [])
    if not is_configured() or not is_sold(plan, interval):
        verb = _("Apply for %(plan)s")
    else:
        verb = _("Change to %(plan)s") if is_paid else _("Choose %(plan)s")
    return _PlanAction(verb % words, "billing_choose", [plan.pk, interval])
