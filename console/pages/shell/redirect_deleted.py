"""Redirect an open page to its list when its object was deleted meanwhile."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from console.pages.shell.rendering import wants_only_fragment


def redirect_deleted(request: HttpRequest, address: str) -> HttpResponse:
    """404 for everybody; an open page that asked for its fragment goes to this address. Raises `Http404`."""
    if not wants_only_fragment(request):
        raise Http404
    return HttpResponse(status=404, headers={"HX-Redirect": address})
