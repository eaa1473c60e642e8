"""Error pages 404 and 403 with the side bar, so that members can navigate on."""

from __future__ import annotations

from contextlib import nullcontext

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.defaults import page_not_found, permission_denied

from console.pages.shell.access import Access
from console.pages.shell.rendering import show_page
from console.ui.htmx_triggers import show_toast
from tenancy.isolation.scoping import tenant_scope


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A 404 page, inside the shell if the member may open the project or account."""
    text = _("It was deleted, or the address is wrong.")
    if not _is_page_of_member(request):
        return show_toast(page_not_found(request, exception), f"{_('Page not found')}. {text}")
    return _show_refusal(request, 404, _("Page not found"), text)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """As `not_found`; the exception says which roles may."""
    text = str(exception) or _("Your role in this account does not allow it. Ask an owner or an admin.")
    if not _is_page_of_member(request):
        return show_toast(permission_denied(request, exception), text)
    return _show_refusal(request, 403, _("You do not have permission"), text)


def _is_page_of_member(request: HttpRequest) -> bool:
    htmx = getattr(request, "htmx", None)  # no fragment is a page
    return isinstance(getattr(request, "access", None), Access) and not htmx


def _show_refusal(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    access: Access = request.access  # type: ignore[attr-defined]
    context = {"title": title, "text": text, "project": access.project, "account": access.account}
    with tenant_scope(access.project) if access.project else nullcontext():
        return show_page(request, "console/shell/refusal.html", context, status)
