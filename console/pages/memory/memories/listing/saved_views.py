"""Views of the list that members save: for themselves or for everybody of the project."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.pages.memory.memories.listing.list_query import WantedMemories
from console.pages.shell.access import get_page_beside, get_person, project_view
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import wants_only_fragment
from console.ui.lists.query_values import parse_search_words
from memories.retrieval.browse.saved_views import delete_view, list_views_for, save_view
from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.models import Project

LONGEST_NAME = 60


@project_view("change_memories")
@require_POST
def view_save(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = WantedMemories.of(read_shown_query(request, request.POST.get("filter", "")))
    address = reverse("console:memories", args=[project.pk]) + wanted.query()
    name = parse_search_words(request.POST.get("name", ""), LONGEST_NAME)
    if not name:
        return redirect_with_message(request, _("Enter a name for the view."), address)
    fields = wanted.fields() | ({"sort": wanted.sort} if wanted.sort else {})
    is_shared = request.POST.get("shared") == "yes"
    try:
        view = save_view(project, get_person(request), name, fields, is_shared=is_shared)
    except InvalidParameters as refusal:
        return redirect_with_message(request, describe_failure(refusal), address)
    detail = {"is_shared": is_shared}
    record_event(project.account, get_person(request), "view.saved", view, project=project, detail=detail)
    return redirect_with_message(request, _("View “%(name)s” saved.") % {"name": name}, address)


@project_view("change_memories")
@require_POST
def view_delete(request: HttpRequest, project: Project, view_id: UUID) -> HttpResponse:
    view = delete_view(project, get_person(request), view_id)
    if view is None:
        raise Http404
    record_event(project.account, get_person(request), "view.deleted", view, project=project)
    message = _("View “%(name)s” deleted.") % {"name": view.name}
    return redirect_with_message(request, message, reverse("console:memories", args=[project.pk]))


def read_shown_query(request: HttpRequest, otherwise: str) -> QueryDict:
    """Return what the page beside a form shows: its filters may have changed since the form was drawn."""
    address = (get_page_beside(request) or "") if wants_only_fragment(request) else ""
    return QueryDict(urlsplit(address).query if address else otherwise)


def build_views_context(request: HttpRequest, project: Project, wanted: WantedMemories) -> dict[str, Any]:
    """The saved views with their addresses; the one that the list shows at the moment is marked."""
    now = wanted.fields() | ({"sort": wanted.sort} if wanted.sort else {})
    address = reverse("console:memories", args=[project.pk])
    shown = [
        {
            "id": view.pk,
            "name": view.name,
            "is_shared": view.member_id is None,
            "url": f"{address}?{urlencode(view.filter)}",
            "is_current": bool(now) and view.filter == now,
        }
        for view in list_views_for(project, get_person(request))
    ]
    return {"views": shown, "longest_view_name": LONGEST_NAME}
