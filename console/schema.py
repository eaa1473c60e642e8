"""The OpenAPI description: how it is built and served."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2
from rest_framework.request import Request


def only_documented_paths(endpoints: list[Any]) -> list[Any]:
    """One path an endpoint: the contract's own spelling, without the optional slash."""
    documented = []
    for path, pattern, method, callback in endpoints:
        if path.startswith("/api/openmem/v1/"):
            documented.append((path.replace("/?", "").rstrip("/"), pattern, method, callback))
    return documented


def mock_request(method: str, path: str, view: Any, original_request: Any, **options: Any) -> Request:
    """The request that stands for each operation while it is described. No middleware has seen it, so that a view of
    the API, which needs the request's id, is not asked to begin with it."""
    request = HttpRequest()
    request.method, request.path = method, path
    return Request(request)


def description() -> dict[str, Any]:
    """The OpenAPI description of this installation, the same for everybody."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


# The generator keeps its state in the module: two threads that build at once break each other.
_building = Lock()


@cache
def _built() -> bytes:
    return OpenApiJsonRenderer2().render(description(), renderer_context={})


def description_as_json() -> bytes:
    """The description as it is served, built once a process by the first request that asks for it."""
    with _building:
        return _built()


@gzip_page
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """The description as JSON, whatever a client accepts."""
    return HttpResponse(description_as_json(), content_type="application/json")
