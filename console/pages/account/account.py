"""Pages of an account: settings and deletion."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from console.data.erasure.delete_account import delete_account
from console.pages.account.billing.billing_words import describe_failure
from console.pages.shell.access import account_view, format_roles_for, get_access, get_person
from console.pages.shell.dialogs import Dialog, show_dialog
from console.pages.shell.reauthenticate import reauthenticated
from console.pages.shell.rendering import show_page
from tenancy.errors import CatalogueError
from tenancy.models import Account
from tenancy.people.accounts import LONGEST_NAME, rename_account


class AccountForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


@account_view("see", changing="edit_account")
@require_http_methods(["GET", "HEAD", "POST"])
def account_settings(request: HttpRequest, account: Account) -> HttpResponse:
    form = AccountForm(request.POST or None, initial={"name": account.name})
    if request.method == "POST" and form.is_valid():
        rename_account(account, form.cleaned_data["name"], get_person(request))
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(reverse("console:account_settings", args=[account.pk]))
    access = get_access(request)
    context = {
        "account": account,
        "form": form,
        "may_edit": access.may("edit_account"),
        "edit_hint": _("Only %(roles)s can do that.") % {"roles": format_roles_for("edit_account")},
        "may_delete": access.may("delete_account"),
        "delete_hint": _("Only %(roles)s can do that.") % {"roles": format_roles_for("delete_account")},
    }
    return show_page(request, "console/account/page.html", context, 422 if form.errors else 200)


@account_view("delete_account")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_delete(request: HttpRequest, account: Account) -> HttpResponse:
    error = ""
    if request.method == "POST" and request.POST.get("typed", "").strip() == account.name:
        try:
            delete_account(account, get_person(request))
        except CatalogueError as refusal:
            # Until the subscription is cancelled, Stripe would go on charging an account that is gone.
            error = describe_failure(refusal)
        else:
            messages.success(request, _("“%(name)s” is being deleted.") % {"name": account.name})
            return HttpResponseRedirect(reverse("console:me"))
    elif request.method == "POST":
        error = _("The account name does not match.")
    projects = list(account.projects.order_by("name"))
    dialog = Dialog(
        template="console/account/members/dialogs/_account_delete_dialog.html",
        title=_("Delete the account “%(name)s”?") % {"name": account.name},
        verb=ngettext("Delete account and %(n)s project", "Delete account and %(n)s projects", len(projects))
        % {"n": len(projects)},
        action=reverse("console:account_delete", args=[account.pk]),
        back=reverse("console:account_settings", args=[account.pk]),
        is_danger=True,
        typed=account.name,
        error=error,
        live=False,
    )
    context = {"projects": projects, "members": account.memberships.count()}
    return show_dialog(request, dialog, context, 422 if error else 200)
