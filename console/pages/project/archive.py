"""Archive and restore a project; dialogs and cards are those of the projects page."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.data.erasure.unarchive import unarchive_project
from console.pages.shell.access import account_view, get_person
from console.pages.shell.dialogs import answer_done
from tenancy.models import Account, Project
from tenancy.projects.projects import archive_project


def load_project(account: Account, project_id: UUID) -> Project:
    """One that nobody is deleting; a stranger's answers like a made-up one."""
    project = account.projects.here().filter(pk=project_id).first()
    if project is None:
        raise Http404
    project.account = account
    return project


@account_view("archive_project")
@require_POST
def project_archive(request: HttpRequest, account: Account, project_id: UUID) -> HttpResponse:
    project = load_project(account, project_id)
    archive_project(project, get_person(request))
    message = _("“%(name)s” is archived: its keys are refused, and nothing in it changes.") % {
        "name": project.name
    }
    undo = reverse("console:project_restore", args=[account.pk, project.pk])
    return answer_changed(request, account, message, undo=undo)


@account_view("archive_project")
@require_POST
def project_restore(request: HttpRequest, account: Account, project_id: UUID) -> HttpResponse:
    project = load_project(account, project_id)
    unarchive_project(project, get_person(request))
    return answer_changed(request, account, _("“%(name)s” is restored.") % {"name": project.name})


def answer_changed(request: HttpRequest, account: Account, message: str, undo: str = "") -> HttpResponse:
    back = reverse("console:projects", args=[account.pk])
    return answer_done(request, message, back, "project-changed", undo=undo)
