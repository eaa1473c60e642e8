"""The public page of plans: the table that the limits are enforced by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.account.usage.storage import format_storage_allowance
from console.pages.shell.access import get_person
from console.templatetags.console import num
from tenancy.metering.meters import ALLOWANCES, NAMES, Meter, get_monthly_allowance
from tenancy.models import Account, Plan


@dataclass(frozen=True, slots=True)
class Offer:
    plan: Plan
    price: str
    per: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class PricingLine:
    """One thing that plans differ in, with a word for each of them by its name."""

    what: str
    cells: list[tuple[str, str]]

    @classmethod
    def of(cls, what: str, plans: list[Plan], cell: Callable[[Plan], str]) -> PricingLine:
        return cls(what, [(plan.name, cell(plan)) for plan in plans])


@require_safe
def pricing(request: HttpRequest) -> HttpResponse:
    yearly = request.GET.get("per") == "year"
    plans = list(Plan.objects.filter(is_listed=True))
    current = _find_current_account(request)
    has = current.plan_id if current else None
    context = {
        "offers": [build_offer(plan, yearly, is_current=plan.pk == has) for plan in plans],
        "billing": _build_billing_url(current, yearly=yearly),
        "lines": _list_lines(plans),
        "yearly": yearly,
        "questions": _list_questions(),
    }
    return render(request, "console/account/billing/pricing.html", context)


def _build_billing_url(account: Account | None, *, yearly: bool) -> str:
    """Return where plans are chosen: for signed-in members."""
    if account is None:
        return ""
    return reverse("console:billing", args=[account.pk]) + ("?per=year" if yearly else "")


def _find_current_account(request: HttpRequest) -> Account | None:
    """The account that the visitor was in last."""
    if not request.user.is_authenticated:
        return None
    memberships = get_person(request).memberships.select_related("account").order_by("pk")
    membership = memberships.exclude(current_project=None).first() or memberships.first()
    return membership.account if membership else None


def build_offer(plan: Plan, yearly: bool, *, is_current: bool) -> Offer:
    cents = plan.yearly_price if yearly else plan.monthly_price
    if cents is None:
        return Offer(plan, _("By agreement"), "", is_current)
    if not cents:
        return Offer(plan, _("Free"), "", is_current)
    price = f"${num(cents / 100, 2 if cents % 100 else 0)}"
    return Offer(plan, price, _("a year") if yearly else _("a month"), is_current)


def _list_lines(plans: list[Plan]) -> list[PricingLine]:
    monthly = [
        PricingLine.of(
            _("%(what)s per month") % {"what": NAMES[meter]}, plans, partial(_format_allowance, meter)
        )
        for meter in ALLOWANCES
    ]
    return [
        PricingLine.of(
            _("Knowledge bases"), plans, lambda plan: _format_own_or_usual(plan, num(plan.knowledge_bases))
        ),
        PricingLine.of(
            _("Size of each base"),
            plans,
            lambda plan: _format_own_or_usual(plan, f"{num(plan.knowledge_base_gigabytes)} GB"),
        ),
        PricingLine.of(_("Total storage"), plans, format_storage_allowance),
        *monthly,
        PricingLine.of(_("Input tokens per minute"), plans, lambda plan: num(plan.tokens_per_minute)),
        PricingLine.of(_("Requests per second, advised"), plans, lambda plan: num(plan.requests_per_second)),
        PricingLine.of(_("API keys per project"), plans, lambda plan: num(plan.keys_per_project)),
    ]


def _format_own_or_usual(plan: Plan, usual: str) -> str:
    return _("by agreement") if plan.is_by_agreement else usual


def _format_allowance(meter: Meter, plan: Plan) -> str:
    allowed = get_monthly_allowance(plan, meter)
    return _("no limit") if allowed is None else num(allowed)


def _list_questions() -> list[tuple[str, str]]:
    return [
        (
            _("Who shares a quota?"),
            _("All projects of an account. Another project or key does not add quota."),
        ),
        (
            _("What does a failed call cost?"),
            _("Nothing. Refused calls, failed calls and calls whose content could not be refined are free."),
        ),
        (
            _("When does it reset?"),
            _("On the first day of each month at 00:00 UTC. Nothing is carried over."),
        ),
        (
            _("What happens when it is used up?"),
            _(
                "Such calls are refused until the reset, and the error says when that is. You can still read, export "
                "and delete stored data."
            ),
        ),
        (
            _("What counts as storage?"),
            _(
                "Every file, and the text of messages, memories, skills and sessions, in all projects of the account "
                "and in the trash. Permanent deletion frees the space immediately."
            ),
        ),
        (
            _("What happens after a move to a smaller plan?"),
            _(
                "Nothing is deleted. Data above the new limits stays readable, but you cannot add to it until you are "
                "below them."
            ),
        ),
    ]
