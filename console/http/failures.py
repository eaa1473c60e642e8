"""What is answered when a page, or anything outside an API view, breaks."""

from __future__ import annotations

import sys
from typing import Any

from django.core.signals import got_request_exception
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import bad_request, server_error

from tenancy.api.failures import log_fault
from tenancy.api.rendering import refusal
from tenancy.errors import InternalError, InvalidParameters


@receiver(got_request_exception)
def log_break(sender: Any, request: HttpRequest | None = None, **_: Any) -> None:
    """API views answer, and log, their failures themselves: those never come here."""
    fault = sys.exception()
    if isinstance(fault, Exception):
        log_fault(fault, request)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django refuses before any view sees it, such as a Host header that is not ours."""
    if request.path.startswith("/api/"):
        entry = InvalidParameters("the request's headers or address")
        return JsonResponse(refusal(entry.code, entry.text), status=entry.status)
    return bad_request(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """The API's clients get their envelope even then."""
    if request.path.startswith("/api/"):
        return JsonResponse(refusal(InternalError.code, InternalError.message), status=500)
    return server_error(request)
