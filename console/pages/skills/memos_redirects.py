"""Redirect the URL of MemOS's own dashboard for skills, so that links from its documentation work here."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.pages.shell.access import get_person
from tenancy.people.onboarding import open_account


@login_required
@require_safe
def skills_of_dashboard(request: HttpRequest) -> HttpResponse:
    """The skills of the project that the member had open last."""
    project = open_account(get_person(request)).project
    return HttpResponseRedirect(reverse("console:skills", args=[project.pk]))
