"""Sample data of an account: added to a project of its own by a background job, and removed with that project."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.data.sample_data.filling import SAMPLE, find_sample_project
from console.data.sample_data.job import add_sample_data, remove_sample_data
from console.pages.shell.access import account_view, get_access, get_person
from console.pages.shell.dialogs import Dialog, redirect_with_message, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.sample_offer import build_sample_offer
from tenancy.errors import CatalogueError
from tenancy.models import Account, Project


@account_view("edit_project")
@require_POST
def sample_add(request: HttpRequest, account: Account) -> HttpResponse:
    """Ordered a second time, it leads to the project that is there."""
    try:
        project = add_sample_data(account, get_person(request))
    except CatalogueError as refusal:
        return redirect_with_message(request, describe_failure(refusal), _build_projects_url(account))
    message = _("Sample data is being added to the project “%(name)s”. This takes about a minute.")
    address = reverse("console:overview", args=[project.pk])
    return redirect_with_message(request, message % {"name": project.name}, address)


@account_view("edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def sample_remove(request: HttpRequest, account: Account) -> HttpResponse:
    project = find_sample_project(account)
    if project is None:
        raise Http404
    error = ""
    if request.method == "POST":
        try:
            remove_sample_data(project, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            return redirect_with_message(
                request, _("The sample data is being deleted."), _build_projects_url(account)
            )
    dialog = Dialog(
        template="console/project/sample/_remove_dialog.html",
        title=_("Remove the sample data?"),
        verb=_("Remove sample data"),
        action=reverse("console:sample_remove", args=[account.pk]),
        back=_build_projects_url(account),
        is_danger=True,
        error=error,
    )
    context = {"account": account, "doomed": project, "base": SAMPLE["base"]["name"]}
    return show_dialog(request, dialog, context, 422 if error else 200)


def build_sample_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return what the card of the settings shows."""
    return {"sample": find_sample_project(get_access(request).account), **build_sample_offer(request)}


def _build_projects_url(account: Account) -> str:
    return reverse("console:projects", args=[account.pk])
