"""The list of bulk jobs, and the progress of those that run."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.bulk.progress import RUNNING, JobRow, build_job_row, build_progress_context
from console.pages.memory.bulk.words import format_with_count
from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import render_page
from console.ui.htmx_triggers import trigger_events
from console.ui.lists.paging import load_page
from memories.lifecycle.bulk.orders import list_given_up
from memories.models import BulkJob
from memories.values import BulkOutcome, BulkState
from tenancy.models import Project, User


@project_view("see")
@require_safe
def bulk_jobs(request: HttpRequest, project: Project) -> HttpResponse:
    page = load_page(request, BulkJob.objects.within(project))
    failed = list_given_up(project, page.rows) if page.rows else set()
    names = load_member_emails(page.rows)
    rows = [build_job_row(job, failed, names.get(job.actor_id, "")) for job in page.rows]
    context = {
        "project": project,
        "rows": rows,
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }
    return render_page(request, "console/memory/bulk/jobs.html", "console/memory/bulk/_jobs.html", context)


@project_view("see")
@require_safe
def bulk_progress(request: HttpRequest, project: Project) -> HttpResponse:
    """What runs at the moment. When a job has ended since the page looked, even one that it never saw running, the list
    beside it loads anew."""
    context = build_progress_context(request, project)
    context["project"] = project
    response = render_page(
        request, "console/memory/bulk/_progress.html", "console/memory/bulk/_progress.html", context
    )
    seen = dict(pair.split(":", 1) for pair in request.GET.get("seen", "").split(",") if ":" in pair)
    rows = {str(row.job.pk): row for row in context["jobs"]}
    ended = [row for key, row in rows.items() if not row.is_running and seen.get(key) != row.job.state]
    if ended or any(state in RUNNING and key not in rows for key, state in seen.items()):
        toast = _build_toast(request, project, ended[0]) if ended else {}
        trigger_events(response, {"memory-changed": {}, **toast})
    return response


def load_member_emails(jobs: list[BulkJob]) -> dict[int | None, str]:
    keys = {job.actor_id for job in jobs if job.actor_id is not None}
    return dict(User.objects.filter(pk__in=keys).values_list("pk", "email")) if keys else {}


def _build_toast(request: HttpRequest, project: Project, row: JobRow) -> dict[str, Any]:
    if row.job.state == BulkState.UNDONE:
        message = _("Undone: %(what)s.") % {
            "what": format_with_count(row.words.verb, row.job.counts.get(BulkOutcome.UNDONE, 0))
        }
        return {"toast": {"text": message}}
    if row.job.state == BulkState.CANCELLED:
        return {"toast": {"text": _("Cancelled.")}}
    may_undo = row.can_undo and get_access(request).may("change_memories")
    undo = reverse("console:bulk_undo", args=[project.pk, row.job.pk]) if may_undo else ""
    return {"toast": {"text": row.sentence, "undo": undo} if undo else {"text": row.sentence}}
