"""Require a recent sign-in before irreversible actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse


def reauthenticated(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Redirect to password or passkey unless the sign-in is recent, and then back here."""

    @wraps(view)
    def guarded(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if is_recent(request):
            return view(request, *arguments, **named)
        address = f"{reverse('account_reauthenticate')}?{urlencode({'next': request.path})}"
        if request.htmx:  # type: ignore[attr-defined]
            return HttpResponse(status=401, headers={"HX-Redirect": address})
        return HttpResponseRedirect(address)

    return guarded


def is_recent(request: HttpRequest) -> bool:
    """Return whether this session proved lately who it is: by signing in, or when it was asked again."""
    since = time.time() - REAUTHENTICATION_TIMEOUT
    proofs = get_authentication_records(request, request.user)
    return any(proof.get("at", 0) >= since for proof in proofs) or did_recently_reauthenticate(request)
