"""A form with the token of an earlier session."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.csrf import csrf_failure


def refuse_expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A browser gets a page that says so. A page that is open takes the new token and keeps what was typed in it."""
    response = csrf_failure(request, reason=reason)
    response["X-Form-Expired"] = "yes"
    return response
