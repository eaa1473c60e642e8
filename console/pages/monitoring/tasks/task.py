"""One task: when it did what, what it read and made, and why it failed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.monitoring.tasks.task_words import build_task_row
from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import show_page
from console.ui.texts.api_words import translate_failure
from knowledgebase.files import find_files_by_id
from knowledgebase.models import KnowledgeFile
from memories.jobs.project_tasks import (
    STATUSES,
    can_cancel,
    can_retry,
    find_intake,
    find_request,
    list_memories,
    load_task_cubes,
)
from memories.jobs.status import combine_status_with_files
from memories.models import Conversation, Task
from memories.values import TaskKind, TaskState
from tenancy.errors import NotFound
from tenancy.models import Project

# What such tasks make of messages or words is memories.
MAKES_MEMORIES = frozenset({TaskKind.REFINE, TaskKind.FEEDBACK})


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One line of the timeline; `at` is None for what has not happened yet."""

    title: str
    at: datetime | None
    look: str
    icon: str


@dataclass(frozen=True, slots=True)
class MessagesRead:
    """Messages of a conversation, counted from one."""

    conversation: Conversation
    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@project_view("see")
@require_safe
def task(request: HttpRequest, project: Project, task_id: UUID) -> HttpResponse:
    opened = get_task(project, task_id)
    access = get_access(request)
    context = {
        "project": project,
        "row": build_task_row(opened, load_task_cubes(project, [opened]).get(opened.subject)),
        "task": opened,
        "steps": _list_steps(opened),
        "api_status": combine_status_with_files(opened),
        "read": _read_by(project, opened),
        "reads_messages": "intake" in opened.payload,
        "file": _find_file(project, opened),
        "makes_memories": opened.kind in MAKES_MEMORIES,
        "is_over": opened.finished_at is not None,
        "memories": list_memories(project, opened),
        "entry": find_request(project, opened),
        "result": json.dumps(opened.result) if opened.result and access.reads_words else "",
        "error_look": "warn" if opened.state == TaskState.WAITING else "bad",
        "error_text": translate_failure(opened.error_code, opened.error_text) if access.reads_words else "",
        "may_change": access.may("change_memories"),
        "can_retry": can_retry(opened),
        "can_cancel": can_cancel(opened),
    }
    return show_page(request, "console/monitoring/tasks/task.html", context)


def get_task(project: Project, task_id: UUID) -> Task:
    """Raises `Http404`."""
    task: Task | None = Task.objects.within(project).filter(pk=task_id).first()
    if task is None:
        raise Http404
    return task


def _read_by(project: Project, task: Task) -> MessagesRead | None:
    intake = find_intake(project, task)
    return MessagesRead(intake.conversation, intake.first + 1, intake.last + 1) if intake else None


def _find_file(project: Project, task: Task) -> KnowledgeFile | None:
    """Find the file that it reads; None for other tasks, and once the file or its link to the project is gone."""
    if task.kind != TaskKind.FILE:
        return None
    try:
        return find_files_by_id(project, [task.subject])[0]
    except NotFound:
        return None


def _list_steps(task: Task) -> list[TimelineStep]:
    accepted = _("Accepted, raw memory stored") if task.payload.get("rough") else _("Accepted")
    steps = [TimelineStep(accepted, task.created_at, "ok", "check")]
    if task.announced_at:
        steps.append(TimelineStep(_("Workers notified"), task.announced_at, "ok", "check"))
    if task.started_at:
        steps.append(
            TimelineStep(
                _("Attempt %(number)s began") % {"number": task.attempts}, task.started_at, "ok", "check"
            )
        )
    if task.state == TaskState.WAITING:
        steps.append(TimelineStep(_("Next attempt"), task.due_at, "dashed", "clock"))
    if task.state in STATUSES["failed"]:
        steps.append(TimelineStep(_("Failed"), task.finished_at, "bad", "x"))
    elif task.state == TaskState.COMPLETED:
        steps.append(TimelineStep(_("Completed"), task.finished_at, "ok", "check"))
    return steps
