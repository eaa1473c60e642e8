"""Exception handler of the API: turns exceptions into responses of the error catalogue."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import Any

import redis
from django.core.exceptions import RequestDataTooBig
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from psycopg_pool import PoolTimeout
from rest_framework import exceptions
from rest_framework.response import Response

from tenancy.api.rendering import build_refusal
from tenancy.api.serializing import find_first_fault
from tenancy.audit.request_context import name_request
from tenancy.errors import (
    CatalogueError,
    Conflict,
    InternalError,
    InvalidParameters,
    KeyInvalid,
    MemoryUnavailable,
    MethodNotAllowed,
    TooManyTokens,
    UnknownRoute,
)
from tenancy.models import Project

log = logging.getLogger(__name__)

FOREIGN_KEY_VIOLATION = "23503"
TENANT_TABLES = ("tenancy_project", "tenancy_account", "tenancy_apikey")
# The database ended the connection: its transaction was idle, or open, for longer than it may be.
TRANSACTION_TIMEOUTS = frozenset({"25P03", "25P04"})


def answer_failure(fault: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception of a view with an entry of the error catalogue."""
    entry = as_catalogue(fault)
    if entry.status >= 500 or isinstance(fault, IntegrityError):
        log_fault(fault, context.get("request"))
    response = respond_with_failure(entry, entry.status, build_refusal(entry.code, entry.text))
    response["X-Engram-Remedy"] = entry.cure.encode("ascii", "replace").decode()
    return response


def respond_with_failure(
    fault: CatalogueError, status: int, body: Mapping[str, Any], scheme: str = ""
) -> Response:
    """A response with the headers that go with the entry: `scheme` names the authentication where the key is at fault,
    and `Retry-After` is in whole seconds."""
    response = Response(body, status=status)
    if status == 401 and scheme:
        response["WWW-Authenticate"] = scheme
    if fault.retry_after is not None:
        response["Retry-After"] = str(max(1, round(fault.retry_after)))
    return response


def as_catalogue(fault: Exception) -> CatalogueError:
    if isinstance(fault, CatalogueError):
        return fault
    if isinstance(fault, exceptions.ValidationError):
        return find_first_fault(fault.detail)
    if isinstance(fault, exceptions.MethodNotAllowed):
        return MethodNotAllowed(str(fault.args[0] if fault.args else ""))
    if isinstance(fault, exceptions.NotFound | Http404):
        return UnknownRoute()
    if isinstance(fault, exceptions.ParseError | exceptions.UnsupportedMediaType):
        return InvalidParameters("the body cannot be read")
    if isinstance(fault, RequestDataTooBig):
        return TooManyTokens("the body is larger than 10 MB")
    if isinstance(fault, OperationalError | InterfaceError | PoolTimeout | redis.RedisError):
        return MemoryUnavailable(retry_after=2)
    state = getattr(fault.__cause__, "sqlstate", "")
    if state in TRANSACTION_TIMEOUTS:
        return MemoryUnavailable(retry_after=2)
    if isinstance(fault, Project.DoesNotExist) or (state == FOREIGN_KEY_VIOLATION and _is_tenant_gone(fault)):
        # The project, and with it the key, was deleted while the request was at work.
        return KeyInvalid()
    if state == FOREIGN_KEY_VIOLATION:
        return Conflict(
            "what the request refers to was deleted or changed meanwhile",
            cure="Look at what is there now, then repeat the request.",
        )
    return InternalError()


def _is_tenant_gone(violation: Exception) -> bool:
    """Return whether the row that a foreign key did not find is the project, the account or the key itself."""
    detail = getattr(getattr(violation.__cause__, "diag", None), "message_detail", None) or ""
    return any(f'"{table}"' in detail for table in TENANT_TABLES)


def log_fault(fault: Exception, request: Any) -> None:
    """Log where an exception was raised and for which request; not its message, which may quote an end user."""
    at = list_failing_frames(fault)
    request_id = "" if request is None else name_request(getattr(request, "_request", request))
    log.error("request_broke", extra={"fault": type(fault).__name__, "at": at, "request_id": request_id})


def list_failing_frames(fault: BaseException) -> list[str]:
    """Our last frames and the very last one, as file:line."""
    frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(fault.__traceback__)]
    ours = [frame for frame in frames if "site-packages" not in frame]
    return [*ours[-5:], frames[-1]] if frames else []


@csrf_exempt  # a client's POST to a mistyped address brings no token, and shall read what is wrong
def answer_unknown_route(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """View for URLs below the API that no other view serves."""
    entry = UnknownRoute(request.path[:200])
    headers = {"X-Request-Id": request.request_id, "X-Engram-Remedy": entry.cure}  # type: ignore[attr-defined]
    return JsonResponse(build_refusal(entry.code, entry.text), status=entry.status, headers=headers)
