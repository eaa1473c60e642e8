"""What is answered when a page, or anything outside an API view, breaks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from django.core.signals import got_request_exception
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import bad_request, server_error

from tenancy.api.failures import log_fault
from tenancy.api.rendering import refusal
from tenancy.errors import InternalError, InvalidParameters

# Addresses whose clients mem0's contract is for, and of all programs.
MEM0 = ("/v1/", "/v2/", "/v3/", "/api/mem0/")
API = ("/api/", *MEM0)


@receiver(got_request_exception)
def log_break(sender: Any, request: HttpRequest | None = None, **_: Any) -> None:
    """API views answer, and log, their failures themselves: those never come here."""
    fault = sys.exception()
    if isinstance(fault, Exception):
        log_fault(fault, request)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django refuses before any view sees it, such as a Host header that is not ours."""
    if request.path.startswith(API):
        entry = InvalidParameters("the request's headers or address")
        return JsonResponse(_body(request, entry.code, entry.text), status=entry.status)
    return bad_request(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """The API's clients get their envelope even then."""
    if request.path.startswith(API):
        return JsonResponse(_body(request, InternalError.code, InternalError.message), status=500)
    return server_error(request)


def _body(request: HttpRequest, code: int, sentence: str) -> Mapping[str, Any]:
    if request.path.startswith(MEM0):
        return {"detail": sentence, "error": sentence, "code": code}
    return refusal(code, sentence)
