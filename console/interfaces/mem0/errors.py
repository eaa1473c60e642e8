"""Error bodies of mem0's contract: the sentence as `detail` and `error`, and our code."""

from __future__ import annotations

import json
import time
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.response import Response

from tenancy.api.failures import as_catalogue, log_fault, respond_with_failure
from tenancy.errors import (
    CatalogueError,
    DeletionForbidden,
    DuplicateMemory,
    EndUserUnknown,
    FilesTooLarge,
    FileTooLarge,
    InvalidParameters,
    KeyForbidden,
    MemoryFrozen,
    MemoryUnknown,
    NotFound,
    PlanLimitReached,
    RateLimited,
    TaskUnknown,
    TooManyTokens,
    UnknownRoute,
)

PREFIX = "/api/mem0"
# How addresses of the contract begin. What else is below `/v1` is for OpenAI's clients.
BEGINNINGS = (
    f"{PREFIX}/",
    *(f"/v1/{name}" for name in "ping memories batch feedback entities event exports summary".split()),
    *("/v2/", "/v3/", "/api/v1/orgs/", "/api/v1/webhooks/"),
)

MISSING = (NotFound, MemoryUnknown, TaskUnknown, EndUserUnknown)
FORBIDDEN = (KeyForbidden, DeletionForbidden)
TOO_LARGE = (FileTooLarge, FilesTooLarge, TooManyTokens, PlanLimitReached)
CONFLICTS = (MemoryFrozen, DuplicateMemory)


class Missing(NotFound):
    """A route or an act that Engram does not have; the sentence says what to use instead."""

    status = 404
    message = "Not available"
    remedy = "Use what the message names."


class NotForKeys(KeyForbidden):
    """Raised for what is done in the console by people, and by no key."""

    message = "Not for API keys"
    remedy = "Do it in the console."


class NotHad(InvalidParameters):
    """A route that exists upstream, and whose work something else does here."""

    message = "Not available"
    remedy = "Use what the message names."


def get_http_status(fault: CatalogueError) -> int:
    """The HTTP status by which mem0's clients choose their exception."""
    for kinds, status in ((MISSING, 404), (FORBIDDEN, 403), (CONFLICTS, 409), (TOO_LARGE, 413)):
        if isinstance(fault, kinds):
            return status
    return fault.status


def build_error_body(fault: CatalogueError) -> dict[str, Any]:
    return {"detail": fault.text, "error": fault.text, "code": fault.code}


def answer_failure(broken: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception of a view in this contract's form."""
    fault = as_catalogue(broken)
    status = get_http_status(fault)
    if status >= 500:
        log_fault(broken, context.get("request"))
    response = respond_with_failure(fault, status, build_error_body(fault), "Token")
    if isinstance(fault, RateLimited) and fault.retry_after is not None:
        _say_limits(response, context, max(1, round(fault.retry_after)))
    return response


def _say_limits(response: Response, context: dict[str, Any], seconds: int) -> None:
    """The headers of a rate limit, in requests per second; the reset is in seconds since 1970."""
    key = getattr(context.get("request"), "auth", None)
    if key is not None:
        response["X-RateLimit-Limit"] = str(key.project.account.plan.most_requests_per_second)
    response["X-RateLimit-Remaining"] = "0"
    response["X-RateLimit-Reset"] = str(int(time.time()) + seconds)


def build_refused_body(fault: CatalogueError) -> tuple[int, bytes]:
    """Status and body for a request that was refused before any view ran."""
    return get_http_status(fault), json.dumps(build_error_body(fault), ensure_ascii=False).encode()


@csrf_exempt
def unknown_address(request: HttpRequest, **_: Any) -> JsonResponse:
    """An address below `/v1`, `/v2` or `/v3` that nothing serves, in a form that OpenAI's clients can read as well."""
    entry = UnknownRoute(request.path[:200])
    error = {"message": entry.text, "type": "not_found_error", "param": None, "code": str(entry.code)}
    body = {"detail": entry.text, "error": error, "code": entry.code}
    return JsonResponse(body, status=404, headers={"X-Request-Id": request.request_id})  # type: ignore[attr-defined]
