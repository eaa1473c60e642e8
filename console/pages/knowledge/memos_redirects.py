"""The addresses that MemOS's own dashboard has for these pages, so that links from its documentation work here."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.pages.shell.access import get_person
from tenancy.people.onboarding import open_account


@login_required
@require_safe
def knowledge_of_dashboard(request: HttpRequest, base_id: str = "") -> HttpResponse:
    """The same page of the project that the member had open last."""
    project = open_account(get_person(request)).project
    if base_id:
        return HttpResponseRedirect(reverse("console:knowledge_base", args=[project.pk, base_id]))
    return HttpResponseRedirect(reverse("console:knowledge", args=[project.pk]))
