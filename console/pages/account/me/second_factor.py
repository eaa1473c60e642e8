"""Require a second factor in an account; list who has none yet; keep the last one where it is required."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.account.members.members_list import with_factors
from console.pages.shell.access import account_view, get_person
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.reauthenticate import reauthenticated
from console.sign_in.second_factor import (
    ask_everybody,
    has_second_factor,
    list_asking_accounts,
    remember_wish,
)
from tenancy.errors import CatalogueError
from tenancy.models import Account


@account_view("see", needs_factor=False)
@require_safe
def second_factor(request: HttpRequest, account: Account) -> HttpResponse:
    """Why one is needed here, and how to set it up; users who have one continue to the page they wanted."""
    onward = get_next_redirect_url(request) or reverse("console:projects", args=[account.pk])
    me = get_person(request)
    if has_second_factor(me):
        return HttpResponseRedirect(onward)
    remember_wish(request, account, onward)
    others = Account.objects.filter(memberships__user=me).exclude(pk=account.pk).order_by("name")
    response = render(request, "console/account/second_factor.html", {"account": account, "others": others})
    response["Cache-Control"] = "no-store"
    return response


@account_view("ask_second_factors")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def second_factor_ask(request: HttpRequest, account: Account) -> HttpResponse:
    dialog = _build_dialog(
        account, "second_factor_ask", _("Require two-factor for all members?"), _("Require two-factor")
    )
    if not has_second_factor(get_person(request)):
        return show_dialog(
            request, dialog("_own_factor_first_dialog"), {"account": account}, _get_refused_status(request)
        )
    message = _("Two-factor is now required for all members.")
    return _show_wish_dialog(request, account, dialog, message, asks=True)


@account_view("ask_second_factors")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def second_factor_stop(request: HttpRequest, account: Account) -> HttpResponse:
    title, verb = _("Make two-factor optional?"), _("Make optional")
    dialog = _build_dialog(account, "second_factor_stop", title, verb)
    message = _("Two-factor is now optional.")
    return _show_wish_dialog(request, account, dialog, message, asks=False)


Asking = Callable[..., Dialog]


def _build_dialog(account: Account, name: str, title: str, verb: str) -> Asking:
    def made(template: str, error: str = "") -> Dialog:
        return Dialog(
            template=f"console/account/members/dialogs/{template}.html",
            title=title,
            verb=verb,
            action=reverse(f"console:{name}", args=[account.pk]),
            back=reverse("console:members", args=[account.pk]),
            is_danger=True,
            typed=account.name,
            error=error,
        )

    return made


def _show_wish_dialog(
    request: HttpRequest, account: Account, dialog: Asking, message: str, *, asks: bool
) -> HttpResponse:
    error = ""
    if request.method == "POST":
        error = _settle_wish(request, account, asks=asks)
        if not error:
            return answer_done(
                request, message, reverse("console:members", args=[account.pk]), "member-changed"
            )
    context = {
        "asks": asks,
        "missing": with_factors(account.memberships.all()).filter(has_factor=False).count(),
    }
    return show_dialog(request, dialog("_second_factor_dialog", error), context, _get_refused_status(request))


def _settle_wish(request: HttpRequest, account: Account, *, asks: bool) -> str:
    """Does it, or says why not."""
    if request.POST.get("typed", "").strip() != account.name:
        return _("The account name does not match.")
    try:
        ask_everybody(account, get_person(request), asks=asks)
    except CatalogueError as refusal:
        return describe_failure(refusal)
    return ""


def _get_refused_status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def keeping_the_last(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Around the pages that remove a factor: the last one stays while an account asks for it, and the page says which.

    allauth's own page of passkeys would not ask whether it may.
    """

    @wraps(view)
    def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
        wanted = named or {"type": Authenticator.Type.TOTP}
        factor = Authenticator.objects.filter(user=request.user.pk, **wanted).first()
        if factor is None or get_adapter().can_delete_authenticator(factor):
            return view(request, **named)
        context = {"asking": list_asking_accounts(get_person(request))}
        return render(request, "console/account/me/last_factor.html", context, status=403)

    return guarded
