"""Run failed tasks again, and cancel a task that has not begun."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.pages.monitoring.tasks.task import get_task
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, redirect_with_message, show_dialog
from console.templatetags.console import num
from memories.jobs.project_tasks import can_cancel, cancel_task, list_failed, run_tasks_again
from memories.values import TaskState
from tenancy.audit.log import record_event
from tenancy.models import Project

METHODS = ["GET", "HEAD", "POST"]


@project_view("change_memories")
@require_http_methods(METHODS)
def task_retry(request: HttpRequest, project: Project, task_id: UUID) -> HttpResponse:
    opened = get_task(project, task_id)
    back = reverse("console:task", args=[project.pk, opened.pk])
    if request.method == "POST":
        before = {"state": opened.state, "error_code": opened.error_code, "attempts": opened.attempts}
        if not run_tasks_again(project, [opened.pk]):
            return redirect_with_message(request, _("It has not failed: there is nothing to retry."), back)
        detail = {"before": before, "after": {"state": TaskState.QUEUED.value, "attempts": 0}}
        record_event(
            project.account, get_person(request), "task.run_again", opened, project=project, detail=detail
        )
        return redirect_with_message(request, _("The task runs again."), back)
    dialog = Dialog(
        template="console/monitoring/tasks/_retry_dialog.html",
        title=_("Retry this task?"),
        verb=_("Retry task"),
        action=reverse("console:task_retry", args=[project.pk, opened.pk]),
        back=back,
    )
    return show_dialog(request, dialog, {"count": 1})


@project_view("change_memories")
@require_http_methods(METHODS)
def tasks_retry(request: HttpRequest, project: Project) -> HttpResponse:
    failed = list_failed(project)
    back = reverse("console:tasks", args=[project.pk])
    if not failed:
        return answer_done(request, _("No task has failed: there is nothing to retry."), back)
    if request.method == "POST":
        count = run_tasks_again(project, failed)
        record_event(
            project.account,
            get_person(request),
            "tasks.run_again",
            project,
            project=project,
            detail={"count": count},
        )
        message = ngettext("%(count)s task runs again.", "%(count)s tasks run again.", count) % {
            "count": num(count)
        }
        return redirect_with_message(request, message, back)
    count = len(failed)
    title = ngettext("Retry %(count)s failed task?", "Retry %(count)s failed tasks?", count)
    verb = ngettext("Retry %(count)s task", "Retry %(count)s tasks", count)
    dialog = Dialog(
        template="console/monitoring/tasks/_retry_dialog.html",
        title=title % {"count": num(count)},
        verb=verb % {"count": num(count)},
        action=reverse("console:tasks_retry", args=[project.pk]),
        back=back,
    )
    return show_dialog(request, dialog, {"count": count})


@project_view("change_memories")
@require_http_methods(METHODS)
def task_cancel(request: HttpRequest, project: Project, task_id: UUID) -> HttpResponse:
    opened = get_task(project, task_id)
    back = reverse("console:task", args=[project.pk, opened.pk])
    if not can_cancel(opened):
        return redirect_with_message(request, _("It has begun or is over: it cannot be cancelled."), back)
    if request.method == "POST":
        if not cancel_task(project, opened):
            return redirect_with_message(request, _("It has begun or is over: it cannot be cancelled."), back)
        detail = {"before": {"state": opened.state}, "after": {"state": TaskState.FAILED.value}}
        record_event(
            project.account, get_person(request), "task.cancelled", opened, project=project, detail=detail
        )
        return redirect_with_message(request, _("The task is cancelled."), back)
    dialog = Dialog(
        template="console/monitoring/tasks/_cancel_dialog.html",
        title=_("Cancel this task?"),
        verb=_("Cancel task"),
        action=reverse("console:task_cancel", args=[project.pk, opened.pk]),
        back=back,
        is_danger=True,
    )
    return show_dialog(request, dialog, {})
