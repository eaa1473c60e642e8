"""Background tasks of all accounts: how many wait and how long, failures, running them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from console.http.health import check_broker
from console.pages.operators.guard import operator_page, show_operator
from console.ui.lists.paging import build_next_page_url, parse_cursor
from console.ui.lists.query_values import Select, parse_choice, parse_search_words
from memories.jobs.monitoring import (
    EndedTask,
    QueueLoad,
    count_finished_lately,
    list_ended_badly,
    list_failure_causes,
    list_queues,
)
from memories.jobs.rerun_failed_tasks import run_each_again
from memories.values import TaskKind
from tenancy.errors import list_errors
from tenancy.models import Account, Project

PAGE = 50
# Codes that the queue itself gives.
OURS: dict[str, Any] = {
    "worker_lost": gettext_lazy("Workers died while they worked on it."),
    "too_old": gettext_lazy("It was given up after three days, by a version before 0.2."),
    "provider_refused": gettext_lazy("The model's server refused the request."),
    "provider_unavailable": gettext_lazy("The model's server is not available."),
    "not_fetched": gettext_lazy("An address could not be fetched."),
}


@dataclass(frozen=True, slots=True)
class Ended:
    """A failed task with the names around it, and its code in words where the catalogue knows it."""

    task: EndedTask
    account: Account | None
    project: Project | None
    sentence: Any


@operator_page("memories.view_task")
@require_safe
def queues_page(request: HttpRequest) -> HttpResponse:
    standing = list_queues()
    context = {
        "queues": standing,
        "figures": _build_figures_context(standing),
        "causes": list_failure_causes(),
        "broker": check_broker(),
        "may_retry": request.user.has_perm("memories.change_task"),
    }
    return show_operator(request, "queues", _("Queues"), context | _build_ended_context(request))


def _build_figures_context(standing: list[QueueLoad]) -> dict[str, Any]:
    waits = [queue.oldest_due_at for queue in standing if queue.oldest_due_at]
    return {
        "open": sum(queue.count for queue in standing),
        "due": sum(queue.due for queue in standing),
        "lost": sum(queue.lost for queue in standing),
        "oldest_seconds": (timezone.now() - min(waits)).total_seconds() if waits else 0,
        "finished": count_finished_lately(),
    }


def _build_ended_context(request: HttpRequest) -> dict[str, Any]:
    kinds = [kind.value for kind in TaskKind]
    kind = parse_choice(request.GET.get("kind", ""), kinds)
    code = parse_search_words(request.GET.get("code", ""), 40)
    after = parse_cursor(request.GET.get("after", ""))
    tasks = list_ended_badly(after, kind, code, PAGE + 1)
    shown = tasks[:PAGE]
    last = f"{shown[-1].finished_at.isoformat()}~{shown[-1].id}" if len(tasks) > PAGE else ""
    return {
        "ended": _name_ended_tasks(shown),
        "code": code,
        "select": Select("kind", _("Kind"), kind, [("", _("Any kind")), *((name, name) for name in kinds)]),
        "is_narrow": bool(kind or code),
        "caption": _("Most recent failure first"),
        "previous_url": build_next_page_url(request, "") if after else "",
        "next_url": build_next_page_url(request, last) if last else "",
    }


def _name_ended_tasks(tasks: list[EndedTask]) -> list[Ended]:
    accounts = Account.objects.in_bulk({task.account for task in tasks})
    projects = Project.objects.in_bulk({task.project for task in tasks if task.project})
    sentences = {str(entry.code): f"{entry.message.rstrip('.')}. {entry.remedy}" for entry in list_errors()}
    return [
        Ended(
            task,
            accounts.get(task.account),
            projects.get(task.project) if task.project else None,
            sentences.get(task.error_code, OURS.get(task.error_code, "")),
        )
        for task in tasks
    ]


@operator_page("memories.change_task")
@require_POST
def tasks_run_again(request: HttpRequest) -> HttpResponse:
    """The one whose button was pressed, or else those that were chosen."""
    count = run_each_again(_parse_ids(request.POST.getlist("only") or request.POST.getlist("task")))
    message = ngettext("%(count)s task runs again.", "%(count)s tasks run again.", count) % {"count": count}
    messages.add_message(request, messages.SUCCESS if count else messages.WARNING, message)
    return HttpResponseRedirect(reverse("admin:queues"))


def _parse_ids(texts: list[str]) -> list[UUID]:
    """Parse at most a page of task ids, and ignore what is no id."""
    ids = []
    for text in texts[:PAGE]:
        try:
            ids.append(UUID(text))
        except ValueError:
            continue
    return ids
