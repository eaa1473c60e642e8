"""Middleware for the addresses of OAuth: refuses what the database cannot store, and bodies that nobody can read."""

from __future__ import annotations

from collections.abc import Callable

from allauth.core.internal.httpkit import extract_basic_auth
from django.http import HttpRequest, HttpResponse, JsonResponse

from tenancy.api.bodies.parsing import parse_object, refuse_unstorable
from tenancy.errors import InvalidParameters

PREFIX = "/identity/"
# The only address that reads JSON, whatever type of content it is sent as.
REGISTRATION = "/identity/o/api/clients"


class RefuseUnstorable:
    """Answers in the form of RFC 6749, 5.2, in front of allauth's views, which break on such values."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(PREFIX):
            try:
                _check_parameters(request)
            except InvalidParameters as refusal:
                answer = {"error": "invalid_request", "error_description": refusal.text}
                return JsonResponse(answer, status=400, headers={"Cache-Control": "no-store"})
        return self.get_response(request)


def _check_parameters(request: HttpRequest) -> None:
    """Raises `InvalidParameters`."""
    refuse_unstorable(dict(request.GET.lists()))
    refuse_unstorable(list(extract_basic_auth(request.headers)), "Authorization")
    if request.method != "POST":
        return
    if request.path_info == REGISTRATION:
        parse_object(request.body)
    else:
        refuse_unstorable(dict(request.POST.lists()))
