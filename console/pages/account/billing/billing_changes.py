"""Change the subscription of an account: buy, change, cancel, resume, and redirect to Stripe's own pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.account.billing.billing import CAME_BACK
from console.pages.account.billing.billing_words import describe_failure
from console.pages.account.billing.plan_applications import apply_dialog
from console.pages.account.billing.pricing import build_offer
from console.pages.account.usage.storage import load_storage
from console.pages.shell.access import account_view, get_person
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.reauthenticate import reauthenticated
from console.pages.shell.rendering import wants_only_fragment
from console.ui.lists.query_values import parse_whole_number
from knowledgebase.bases.bases_over_limits import find_bases_over_limits
from tenancy.billing import change_subscription
from tenancy.billing.checkout import ReturnAddresses, start_checkout
from tenancy.billing.over_plan_limits import count_projects_with_too_many_keys, list_quotas_used_up_under
from tenancy.billing.prices import INTERVALS, PriceChoice, find_price_choice, is_sold
from tenancy.billing.stripe.customers import load_subscription
from tenancy.billing.stripe.failures import PreviewOutdated
from tenancy.billing.stripe.gateway import is_configured
from tenancy.billing.stripe.portal import fetch_invoice_url, open_portal
from tenancy.billing.values import OVER
from tenancy.errors import CatalogueError
from tenancy.metering.meters import NAMES
from tenancy.models import Account, Plan
from tenancy.models.billing import Invoice
from tenancy.people.onboarding import FIRST_PLAN

CHANGED = "billing-changed"


@account_view("change_billing")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def billing_choose(request: HttpRequest, account: Account, plan: str, interval: str) -> HttpResponse:
    """One address for a plan, whichever way leads to it: bought, changed to, or applied for."""
    wanted = Plan.objects.filter(code=plan, is_listed=True).first()
    if wanted is None or interval not in INTERVALS:
        raise Http404
    if not is_configured() or not any(is_sold(wanted, period) for period in INTERVALS):
        return apply_dialog(request, account, wanted)
    if not is_sold(wanted, interval):
        raise Http404
    chosen = find_price_choice(plan, interval)
    change = _buy_plan if load_subscription(account).state in OVER else _change_plan
    return change(request, account, chosen)


def _buy_plan(request: HttpRequest, account: Account, chosen: PriceChoice) -> HttpResponse:
    """Leads to Stripe. `once` makes a form that is sent twice one purchase."""
    error, once = "", _read_once(request)
    if request.method == "POST":
        way = ReturnAddresses(_build_billing_url(account) + f"?{CAME_BACK}=1", _build_billing_url(account))
        try:
            return leave_for(request, start_checkout(account, chosen, get_person(request), way, once))
        except CatalogueError as refusal:
            # Stripe would answer the same form with the same failure.
            error, once = describe_failure(refusal), uuid4()
    dialog = _build_dialog(
        request, account, "_buy_dialog", _("Choose %(plan)s") % {"plan": chosen.plan.name}, _("Go to payment")
    )
    context = {"once": once, "offer": _offer(chosen), "error": error} | _build_over_quota_context(
        account, chosen.plan
    )
    return show_dialog(request, dialog, context, 422 if error else 200)


def _change_plan(request: HttpRequest, account: Account, chosen: PriceChoice) -> HttpResponse:
    """Shows what is paid now and what will pause, before anything is paid."""
    error = ""
    if request.method == "POST":
        try:
            change_subscription.change_plan(account, chosen, _read_preview_time(request), get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return _confirm_request(request, account)
    preview, reason = None, ""
    try:
        preview = change_subscription.preview_change(account, chosen)
    except CatalogueError as refusal:
        reason = describe_failure(refusal)
    verb = _("Change and pay") if preview and preview.due else _("Change plan")
    dialog = _build_dialog(
        request, account, "_change_dialog", _("Change to %(plan)s") % {"plan": chosen.plan.name}, verb
    )
    context = {"preview": preview, "offer": _offer(chosen), "error": error or reason}
    return show_dialog(
        request, dialog, context | _build_over_quota_context(account, chosen.plan), 422 if error else 200
    )


@account_view("change_billing")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def billing_cancel(request: HttpRequest, account: Account) -> HttpResponse:
    row, error = load_subscription(account), ""
    if request.method == "POST" and request.POST.get("typed", "").strip() != account.name:
        error = _("The account name does not match.")
    elif request.method == "POST":
        try:
            change_subscription.cancel_subscription(account, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return _confirm_request(request, account)
    dialog = Dialog(
        template="console/account/billing/dialogs/_cancel_dialog.html",
        title=_("Cancel the subscription?"),
        verb=_("Cancel subscription"),
        action=request.path,
        back=_build_billing_url(account),
        is_danger=True,
        typed=account.name,
        error=error,
    )
    free = Plan.objects.get(code=FIRST_PLAN)
    return show_dialog(
        request, dialog, {"row": row} | _build_over_quota_context(account, free), 422 if error else 200
    )


@account_view("change_billing")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def billing_resume(request: HttpRequest, account: Account) -> HttpResponse:
    error = ""
    if request.method == "POST":
        try:
            change_subscription.resume_subscription(account, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return _confirm_request(request, account)
    dialog = _build_dialog(request, account, "_resume_dialog", _("Resume the subscription?"), _("Resume"))
    context = {"row": load_subscription(account), "error": error}
    return show_dialog(request, dialog, context, 422 if error else 200)


@account_view("change_billing")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def billing_portal(request: HttpRequest, account: Account) -> HttpResponse:
    """Card, addresses, tax id and payment history are Stripe's own page; `card` leads to that part of it."""
    if request.method != "POST":  # come back from proving who it is
        return HttpResponseRedirect(_build_billing_url(account))
    try:
        only_card = "card" in request.POST
        return leave_for(
            request,
            open_portal(account, get_person(request), _build_billing_url(account), only_card=only_card),
        )
    except CatalogueError as refusal:
        messages.error(request, describe_failure(refusal))
        return leave_for(request, reverse("console:billing", args=[account.pk]))


