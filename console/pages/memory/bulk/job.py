"""One bulk job: progress, receipt, cancelling, undoing, the list of its memories as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.pages.memory.bulk.jobs import load_member_emails
from console.pages.memory.bulk.progress import build_job_row
from console.pages.memory.bulk.words import OUTCOMES
from console.pages.memory.memories.listing.list_query import LABELS, WantedMemories
from console.pages.shell.access import get_access, get_person, project_view
from console.pages.shell.dialogs import answer_done
from console.pages.shell.rendering import render_page
from memories.cubes.access import select_reachable_memories
from memories.lifecycle.bulk.orders import cancel_job, list_given_up, list_job_items, undo_job
from memories.lifecycle.bulk.receipts import prove_deletion
from memories.models import BulkJob, Memory
from memories.retrieval.browse.listing import UNSHOWN
from memories.values import BulkAction, BulkOutcome
from tenancy.models import Project

# So many of its memories are shown; the file has all of them.
SHOWN = 50
# Actions after which nothing of it may be recalled.
PROVED = (BulkAction.DELETE, BulkAction.ARCHIVE)


@project_view("see")
@require_safe
def bulk_job(request: HttpRequest, project: Project, job_id: UUID) -> HttpResponse:
    job = _get_job(project, job_id)
    failed = list_given_up(project, [job])
    row = build_job_row(job, failed)
    is_proved = job.action in PROVED and not row.is_running and BulkOutcome.DONE in job.counts
    items = list(list_job_items(job).order_by("cube", "memory")[:SHOWN])
    context = {
        "project": project,
        "job": job,
        "row": row,
        "who": load_member_emails([job]).get(job.actor_id, ""),
        "filters": [(LABELS[name], value) for name, value in job.filter.items() if name in LABELS],
        "list_url": _list_url(project, job),
        "lines": _list_outcome_counts(job),
        "proof": prove_deletion(project, job) if is_proved else None,
        "now": timezone.now(),
        "items": _with_memories(project, items),
        "rest": max(0, job.total - SHOWN),
        "may_change": get_access(request).may("change_memories"),
    }
    return render_page(request, "console/memory/bulk/job.html", "console/memory/bulk/_job.html", context)


@project_view("change_memories")
@require_POST
def bulk_cancel(request: HttpRequest, project: Project, job_id: UUID) -> HttpResponse:
    job = _get_job(project, job_id)
    back = reverse("console:bulk_job", args=[project.pk, job.pk])
    is_cancelled = cancel_job(project, job.pk, get_person(request))
    message = (
        _("Cancelled. What was done until now stays done.") if is_cancelled else _("The job is over already.")
    )
    return answer_done(request, message, back, "bulk-started", "memory-changed")


@project_view("change_memories")
@require_POST
def bulk_undo(request: HttpRequest, project: Project, job_id: UUID) -> HttpResponse:
    job = _get_job(project, job_id)
    back = reverse("console:bulk_job", args=[project.pk, job.pk])
    is_started = undo_job(project, job.pk, get_person(request))
    message = _("The job is being undone.") if is_started else _("The job cannot be undone any more.")
    return answer_done(request, message, back, "bulk-started")


@project_view("see")
@require_safe
def bulk_file(request: HttpRequest, project: Project, job_id: UUID) -> HttpResponse:
    """Every memory's id with its outcome, for the record."""
    job = _get_job(project, job_id)
    form = request.GET.get("format", "")
    if form not in {"csv", "json"}:
        raise Http404
    content = _as_csv(job) if form == "csv" else json.dumps(_as_fields(project, job), indent=2)
    content_type = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="job-{job.pk}.{form}"'
    response["Cache-Control"] = "no-store"
    return response


def _get_job(project: Project, key: UUID) -> BulkJob:
    """Raises `Http404`."""
    job: BulkJob | None = BulkJob.objects.within(project).filter(pk=key).first()
    if job is None:
        raise Http404
    return job


def _list_url(project: Project, job: BulkJob) -> str:
    """The list as it was narrowed when the job was ordered; "" where memories were chosen by hand."""
    if not job.filter:
        return ""
    wanted = WantedMemories.of(QueryDict(urlencode(job.filter)))
    return reverse("console:memories", args=[project.pk]) + wanted.query()


def _list_outcome_counts(job: BulkJob) -> list[tuple[Any, int]]:
    counts = {**job.counts, "": job.total - sum(job.counts.values())}
    return [(title, counts[outcome]) for outcome, title in OUTCOMES.items() if counts.get(outcome)]


def _with_memories(project: Project, items: list[Any]) -> list[dict[str, Any]]:
    """Each with its memory, where it can be seen."""
    keys = [item.memory for item in items]
    rows = select_reachable_memories(project).filter(pk__in=keys).defer(*UNSHOWN)
    memories: dict[UUID, Memory] = {row.pk: row for row in rows}
    return [
        {"key": item.memory, "outcome": OUTCOMES[item.outcome], "memory": memories.get(item.memory)}
        for item in items
    ]


def _iterate_rows(job: BulkJob) -> Iterator[tuple[str, str]]:
    rows = list_job_items(job).order_by("cube", "memory").values_list("memory", "outcome")
    for key, outcome in rows.iterator(chunk_size=5_000):
        yield str(key), outcome or "pending"


def _as_csv(job: BulkJob) -> str:
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["memory_id", "outcome"])
    lines.writerows(_iterate_rows(job))
    return text.getvalue()


def _as_fields(project: Project, job: BulkJob) -> dict[str, Any]:
    proof = prove_deletion(project, job)
    return {
        "job_id": str(job.pk),
        "project_id": str(project.pk),
        "action": job.action,
        "state": job.state,
        "ordered_at": job.created_at.isoformat(),
        "cutoff": job.cutoff.isoformat(),
        "finished_at": job.finished_at.isoformat() if job.finished_at else None,
        "undone_at": job.undone_at.isoformat() if job.undone_at else None,
        "restorable_until": job.restorable_until.isoformat() if job.restorable_until else None,
        "erased_at": job.erased_at.isoformat() if job.erased_at else None,
        "memories": job.total,
        "outcomes": job.counts,
        "proof": {
            "checked_at": timezone.now().isoformat(),
            "memories_still_recallable": proof.recallable,
            "memories_still_stored": proof.stored,
        },
        "items": [{"memory_id": key, "outcome": outcome} for key, outcome in _iterate_rows(job)],
    }
