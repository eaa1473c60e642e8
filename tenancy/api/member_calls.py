"""Calls of API views by members in the console: with the validation, limits, quota, trace and log of any API call."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.urls import resolve
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy.api.base import ContractView
from tenancy.ids import uuid7
from tenancy.models import ApiKey, Project, RequestLog

ORIGIN = "console"
# Usage is kept by key: this one is of no row, and stands for the console in every project.
CONSOLE_KEY = UUID(int=0)


class MemberAuthentication(BaseAuthentication):
    """The page around the call has authenticated the member and checked the role."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey]:
        key: ApiKey = request._request.console_key  # type: ignore[attr-defined]
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Session"


class MemberCall(ContractView):
    """Mixed into a view of the API, in front of it: its log rows have the origin "console" and no key."""

    authentication_classes = [MemberAuthentication]

    def _log_row(
        self, request: Request, status: int, answered: dict[str, Any], is_silent: bool
    ) -> RequestLog:
        row = super()._log_row(request, status, answered, is_silent)
        row.api_key, row.origin = None, ORIGIN
        return row


def call_as_member(
    view: Callable[..., Any], outer: HttpRequest, project: Project, path: str, body: Mapping[str, Any]
) -> Response:
    """POST `body` to an API view (one with `MemberCall`) in this thread; `path` names it in the request log.

    Outside of transactions, because quotas are settled in their own. Refusals are answers, as of every API view.
    """
    content = json.dumps(body, ensure_ascii=False).encode()
    names = ("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT")
    kept: dict[str, Any] = {name: outer.META[name] for name in names if name in outer.META}
    inner: Any = WSGIRequest(
        {
            **kept,
            "REQUEST_METHOD": "POST",
            "PATH_INFO": path,
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(content)),
            "wsgi.input": io.BytesIO(content),
        }
    )
    inner.request_id = uuid7().hex
    inner.resolver_match = resolve(path)
    key = ApiKey(pk=CONSOLE_KEY, account=project.account, project=project, name=ORIGIN, scopes=["all"])
    inner.console_key = key
    response: Response = view(inner)
    return response
