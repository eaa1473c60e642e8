"""Apply for a plan: where no payment is configured, and for plans that are individually agreed."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.pages.account.billing.billing_words import describe_failure
from console.pages.shell.access import account_view, get_person
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from tenancy.billing.applications import apply_for_plan, cancel_application, open_application
from tenancy.errors import CatalogueError
from tenancy.models import Account, Plan

CHANGED = "billing-changed"


def apply_dialog(request: HttpRequest, account: Account, plan: Plan) -> HttpResponse:
    error, back = "", reverse("console:billing", args=[account.pk])
    if request.method == "POST":
        try:
            apply_for_plan(account, plan, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return answer_done(request, _("Applied. An operator decides."), back, CHANGED)
    title, verb = _("Apply for %(plan)s") % {"plan": plan.name}, _("Apply")
    dialog = Dialog("console/account/billing/dialogs/_apply_dialog.html", title, verb, request.path, back)
    return show_dialog(request, dialog, {"plan": plan, "error": error}, 422 if error else 200)


@account_view("change_billing")
@require_http_methods(["GET", "HEAD", "POST"])
def plan_application_cancel(request: HttpRequest, account: Account) -> HttpResponse:
    application = open_application(account)
    if application is None:
        raise Http404
    error, back = "", reverse("console:billing", args=[account.pk])
    if request.method == "POST":
        try:
            cancel_application(application, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return answer_done(request, _("Application cancelled."), back, CHANGED)
    dialog = Dialog(
        "console/account/billing/dialogs/_cancel_application_dialog.html",
        _("Cancel the application?"),
        _("Cancel application"),
        request.path,
        back,
    )
    return show_dialog(request, dialog, {"application": application, "error": error}, 422 if error else 200)
