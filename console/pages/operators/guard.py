"""The decorator of operators' pages, which checks permissions and renders them in their layout."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

View = Callable[..., HttpResponse]


def operator_page(permission: str) -> Callable[[View], View]:
    """Require this permission of operators, within the admin site's own guard for staff."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied(_("Your permissions as an operator do not include this."))
            return view(request, *arguments, **named)

        guarded.permission = permission  # type: ignore[attr-defined]  # so that a test can read the map
        return guarded

    return decorate


def show_operator(
    request: HttpRequest, template: str, title: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    frame = {**admin.site.each_context(request), "title": title}
    return render(request, f"console/operators/{template}.html", frame | context, status=status)
