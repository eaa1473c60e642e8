"""The admin site: access, the operator in the audit log, navigation."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, reverse
from django.utils.translation import gettext_lazy as _

from console.sign_in.operator_factor import factor_first
from console.ui.operator_menu import list_admin_records, list_areas_for
from tenancy.audit.request_context import OPERATOR, act_as


class OperatorSite(admin.AdminSite):
    """Django's admin site for staff, each with their own permissions. To everybody else its pages do not exist."""

    site_title = site_header = "Engram"
    index_title = _("Operators")
    enable_nav_sidebar = False

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """What is done in here is done by an operator: the audit logs of accounts name them by their id."""

        @wraps(view)
        def as_operator(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            with act_as(OPERATOR, str(request.user.pk)):
                return view(request, *arguments, **named)

        guarded = super().admin_view(as_operator, cacheable)

        @wraps(guarded)
        def hidden(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            if request.user.is_authenticated and not self.has_permission(request):
                raise Http404
            if request.user.is_authenticated and (detour := factor_first(request)):
                return detour
            return guarded(request, *arguments, **named)

        return hidden

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the console's sign-in page, with its limits and second factors, instead of Django's form."""
        return secure_admin_login(_go_inside)(request)

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The same page as for everybody: it asks who is there, and tells the accounts."""
        return HttpResponseRedirect(reverse("account_change_password"))

    def index(self, request: HttpRequest, extra_context: Any = None) -> Any:
        context = {**self.each_context(request), "title": self.index_title, **(extra_context or {})}
        return render(request, "console/operators/index.html", context)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        return {
            **context,
            "areas": list_areas_for(request),
            "records": list_admin_records(context["available_apps"]),
        }

    def get_urls(self) -> list[URLPattern | URLResolver]:
        # The pages need models, and this module is imported while apps are being loaded.
        from console.pages.operators.urls import build_url_patterns

        return [*build_url_patterns(self), *super().get_urls()]


def _go_inside(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:index"))
