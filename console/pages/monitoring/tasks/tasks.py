"""The list of a project's tasks, with the state of the queue on top."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.monitoring.tasks.task_words import KINDS, build_task_row
from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import render_page
from console.ui.lists.paging import build_next_page_url, load_page, parse_cursor
from console.ui.lists.query_filters import FilterReader
from console.ui.lists.query_values import RANGES, Select, build_range_filter
from memories.jobs.project_tasks import STATUSES, TaskSearch, find_window_end, load_task_cubes, search_tasks
from memories.jobs.sweeper import has_overdue
from memories.jobs.task_counts import count_project_work
from memories.values import Queue
from tenancy.models import Project

MAX_SUBJECT = 100
UNSEEN_SECONDS = 60
FIRST_ID = UUID(int=0)


@project_view("see")
@require_safe
def tasks(request: HttpRequest, project: Project) -> HttpResponse:
    fields = FilterReader(request.GET)
    asked = {
        "status": fields.choice("status", STATUSES, _("Status")),
        "kind": fields.choice("kind", KINDS, _("Kind")),
        "subject": fields.words("subject", MAX_SUBJECT, _("Subject")),
        "range": fields.choice("range", RANGES, _("Time")),
    }
    since = timezone.now() - RANGES[asked["range"]] if asked["range"] else None
    wanted = TaskSearch(asked["status"], asked["kind"], asked["subject"], since)
    cursor = parse_cursor(request.GET.get("after", ""))
    end = find_window_end(project, wanted, cursor[0] if cursor else None)
    tasks = search_tasks(project, wanted)
    page = load_page(request, tasks.filter(created_at__gte=end) if end else tasks)
    cubes = load_task_cubes(project, page.rows)
    goes_on = end is not None and not page.next_url
    context = {
        "project": project,
        "asked": asked,
        "dropped": fields.dropped,
        "is_narrow": any(asked.values()),
        "selects": _selects(asked),
        "rows": [build_task_row(task, cubes.get(task.subject)) for task in page.rows],
        "queue": _build_queue_context(project),
        "shows_failed": asked["status"] == "failed",
        "may_change": get_access(request).may("change_memories"),
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "older_url": build_next_page_url(request, f"{end.isoformat()}~{FIRST_ID}") if goes_on and end else "",
        "clear_url": reverse("console:tasks", args=[project.pk]),
    }
    return render_page(
        request, "console/monitoring/tasks/page.html", "console/monitoring/tasks/_list.html", context
    )


def _build_queue_context(project: Project) -> dict[str, Any]:
    now = timezone.now()
    work = count_project_work(project, now - timedelta(hours=24))
    oldest = work.oldest_due_at
    return {
        "work": work,
        "age": (now - oldest).total_seconds() * 1000 if oldest else None,
        "is_unseen": work.waiting > 0 and any(has_overdue(UNSEEN_SECONDS, queue) for queue in Queue),
    }


def _selects(asked: dict[str, str]) -> list[Select]:
    statuses = [
        ("", _("Any status")),
        ("queued", _("Queued")),
        ("running", _("Running")),
        ("completed", _("Completed")),
        ("failed", _("Failed")),
    ]
    kinds = [("", _("Any kind")), *((str(kind), str(title)) for kind, title in KINDS.items())]
    return [
        Select("status", _("Status"), asked["status"], statuses),
        Select("kind", _("Kind"), asked["kind"], kinds),
        build_range_filter(asked["range"]),
    ]
