"""One memory, in a drawer beside the list: content, sources, history, JSON."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.access import access_of, project_view, roles_for
from console.pages.rendering import show, wants_only_fragment
from console.pages.selects import one_of
from memories.api.answers import fact, preference, with_sources
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.values import Kind, Status
from tenancy.models import Project

VIEWS = ("content", "sources", "history", "json")


@project_view("see")
@require_safe
def memory(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    """A fragment only: a browser gets the list with the drawer open."""
    if not wants_only_fragment(request):
        query = urlencode({"open": memory_id} | {k: v for k, v in request.GET.items() if k == "view"})
        return HttpResponseRedirect(f"{reverse('console:memories', args=[project.pk])}?{query}")
    context = detail_context(request, project, find_memory(project, str(memory_id)))
    return show(request, "", "console/memories/_detail.html", context)


def deletion_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "may_delete": access_of(request).may("delete_memories"),
        "delete_hint": _("Only %(roles)s can delete memories.") % {"roles": roles_for("delete_memories")},
    }


def shown_status(memory: Memory) -> str:
    """The status in the console: what was replaced by something later says so."""
    if memory.valid_until is not None and memory.status in {Status.ACTIVATED, Status.FROZEN}:
        return "replaced"
    return memory.status


def held_by(project: Project) -> MemoryQuerySet:
    """Every memory of the project, the replaced ones too."""
    return Memory.objects.within(MemCube.objects.within(project))


def find_memory(project: Project, memory_id: str) -> Memory:
    try:
        key = UUID(memory_id)
    except ValueError:
        raise Http404 from None
    found = held_by(project).select_related("cube", "superseded_by").filter(pk=key).first()
    if found is None:
        raise Http404
    found.shown_status = shown_status(found)
    return found


def detail_context(request: HttpRequest, project: Project, opened: Memory) -> dict[str, Any]:
    view = one_of(request.GET.get("view", ""), VIEWS) or "content"
    sources = [
        row.message
        for row in opened.sources.select_related("message__conversation").order_by("message__position")
    ]
    versions = list(opened.versions.all())
    return {
        "project": project,
        "opened": opened,
        "view": view,
        "parts": _parts(project, opened, len(sources), len(versions)),
        "sources": sources,
        "versions": versions,
        "successor": opened.superseded_by,
        "info": json.dumps(opened.info, indent=2, ensure_ascii=False) if opened.info else "",
        "json": _as_answered(opened) if view == "json" else "",
        "close_url": reverse("console:memories", args=[project.pk]),
        **deletion_context(request),
    }


def _parts(project: Project, opened: Memory, sources: int, versions: int) -> list[dict[str, Any]]:
    address = reverse("console:memory", args=[project.pk, opened.pk])
    page = reverse("console:memories", args=[project.pk])
    titles = {
        "content": (_("Content"), None),
        "sources": (_("Sources"), sources),
        "history": (_("History"), versions),
        "json": (_("JSON"), None),
    }
    return [
        {
            "name": name,
            "title": title,
            "count": count,
            "url": f"{address}?view={name}",
            "page_url": f"{page}?open={opened.pk}&view={name}",
        }
        for name, (title, count) in titles.items()
    ]


def _as_answered(opened: Memory) -> str:
    shape = preference if opened.kind == Kind.PREFERENCE else fact
    return json.dumps(with_sources(shape(opened), opened), indent=2, ensure_ascii=False, default=str)
