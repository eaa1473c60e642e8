"""Render a page for browsers, or one fragment of it for htmx, with the same view and context."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from console.pages.shell.shell import build_shell


def render_page(
    request: HttpRequest, page: str, fragment: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A browser gets the page; htmx gets the one fragment it is going to swap."""
    wants_fragment = wants_only_fragment(request)
    if not wants_fragment:
        context = {"shell": build_shell(request)} | context
    response = render(request, fragment if wants_fragment else page, context, status=status)
    patch_vary_headers(response, ["HX-Request"])  # or a cache serves a bare fragment as a page
    return response


def show_page(request: HttpRequest, page: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """A page that has no fragment."""
    return render(request, page, {"shell": build_shell(request)} | context, status=status)


def wants_only_fragment(request: HttpRequest) -> bool:
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request
