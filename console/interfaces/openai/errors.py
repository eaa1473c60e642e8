"""Errors in the shape that OpenAI's clients read, with our code and sentence inside."""

from __future__ import annotations

import json
import re
from typing import Any

from rest_framework.response import Response

from tenancy.api.failures import as_catalogue, log_fault, respond_with_failure
from tenancy.errors import (
    CatalogueError,
    KeyInvalid,
    KeyMalformed,
    KeyRequired,
    RequiredFieldEmpty,
    UnknownRoute,
)

PREFIX = "/v1/"
# As `messages[2].role`, where a sentence begins with it.
_FIELD = re.compile(r"[a-z]\w*(?:\.\w+|\[\d+\])*")


class ModelNotFound(UnknownRoute):
    """A model that neither the project nor the installation has."""

    message = "Unknown model"
    remedy = "Use one of the models that GET /v1/models lists."


def build_error_body(fault: CatalogueError) -> dict[str, Any]:
    """`param` is the field that the sentence begins with, where it names one."""
    field = _FIELD.match(fault.detail)
    is_named = field and (isinstance(fault, RequiredFieldEmpty) or fault.detail.startswith(":", field.end()))
    error = {
        "message": f"[{fault.code}] {fault.text}. {fault.cure}",
        "type": _get_error_type(fault),
        "param": field.group() if field and is_named else None,
        "code": _get_error_code(fault),
    }
    return {"error": error, "detail": fault.text, "code": fault.code}


def _get_error_type(fault: CatalogueError) -> str:
    if fault.status == 429:
        return "rate_limit_error"
    return "server_error" if fault.status >= 500 else "invalid_request_error"


def _get_error_code(fault: CatalogueError) -> str | None:
    if isinstance(fault, KeyRequired | KeyInvalid | KeyMalformed):
        return "invalid_api_key"
    if isinstance(fault, ModelNotFound):
        return "model_not_found"
    return "rate_limit_exceeded" if fault.status == 429 else None


def answer_failure(broken: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception of a view."""
    fault = as_catalogue(broken)
    if fault.status >= 500:
        log_fault(broken, context.get("request"))
    return respond_with_failure(fault, fault.status, build_error_body(fault), "Bearer")


def build_refused_body(fault: CatalogueError) -> tuple[int, bytes]:
    """Status and body of a request that is refused before any view runs."""
    return fault.status, json.dumps(build_error_body(fault)).encode()
