"""Require a second factor of operators in this session before they see any account."""

from __future__ import annotations

from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.models import Authenticator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from console.sign_in.second_factor import GOES_ON, KINDS, WANTED

# Ending a session or a visit shows nothing.
ALWAYS_OPEN = frozenset({"admin:logout", "admin:visit_end"})
OPERATORS = "operators"


def has_proven_factor(request: HttpRequest) -> bool:
    """Return whether this session gave one, or set one up, and it is still there."""
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" for record in records) and bool(_list_factor_kinds(request))


def factor_first(request: HttpRequest) -> HttpResponse | None:
    """Where an operator goes before they may see anything; None when they may."""
    match = request.resolver_match
    if match is not None and match.view_name in ALWAYS_OPEN:
        return None
    if has_proven_factor(request):
        if request.session.get(GOES_ON, {}).get("account") == OPERATORS:
            del request.session[GOES_ON]
        return None
    onward = request.get_full_path() if request.method in {"GET", "HEAD"} else reverse("admin:index")
    if kinds := _list_factor_kinds(request):
        page = "mfa_reauthenticate" if Authenticator.Type.TOTP in kinds else "mfa_reauthenticate_webauthn"
        return HttpResponseRedirect(f"{reverse(page)}?{urlencode({'next': onward})}")
    request.session[WANTED] = {"account": OPERATORS, "name": _("Operators"), "address": onward}
    response = render(request, "console/operators/factor.html", status=403)
    response["Cache-Control"] = "no-store"
    return response


def _list_factor_kinds(request: HttpRequest) -> set[str]:
    factors = Authenticator.objects.filter(user=request.user.pk, type__in=KINDS)
    return set(factors.values_list("type", flat=True))
