"""What is answered when a page, or anything outside an API view, breaks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import server_error

from tenancy.api.rendering import refusal
from tenancy.errors import InternalError


def broken(request: HttpRequest) -> HttpResponse:
    """The API's clients get their envelope even then."""
    if request.path.startswith("/api/"):
        return JsonResponse(refusal(InternalError.code, InternalError.message), status=500)
    return server_error(request)
