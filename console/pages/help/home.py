"""The public landing page, and the redirect after signing in."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.pages.monitoring.overview.overview import start_address
from console.pages.shell.access import get_person
from console.sign_in.operator_visit import get_start_url, get_visit
from console.ui.texts.snippets import list_snippets
from tenancy.people.onboarding import open_account


@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    return render(request, "console/help/landing.html", {"snippets": list_snippets("search")})


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The member's last project; the first sign-in makes the account and its first project.

    An operator who visits an account lands there, and nothing is made.
    """
    if visit := get_visit(request):
        return HttpResponseRedirect(get_start_url(visit))
    tenant = open_account(get_person(request))
    return HttpResponseRedirect(start_address(tenant.project))
