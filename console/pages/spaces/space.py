"""One learning space with its tabs: skills, sessions, metadata."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.pages.shell.access import project_view
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.redirect_deleted import redirect_deleted
from console.pages.shell.rendering import render_page
from console.pages.skills.skill_context import add_badges
from console.pages.spaces.space_context import change_context
from console.pages.spaces.spaces import MetaForm, get_space, save_meta
from console.templatetags.skills import as_json
from console.ui.lists.paging import PAGE_SIZE, build_next_page_url, parse_cursor
from console.ui.lists.query_values import parse_choice
from console.ui.tabs import Tab, build_tab_url, build_tabs
from skills.catalogue.catalogue import load_file_indexes
from skills.models import LearningSpace
from skills.paging import PageWindow, Slice, get_mark_time, mark_at
from skills.spaces.console_lists import count_tasks, load_space_figures
from skills.spaces.spaces import list_records, list_skills
from tenancy.models import Project

TABS = ("skills", "sessions", "metadata")


@project_view("see")
@require_safe
def space(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    try:
        opened = get_space(project, space_id)
    except Http404:
        return redirect_deleted(request, reverse("console:spaces", args=[project.pk]))
    tab = parse_choice(request.GET.get("tab", ""), TABS) or TABS[0]
    return _render_space(request, project, opened, tab=tab, more=CONTEXTS[tab](request, project, opened))


@project_view("change_spaces")
@require_POST
def space_meta(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    opened = get_space(project, space_id)
    form = MetaForm(request.POST)
    if not form.is_valid():
        context = _build_metadata_context(request, project, opened) | {
            "form": form,
            "text": request.POST.get("meta", ""),
        }
        return _render_space(request, project, opened, tab="metadata", more=context, status=422)
    save_meta(request, project, opened, form.cleaned_data["meta"])
    address = build_space_url(project, opened, "metadata")
    return redirect_with_message(request, _("Saved."), address)


def build_space_url(project: Project, space: LearningSpace, tab: str = "") -> str:
    address = reverse("console:space", args=[project.pk, space.pk])
    return build_tab_url(address, tab, TABS[0])


def _render_space(
    request: HttpRequest,
    project: Project,
    opened: LearningSpace,
    *,
    tab: str,
    more: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    context = {
        "project": project,
        "space": opened,
        "tab": tab,
        "fragment": f"console/spaces/_{tab}.html",
        "refresh_url": request.get_full_path()
        if request.method == "GET"
        else build_space_url(project, opened, tab),
        "tabs": _build_tabs(project, opened),
        **change_context(request),
        **more,
    }
    return render_page(request, "console/spaces/space.html", "console/spaces/_space.html", context, status)


def _build_tabs(project: Project, space: LearningSpace) -> list[Tab]:
    figures = load_space_figures(project, [space])[space.pk]
    titles = {"skills": _("Skills"), "sessions": _("Sessions"), "metadata": _("Metadata")}
    counts = {"skills": figures.skills, "sessions": figures.sessions}
    return build_tabs(titles, partial(build_space_url, project, space), counts)


def _build_skills_context(request: HttpRequest, project: Project, space: LearningSpace) -> dict[str, Any]:
    """List the skills of a space in the order in which they were added."""
    page = list_skills(project, space.pk, _read_window(request))
    files = load_file_indexes(project, page.rows)
    return {"cards": [(add_badges(skill), files[skill.pk]) for skill in page.rows]} | _build_pages_context(
        request, page
    )


def _build_sessions_context(request: HttpRequest, project: Project, space: LearningSpace) -> dict[str, Any]:
    """The newest first."""
    page = list_records(project, space.pk, _read_window(request, is_newest_first=True))
    records = page.rows
    counts = count_tasks(project, [record.session for record in records])
    for record in records:
        record.task_count = counts.get(record.session_id, 0)
    return {"records": records} | _build_pages_context(request, page)


def _read_window(request: HttpRequest, *, is_newest_first: bool = False) -> PageWindow:
    cursor = parse_cursor(request.GET.get("after", ""))
    return PageWindow(PAGE_SIZE, mark_at(*cursor) if cursor else None, is_newest_first)


def _build_pages_context(request: HttpRequest, page: Slice) -> dict[str, Any]:
    after = f"{get_mark_time(page.next).isoformat()}~{page.next.id}" if page.next else ""
    return {
        "previous_url": build_next_page_url(request, "") if request.GET.get("after") else "",
        "next_url": build_next_page_url(request, after) if after else "",
    }


def _build_metadata_context(request: HttpRequest, project: Project, space: LearningSpace) -> dict[str, Any]:
    text = as_json(space.meta)
    return {"form": None, "saved": text, "text": text}


CONTEXTS: dict[str, Callable[[HttpRequest, Project, LearningSpace], dict[str, Any]]] = {
    "skills": _build_skills_context,
    "sessions": _build_sessions_context,
    "metadata": _build_metadata_context,
}
