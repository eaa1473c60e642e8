"""One request: its code in words, its trace, and what was sent and answered."""

from __future__ import annotations

import json
import re
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.pages.logs.trace_words import describe_stage, describe_verdict
from console.pages.shell.access import access_of, project_view
from console.pages.shell.explain_codes import explain
from console.pages.shell.rendering import show_page
from console.ui.waterfall import stages_of
from memories.models import Task
from tenancy.models import Project, RequestLog

_TASK_ID = re.compile(r'"task_id": "([0-9a-f-]{36})"')


@project_view("see")
@require_safe
def log(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    entry = RequestLog.objects.within(project).select_related("api_key").filter(request_id=request_id).first()
    if entry is None:
        raise Http404
    task = task_of(project, entry)
    context = {
        "project": project,
        "entry": entry,
        "stages": stages_of(entry.trace, entry.milliseconds, describe_stage),
        "verdict": describe_verdict(entry.trace) if entry.code == 0 else "",
        "explained": explain(entry) if entry.code != 0 else None,
        "shows_prefix": access_of(request).may("create_key"),
        "task": task,
        "outcome": outcome_of(entry, task),
    }
    return show_page(request, "console/logs/log.html", context)


def task_of(project: Project, entry: RequestLog) -> Task | None:
    """The work that the request asked for, if it is still known; inside the project's scope."""
    match = _TASK_ID.search(entry.response_body)
    if match is None or entry.code != 0:
        return None
    try:
        key = UUID(match[1])
    except ValueError:
        return None
    task: Task | None = Task.objects.within(project).filter(pk=key).first()
    return task


def outcome_of(entry: RequestLog, task: Task | None) -> str:
    """What came of the feedback or the messages of the request: which memories changed, and why others did not."""
    if entry.endpoint not in {"add/feedback", "add/message"} or task is None:
        return ""
    return json.dumps(task.result) if task.result else ""
