"""The end of an account."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.erasure.delete_account import delete_account
from console.pages.account.billing_words import in_full
from console.pages.me.reauthenticate import reauthenticated
from console.pages.shell.access import account_view, person
from console.pages.shell.dialogs import Dialog, ask
from tenancy.errors import CatalogueError
from tenancy.models import Account


@account_view("delete_account")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_delete(request: HttpRequest, account: Account) -> HttpResponse:
    error = ""
    if request.method == "POST" and request.POST.get("typed", "").strip() == account.name:
        try:
            delete_account(account, person(request))
        except CatalogueError as failure:
            # Until the subscription is cancelled, Stripe would go on charging an account that is gone.
            error = in_full(failure)
        else:
            return HttpResponseRedirect(reverse("console:me"))
    elif request.method == "POST":
        error = _("The account name does not match.")
    dialog = Dialog(
        template="console/members/_account_delete_dialog.html",
        title=_("Delete the account “%(name)s”?") % {"name": account.name},
        verb=_("Delete account"),
        action=reverse("console:account_delete", args=[account.pk]),
        back=reverse("console:members", args=[account.pk]),
        is_danger=True,
        typed=account.name,
        error=error,
        live=False,
    )
    context = {"projects": list(account.projects.order_by("name")), "members": account.memberships.count()}
    return ask(request, dialog, context, 422 if error else 200)
