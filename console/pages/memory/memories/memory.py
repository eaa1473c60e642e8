"""One memory, in a drawer beside the list: content, sources, history, JSON."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.memories.edit_form import build_form, edit_hint, has_editable_text
from console.pages.memory.memories.gone import MemoryGone, show_gone
from console.pages.memory.memories.graph import build_graph_context
from console.pages.memory.memories.history_steps import build_steps
from console.pages.memory.memories.links import build_memory_url
from console.pages.memory.memories.recall import recall_context
from console.pages.memory.memories.status_actions import get_possible_moves
from console.pages.memory.memories.tool_memory import build_tool_context
from console.pages.shell.access import format_roles_for, get_access, project_view
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.htmx_triggers import trigger_events
from console.ui.lists.query_values import parse_choice
from memories.api.answers import build_memory_answer, with_sources
from memories.consolidation.tool_memories import TOOLS, Rates, format_words_with_calls, load_success_rates
from memories.cubes.access import select_reachable_memories
from memories.jobs.project_tasks import find_memory_refined_from
from memories.models import Memory, MemoryVersion
from memories.retrieval.browse.source_sentence import mark_source
from memories.values import MemoryStatus
from tenancy.models import Project

# So many memories that it replaced are listed; the rest is a search away.
PREDECESSORS = 20
VIEWS = ("content", "sources", "history", "graph", "recall", "json", "edit")
# Ids of the tabs begin so; htmx gives the focus back to what has an id.
TAB = "memory-tab-"


@project_view("see")
@require_safe
def memory(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    """A fragment only: a browser gets the list with the drawer open."""
    opened = find_memory_to_show(project, str(memory_id))
    if opened is None:
        if not wants_only_fragment(request):
            raise MemoryGone
        return show_gone(request, project, memory_id)
    if not wants_only_fragment(request):
        view = {name: value for name, value in request.GET.items() if name == "view"}
        return HttpResponseRedirect(build_memory_url(project, opened, open=opened.pk, **view))
    context = build_detail_context(request, project, opened)
    response = render_page(request, "", "console/memory/memories/detail/_detail.html", context)
    if request.headers.get("HX-Trigger", "").startswith(TAB):
        # The list beside it may have been filtered since the tabs were drawn.
        response["HX-Push-Url"] = build_view_url(request, project, opened, context["view"])
    if opened.pk != memory_id:
        response["HX-Push-Url"] = build_view_url(request, project, opened, "content")
        trigger_events(response, {"memory-changed": {}})
    return response


def build_deletion_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "may_delete": get_access(request).may("delete_memories"),
        "delete_hint": _("Only %(roles)s can delete memories.")
        % {"roles": format_roles_for("delete_memories")},
    }


def get_shown_status(memory: Memory) -> str:
    """The status in the console: what was replaced by something later says so, and what is past its last day."""
    if memory.valid_until is not None and memory.status in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN}:
        return "replaced"
    if memory.status in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN} and memory.is_past_its_day:
        return MemoryStatus.EXPIRED
    return memory.status


def find_memory(project: Project, memory_id: str) -> Memory:
    memory = _find_memory(project, _parse_memory_id(memory_id))
    if memory is None:
        raise MemoryGone
    return memory


def find_memory_to_show(project: Project, memory_id: str) -> Memory | None:
    """As `find_memory`, but instead of a raw memory that was refined meanwhile the first that replaced it."""
    key = _parse_memory_id(memory_id)
    return _find_memory(project, key) or find_memory_refined_from(project, key)


def _find_memory(project: Project, key: UUID) -> Memory | None:
    memories = select_reachable_memories(project).select_related("cube", "superseded_by")
    memory: Memory | None = memories.filter(pk=key).first()
    return memory


def _parse_memory_id(memory_id: str) -> UUID:
    try:
        return UUID(memory_id)
    except ValueError:
        raise Http404 from None


def build_detail_context(request: HttpRequest, project: Project, opened: Memory) -> dict[str, Any]:
    view = _choose_view(request, opened)
    words = format_words_with_calls if opened.kind in TOOLS else attrgetter("text")
    sources = [
        (row.message, mark_source(words(row.message), opened.text))
        for row in opened.sources.select_related("message__conversation").order_by("message__said_at")
    ]
    versions = list(opened.versions.all())
    steps = build_steps(opened, versions)
    rates = load_success_rates(project, [opened])
    return {
        "project": project,
        "opened": opened,
        "opened_status": get_shown_status(opened),
        "view": view,
        "parts": _list_parts(request, project, opened, len(sources), len(steps) + 1),
        "sources": sources,
        "steps": steps,
        "first_text": versions[-1].text if versions else opened.text,
        "successor": opened.superseded_by,
        "predecessors": list(opened.supersedes.order_by("-valid_until")[:PREDECESSORS]),
        "moves": _moves(request, project, opened),
        "edit_url": build_view_url(request, project, opened, "edit"),
        "content_url": build_view_url(request, project, opened, "content"),
        "may_change": get_access(request).may("change_memories"),
        "edit_hint": edit_hint(opened),
        "form": build_form(opened) if view == "edit" else None,
        "restorable": _list_restorable_versions(opened, versions),
        "change_hint": _("Only %(roles)s can change memories.")
        % {"roles": format_roles_for("change_memories")},
        "info": json.dumps(opened.info, indent=2, ensure_ascii=False) if opened.info else "",
        "json": _as_answered(opened, rates) if view == "json" else "",
        "close_url": build_view_url(request, project, opened),
        **build_tool_context(opened, rates),
        **(build_graph_context(project, opened) if view == "graph" else {}),
        **(recall_context(project, opened, request.GET.get("question", "")) if view == "recall" else {}),
        **build_deletion_context(request),
    }


def _choose_view(request: HttpRequest, opened: Memory) -> str:
    view = parse_choice(request.GET.get("view", ""), VIEWS) or "content"
    may_edit = get_access(request).may("change_memories") and not edit_hint(opened)
    return "content" if view == "edit" and not may_edit else view


def _list_restorable_versions(opened: Memory, versions: list[MemoryVersion]) -> set[int]:
    """The numbers of the versions that say something else than the memory does now."""
    if edit_hint(opened) or not has_editable_text(opened):
        return set()
    return {version.number for version in versions if _says_else(version, opened)}


def _says_else(version: MemoryVersion, memory: Memory) -> bool:
    """Versions from before tags and info were kept know nothing of them."""
    tags, info = version.tags, version.info
    return (
        (version.title, version.text) != (memory.title, memory.text)
        or (tags is not None and tags != memory.tags)
        or (info is not None and info != memory.info)
    )


def _moves(request: HttpRequest, project: Project, opened: Memory) -> list[dict[str, Any]]:
    """Return what may be done with the status, each with its address; none without the right to do it."""
    may_change = get_access(request).may("change_memories")
    return [
        {
            "verb": move.verb,
            "icon": move.icon,
            "key": move.key,
            "url": reverse("console:memory_status", args=[project.pk, opened.pk, name]) if may_change else "",
        }
        for name, move in get_possible_moves(opened).items()
    ]


def build_view_url(request: HttpRequest, project: Project, opened: Memory, view: str = "") -> str:
    """The list beside the drawer as it is filtered now, with a part of this memory open, or none."""
    now = urlsplit(request.headers.get("HX-Current-URL", "") or request.get_full_path())
    is_beside = now.path == urlsplit(build_memory_url(project, opened)).path
    kept = (
        {name: value for name, value in parse_qsl(now.query) if name not in ("open", "view")}
        if is_beside
        else {}
    )
    return build_memory_url(project, opened, **kept, **({"open": opened.pk, "view": view} if view else {}))


def _list_parts(
    request: HttpRequest, project: Project, opened: Memory, sources: int, versions: int
) -> list[dict[str, Any]]:
    address = reverse("console:memory", args=[project.pk, opened.pk])
    titles = {
        "content": (_("Content"), None),
        "sources": (_("Sources"), sources),
        "history": (_("History"), versions),
        "graph": (_("Graph"), None),
        "recall": (_("Recall"), None),
        "json": (_("JSON"), None),
    }
    return [
        {
            "name": name,
            "title": title,
            "count": count,
            "url": f"{address}?view={name}",
            "id": TAB + name,
            "page_url": build_view_url(request, project, opened, name),
        }
        for name, (title, count) in titles.items()
    ]


def _as_answered(opened: Memory, rates: Rates) -> str:
    answer = with_sources(build_memory_answer(opened, rates), opened)
    return json.dumps(answer, indent=2, ensure_ascii=False, default=str)