@account_view("see_invoices")
@require_safe
def billing_invoice(request: HttpRequest, account: Account, invoice_id: UUID) -> HttpResponse:
    """Leads to the invoice at Stripe, where it can be read, kept and paid."""
    try:
        address = fetch_invoice_url(account, invoice_id)
    except Invoice.DoesNotExist:
        raise Http404 from None
    except CatalogueError as refusal:
        messages.error(request, describe_failure(refusal))
        address = ""
    return HttpResponseRedirect(address or reverse("console:billing", args=[account.pk]))


def leave_for(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect the whole window to a page of another site."""
    if wants_only_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def _confirm_request(request: HttpRequest, account: Account) -> HttpResponse:
    message = _("Requested. Stripe will confirm it in a moment.")
    return answer_done(request, message, _build_billing_url(account), CHANGED)


def _build_billing_url(account: Account) -> str:
    return f"{settings.PUBLIC_URL}{reverse('console:billing', args=[account.pk])}"


def _build_dialog(request: HttpRequest, account: Account, name: str, title: str, verb: str) -> Dialog:
    template = f"console/account/billing/dialogs/{name}.html"
    return Dialog(template, title, verb, request.path, reverse("console:billing", args=[account.pk]))


def _offer(chosen: PriceChoice) -> Any:
    return build_offer(chosen.plan, chosen.interval == "year", is_current=False)


def _read_once(request: HttpRequest) -> UUID:
    try:
        return UUID(request.POST.get("once", ""))
    except ValueError:
        return uuid4()


def _read_preview_time(request: HttpRequest) -> int:
    timestamp = parse_whole_number(request.POST.get("previewed_at", ""), digits=12)
    if timestamp is None:
        raise PreviewOutdated
    return timestamp


def _build_over_quota_context(account: Account, plan: Plan) -> dict[str, Any]:
    used_up = [(NAMES[quota.meter], quota) for quota in list_quotas_used_up_under(account, plan)]
    return {
        "plan": plan,
        "used_up": used_up,
        "bases": find_bases_over_limits(account, plan),
        "storage": load_storage(account, plan),
        "crowded": count_projects_with_too_many_keys(account, plan),
    }
