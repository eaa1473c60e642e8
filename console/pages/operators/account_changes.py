"""Change an account as an operator: extra quota, another plan."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.operators.accounts import build_account_url, load_account
from console.pages.operators.guard import operator_page, show_operator
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.reauthenticate import reauthenticated
from tenancy.billing.stripe.customers import load_subscription
from tenancy.errors import CatalogueError
from tenancy.metering.meters import ALLOWANCES, NAMES, Meter
from tenancy.models import Account, Plan
from tenancy.people.operator_grants import change_plan, give_quota, list_months_ahead

# More than any plan allows, and far from what a column holds.
MOST = 10**12


class ReasonForm(forms.Form):
    """The account's owners read the reason in their audit log."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        help_text=gettext_lazy("Owners and admins of the account read it in their audit log."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class GrantForm(ReasonForm):
    field_order = ["meter", "amount", "through", "reason"]
    meter = forms.ChoiceField(
        label=gettext_lazy("Limit"), choices=[(meter.value, NAMES[meter]) for meter in ALLOWANCES]
    )
    amount = forms.IntegerField(
        label=gettext_lazy("How much more in a month"),
        min_value=-MOST,
        max_value=MOST,
        help_text=gettext_lazy("A negative number reduces the grant."),
    )
    through = forms.TypedChoiceField(label=gettext_lazy("Until the end of"))

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.months = {month.isoformat(): month for month in list_months_ahead()}
        choices = [(key, date_format(month, "YEAR_MONTH_FORMAT")) for key, month in self.months.items()]
        self.fields["through"].choices = choices  # type: ignore[attr-defined]

    def give(self, account: Account) -> None:
        wanted = self.cleaned_data
        last = self.months[wanted["through"]]
        give_quota(account, Meter(wanted["meter"]), wanted["amount"], wanted["reason"], last)


class PlanForm(ReasonForm):
    field_order = ["plan", "reason"]
    plan = forms.ModelChoiceField(
        label=gettext_lazy("Plan"), queryset=Plan.objects.all(), empty_label=None, to_field_name="code"
    )

    def change(self, account: Account) -> None:
        change_plan(account, self.cleaned_data["plan"], self.cleaned_data["reason"])


@operator_page("tenancy.change_account")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_grant(request: HttpRequest, account_id: UUID) -> HttpResponse:
    account = load_account(account_id)
    form = GrantForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            form.give(account)
        except CatalogueError as refusal:
            form.add_error("amount", describe_failure(refusal))
        else:
            return _return_to_account(request, account, _("The quota is changed."))
    return _ask_confirmation(request, account, form, _("Give more of a quota"), _("Give"))


@operator_page("tenancy.change_account")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_plan(request: HttpRequest, account_id: UUID) -> HttpResponse:
    account = load_account(account_id)
    form = PlanForm(request.POST or None, initial={"plan": account.plan_id})
    if request.method == "POST" and form.is_valid():
        try:
            form.change(account)
        except CatalogueError as refusal:
            form.add_error("plan", describe_failure(refusal))
        else:
            return _return_to_account(request, account, _("The plan is changed."))
    paid = load_subscription(account).gives
    return _ask_confirmation(request, account, form, _("Change the plan"), _("Change"), paid=paid)


def _ask_confirmation(
    request: HttpRequest, account: Account, form: forms.Form, title: str, verb: str, **more: Any
) -> HttpResponse:
    context = {"account": account, "form": form, "verb": verb, "back": build_account_url(account), **more}
    return show_operator(request, "form", title, context, 422 if form.errors else 200)


def _return_to_account(request: HttpRequest, account: Account, message: str) -> HttpResponse:
    messages.success(request, message)
    return HttpResponseRedirect(build_account_url(account))
