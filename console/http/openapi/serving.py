"""Serve the OpenAPI description."""

from __future__ import annotations

import json
from functools import cache
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerSplitView


def build_description() -> dict[str, Any]:
    """The OpenAPI description of this installation, the same for everybody."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


# The generator keeps its state in the module: two threads that build at once break each other.
_building = Lock()


@cache
def _build_description_bytes() -> bytes:
    return json.dumps(build_description(), ensure_ascii=False).encode()


def get_description_json() -> bytes:
    """The description as it is served, built once a process by the first request that asks for it."""
    with _building:
        return _build_description_bytes()


@gzip_page
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """The description as JSON, whatever a client accepts."""
    return HttpResponse(get_description_json(), content_type="application/json")


class ApiDocs(SpectacularSwaggerSplitView):
    """The description as a page on which each operation can be read and tried. Its styles are files of ours, which the
    content security policy allows."""

    url_name = "openapi"
    template_name = "console/help/api_docs.html"
