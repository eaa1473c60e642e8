"""URLs of MemOS's own dashboard, redirected so that links from its documentation lead to the same page here."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, path, reverse
from django.views.decorators.http import require_safe

from console.pages.shell.access import get_person
from tenancy.people.onboarding import open_account

OF_PROJECT = {"quickstart": "quickstart", "apikeys": "api_keys", "memoryList": "memories"}


def redirect_to_page(name: str) -> Callable[[HttpRequest], HttpResponse]:
    """A view that leads to the page of this name of the project that the member had open last."""

    @login_required
    @require_safe
    def redirect(request: HttpRequest) -> HttpResponse:
        project = open_account(get_person(request)).project
        return HttpResponseRedirect(reverse(f"console:{name}", args=[project.pk]))

    return redirect


@login_required
@require_safe
def redirect_to_projects(request: HttpRequest) -> HttpResponse:
    """The projects of the account that the member had open last."""
    account = open_account(get_person(request)).project.account_id
    return HttpResponseRedirect(reverse("console:projects", args=[account]))


dashboard_pages: list[URLPattern | URLResolver] = [
    path(f"{language}{old}{slash}", view)
    for old, view in [
        *((old, redirect_to_page(name)) for old, name in OF_PROJECT.items()),
        ("projects", redirect_to_projects),
    ]
    for language in ("", "en/", "cn/")
    for slash in ("", "/")
]
