"""Share a knowledge base with projects, rename it, delete it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.knowledge.base import show_tab
from console.pages.knowledge.base_context import build_base_url, find_base
from console.pages.knowledge.bases import BaseForm, ChoiceForm
from console.pages.shell.access import build_archived_error, get_person, project_view, require_in
from console.pages.shell.dialogs import Dialog, add_body_events, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import wants_only_fragment
from knowledgebase.bases.base_summaries import BaseFigures, load_base_figures
from knowledgebase.bases.bases import delete_base, edit_base, link_base, unlink_base
from knowledgebase.models import KnowledgeBase
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def _list_sharing_projects(project: Project, base: KnowledgeBase) -> list[Project]:
    """All that a change of the base is a change for."""
    return [linked_project for linked_project, _at in _load_figures(project, base).projects]


@project_view("link_bases", is_scoped=False)
@require_POST
def knowledge_edit(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    base = find_base(project, base_id)
    require_in(request, "link_bases", _list_sharing_projects(project, base))
    form = BaseForm(request.POST)
    if form.is_valid():
        try:
            with transaction.atomic():
                edit_base(base, form.cleaned_data["name"], form.cleaned_data["description"])
                record_event(
                    project.account, get_person(request), "knowledge_base.edited", base, project=project
                )
        except CatalogueError as refusal:
            form.add_error("name", describe_failure(refusal))
    if form.errors:
        return show_tab(request, project, base, shown_tab="settings", more={"form": form}, status=422)
    if not wants_only_fragment(request):
        return answer_done(request, _("Saved."), build_base_url(project, base, "settings"))
    shown = show_tab(request, project, find_base(project, base_id), shown_tab="settings", more={})
    return add_body_events(shown, toast={"text": _("Saved.")})


@project_view("link_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_link(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    base = find_base(project, base_id)
    free = _list_unlinked_projects(project, base)
    form = ChoiceForm(
        request.POST or None, _("Project"), [(str(candidate.pk), candidate.name) for candidate in free]
    )
    if request.method == "POST" and form.is_valid():
        chosen = next(candidate for candidate in free if str(candidate.pk) == form.cleaned_data["chosen"])
        require_in(request, "link_bases", [chosen])
        with transaction.atomic():
            link_base(chosen, base)
            record_event(project.account, get_person(request), "knowledge_base.linked", base, project=chosen)
        message = _("“%(name)s” may use it now.") % {"name": chosen.name}
        return answer_done(request, message, build_base_url(project, base, "projects"), "base-changed")
    dialog = Dialog(
        template="console/knowledge/dialogs/_choice_dialog.html",
        title=_("Associate with a project"),
        verb=_("Associate knowledge base"),
        action=reverse("console:knowledge_link", args=[project.pk, base.public_id]),
        back=build_base_url(project, base, "projects"),
    )
    lead = _("Searches of that project may then name this base, and its feedback may correct it.")
    context = {"form": form, "lead": lead, "has_choice": bool(free)}
    return show_dialog(request, dialog, context, 422 if form.errors else 200)


@project_view("link_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_unlink(request: HttpRequest, project: Project, base_id: str, linked_id: UUID) -> HttpResponse:
    base = find_base(project, base_id)
    sharing = _list_sharing_projects(project, base)
    linked = next((linked_project for linked_project in sharing if linked_project.pk == linked_id), None)
    if linked is None:
        raise Http404
    require_in(request, "link_bases", [linked])
    if linked.archived_at is not None:  # the page is another's, and its guard asked about that one only
        raise build_archived_error()
    if request.method == "POST":
        with transaction.atomic():
            unlink_base(linked, base)
            record_event(
                project.account, get_person(request), "knowledge_base.unlinked", base, project=linked
            )
        message = _("“%(name)s” no longer uses it.") % {"name": linked.name}
        if linked.pk == project.pk:
            return _redirect_to_bases(request, project, message)
        return answer_done(request, message, build_base_url(project, base, "projects"), "base-changed")
    dialog = Dialog(
        template="console/knowledge/dialogs/_unlink_dialog.html",
        title=_("Disassociate from “%(name)s”?") % {"name": linked.name},
        verb=_("Disassociate knowledge base"),
        action=reverse("console:knowledge_unlink", args=[project.pk, base.public_id, linked.pk]),
        back=build_base_url(project, base, "projects"),
        is_danger=True,
    )
    return show_dialog(request, dialog, {"base": base, "linked": linked, "is_last": len(sharing) == 1})


@project_view("delete_base", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_delete(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    base = find_base(project, base_id)
    require_in(request, "delete_base", _list_sharing_projects(project, base))
    is_typed = request.POST.get("typed", "").strip() == base.name.strip()
    if request.method == "POST" and is_typed:
        with transaction.atomic():
            delete_base(project, base)
            record_event(
                project.account, get_person(request), "knowledge_base.deleted", base, project=project
            )
        return _redirect_to_bases(
            request, project, _("Knowledge base “%(name)s” is deleted.") % {"name": base.name}
        )
    is_wrong = request.method == "POST"
    dialog = Dialog(
        template="console/knowledge/dialogs/_delete_dialog.html",
        title=_("Delete knowledge base “%(name)s”?") % {"name": base.name},
        verb=_("Delete knowledge base"),
        action=reverse("console:knowledge_delete", args=[project.pk, base.public_id]),
        back=build_base_url(project, base, "settings"),
        is_danger=True,
        typed=base.name.strip(),
        error=_("The name does not match.") if is_wrong else "",
    )
    context: dict[str, Any] = {"base": base, "figures": _load_figures(project, base)}
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)


def _load_figures(project: Project, base: KnowledgeBase) -> BaseFigures:
    with tenant_scope(project.account):
        return load_base_figures([base])[base.pk]


def _list_unlinked_projects(project: Project, base: KnowledgeBase) -> list[Project]:
    linked = {linked_project.pk for linked_project, _at in _load_figures(project, base).projects}
    return [
        candidate
        for candidate in project.account.projects.at_work().order_by("name")
        if candidate.pk not in linked
    ]


def _redirect_to_bases(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    """Redirect to the list of bases, because the project has lost this one."""
    address = reverse("console:knowledge", args=[project.pk])
    messages.success(request, message)
    if wants_only_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
