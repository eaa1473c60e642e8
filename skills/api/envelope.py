"""The envelope of the skill memory contract, whose error code is the HTTP status."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.response import Response

from tenancy.api.failures import as_catalogue, log_fault, respond_with_failure
from tenancy.errors import (
    CatalogueError,
    DeletionForbidden,
    FilesTooLarge,
    FileTooLarge,
    NotFound,
    TooManyTokens,
)

PREFIX = "/api/v1/"
TOO_LARGE = (FileTooLarge, FilesTooLarge, TooManyTokens)


def build_success_body(data: Any = None, message: str = "") -> dict[str, Any]:
    return {"code": 0, "msg": message} | ({} if data is None else {"data": data})


def get_http_status(fault: CatalogueError) -> int:
    """The HTTP status of an error: this contract has statuses where the other one has codes."""
    if isinstance(fault, NotFound):
        return 404
    if isinstance(fault, TOO_LARGE) or getattr(fault, "is_too_large", False):
        return 413
    if isinstance(fault, DeletionForbidden):
        return 401
    return fault.status


def build_failure_body(fault: CatalogueError) -> dict[str, Any]:
    """Build the body of a failure. What is not there is named by the failure itself; else the catalogue's sentence
    leads."""
    text = fault.detail if type(fault) is NotFound and fault.detail else fault.text
    return {"code": get_http_status(fault), "msg": text}


def answer_failure(broken: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception of a view in this contract's envelope."""
    fault = as_catalogue(broken)
    status = get_http_status(fault)
    if status >= 500:
        log_fault(broken, context.get("request"))
    return respond_with_failure(fault, status, build_failure_body(fault), "Bearer")


def build_refused_body(fault: CatalogueError) -> tuple[int, bytes]:
    """Status and body for a request that was refused before any view ran."""
    return get_http_status(fault), json.dumps(build_failure_body(fault)).encode()
