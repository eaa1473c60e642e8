"""One session with its tabs: messages, tasks, configs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import found_or_404, project_view
from console.pages.shell.redirect_deleted import redirect_deleted
from console.pages.shell.rendering import render_page
from console.pages.shell.session_messages import SessionTurn, build_turn
from console.pages.spaces.space_context import change_context
from console.templatetags.console import num
from console.templatetags.skills import as_json
from console.ui.lists.query_values import parse_choice, parse_whole_number
from console.ui.tabs import Tab, build_tab_url, build_tabs
from skills.models import Session, SessionTask
from skills.paging import PageWindow, read_window
from skills.sessions.debounce import count_observed
from skills.sessions.records import record_rows, with_current_status
from skills.sessions.session_message_files import ROW_BYTES
from skills.sessions.sessions import find_session
from skills.spaces.console_lists import list_session_tasks, list_task_messages
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

TABS = ("messages", "tasks", "configs")
PAGE_SIZE = 50
NO_TASK = "none"


@project_view("see")
@require_safe
def session(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    try:
        opened = get_session(project, session_id)
    except Http404:
        return redirect_deleted(request, reverse("console:sessions", args=[project.pk]))
    tab = parse_choice(request.GET.get("tab", ""), TABS) or TABS[0]
    return shown_session(request, project, opened, tab=tab, more=CONTEXTS[tab](request, project, opened))


def get_session(project: Project, session_id: UUID) -> Session:
    with found_or_404(project):
        return find_session(project, session_id)


def build_session_url(project: Project, session: Session, tab: str = "") -> str:
    address = reverse("console:session", args=[project.pk, session.public_id])
    return build_tab_url(address, tab, TABS[0])


def shown_session(
    request: HttpRequest,
    project: Project,
    opened: Session,
    *,
    tab: str,
    more: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    with tenant_scope(project):
        record = record_rows(project).filter(session=opened).first()
        tasks = list_session_tasks(opened)
        context = {
            "project": project,
            "session": opened,
            "tab": tab,
            "fragment": f"console/spaces/sessions/_{tab}.html",
            "refresh_url": request.get_full_path()
            if request.method == "GET"
            else build_session_url(project, opened, tab),
            "tabs": _build_tabs(project, opened, tasks),
            "record": with_current_status(record) if record else None,
            "observed": count_observed(opened),
            "tasks": [task for task in tasks if not task.is_planning],
            "planning": next((task for task in tasks if task.is_planning), None),
            **change_context(request),
            **more,
        }
        return render_page(
            request,
            "console/spaces/sessions/session.html",
            "console/spaces/sessions/_session.html",
            context,
            status,
        )


def _build_tabs(project: Project, session: Session, tasks: list[SessionTask]) -> list[Tab]:
    titles = {"messages": _("Messages"), "tasks": _("Tasks"), "configs": _("Configs")}
    counts = {
        "messages": session.message_count,
        "tasks": sum(not task.is_planning for task in tasks),
    }
    return build_tabs(titles, partial(build_session_url, project, session), counts)


def _build_messages_context(request: HttpRequest, project: Project, session: Session) -> dict[str, Any]:
    """Oldest first, as they were said; of one task where the address names one."""
    tasks = list_session_tasks(session)
    chosen = request.GET.get("task", "")
    known = {str(task.pk) for task in tasks if not task.is_planning}
    chosen = chosen if chosen in known or chosen == NO_TASK else ""
    after = request.GET.get("after", "")
    task = UUID(chosen) if chosen in known else None
    rows = list_task_messages(session, task, of_none=chosen == NO_TASK)
    if (position := parse_whole_number(after)) is not None:
        rows = rows.filter(position__gt=position)
    page = read_window(rows, PageWindow(PAGE_SIZE), by="position", size=ROW_BYTES)
    address = build_session_url(project, session)
    query = f"task={chosen}&" if chosen else ""
    turns: list[SessionTurn] = [build_turn(message) for message in page.rows]
    return {
        "turns": turns,
        "chosen_task": chosen,
        "filters": _build_filters(address, tasks, chosen),
        "caption": _("%(count)s messages in all") % {"count": num(session.message_count)},
        "previous_url": f"{address}?{query}".rstrip("?&") if after else "",
        "next_url": f"{address}?{query}after={page.next.place}" if page.next else "",
    }


def _build_filters(address: str, tasks: list[SessionTask], chosen: str) -> list[dict[str, Any]]:
    """All, one for each task, and what belongs to none."""
    real = [task for task in tasks if not task.is_planning]
    if not real:
        return []
    named = [
        {"key": str(task.pk), "title": _("Task %(order)s") % {"order": task.order}, "task": task}
        for task in real
    ]
    choices: list[dict[str, Any]] = [
        {"key": "", "title": _("All"), "task": None},
        *named,
        {"key": NO_TASK, "title": _("No task"), "task": None},
    ]
    return [
        choice
        | {
            "is_chosen": choice["key"] == chosen,
            "url": f"{address}?task={choice['key']}" if choice["key"] else address,
        }
        for choice in choices
    ]


def _build_tasks_context(request: HttpRequest, project: Project, session: Session) -> dict[str, Any]:
    return {}


def build_configs_context(request: HttpRequest, project: Project, session: Session) -> dict[str, Any]:
    text = as_json(session.configs)
    return {"form": None, "saved": text, "text": text}


CONTEXTS: dict[str, Callable[[HttpRequest, Project, Session], dict[str, Any]]] = {
    "messages": _build_messages_context,
    "tasks": _build_tasks_context,
    "configs": build_configs_context,
}
