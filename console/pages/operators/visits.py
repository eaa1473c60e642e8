"""Start and end an operator's visit to an account's console."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.operators.account_changes import ReasonForm
from console.pages.operators.accounts import build_account_url, load_account
from console.pages.operators.guard import operator_page, show_operator
from console.pages.shell.reauthenticate import reauthenticated
from console.sign_in.operator_visit import PERMISSION, begin, end, get_visit
from tenancy.people.operator_visits import LASTS, STOPPED


@operator_page(PERMISSION)
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_visit(request: HttpRequest, account_id: UUID) -> HttpResponse:
    account = load_account(account_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        begin(request, account, form.cleaned_data["reason"])
        return HttpResponseRedirect(reverse("console:projects", args=[account.pk]))
    context = {
        "account": account,
        "form": form,
        "verb": _("Begin"),
        "back": build_account_url(account),
        "minutes": int(LASTS.total_seconds() // 60),
    }
    title = _("See the console of “%(name)s”") % {"name": account.name}
    return show_operator(request, "visit", title, context, 422 if form.errors else 200)


@require_POST
def visit_end(request: HttpRequest) -> HttpResponse:
    """End the visit; allowed without the permission, which may have been removed meanwhile."""
    visit = get_visit(request)
    end(request, STOPPED)
    if visit is None:
        return HttpResponseRedirect(reverse("admin:index"))
    messages.success(request, _("You have left the console of “%(name)s”.") % {"name": visit.account.name})
    return HttpResponseRedirect(build_account_url(visit.account))
