"""Progress of open bulk jobs above the list, and the outcome of those that have just ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from console.pages.memory.bulk.words import FAILED, STATES, WORDS, ActionWords, format_with_count
from console.pages.shell.access import get_access, get_person
from memories.lifecycle.bulk.orders import can_undo, list_given_up
from memories.models import BulkJob
from memories.values import BulkAction, BulkOutcome, BulkState
from tenancy.models import Project

SHOWN_FOR = timedelta(minutes=2)
MOST_SHOWN = 5
RUNNING = (BulkState.OPEN, BulkState.UNDOING)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as a person reads it; `reached` of `total` memories have had their turn."""

    job: BulkJob
    words: ActionWords
    sentence: str
    badge: dict[str, Any]
    total: int
    reached: int
    is_running: bool
    is_failed: bool
    can_undo: bool
    who: str

    @property
    def title(self) -> str:
        """The sentence as a heading."""
        return self.sentence.rstrip(".。")


def build_job_row(job: BulkJob, failed: set[UUID], who: str = "") -> JobRow:
    """`failed` are ids of tasks that were given up; `who` is the address of the member who ordered it."""
    action = BulkAction(job.action)
    is_running = job.state in RUNNING
    is_failed = is_running and job.task in failed
    word, look, icon = FAILED if is_failed else STATES[job.state]
    done = job.counts.get(BulkOutcome.DONE, 0)
    is_undo = job.state in {BulkState.UNDOING, BulkState.UNDONE}
    undone = sum(
        job.counts.get(outcome, 0) for outcome in (BulkOutcome.UNDONE, BulkOutcome.KEPT, BulkOutcome.HELD)
    )
    total = done + undone if is_undo else job.total
    words = WORDS[action]
    sentence = words.verb if is_running or is_failed or not done else words.done
    return JobRow(
        job=job,
        words=words,
        sentence=format_with_count(sentence, job.total if sentence is words.verb else done),
        badge={"label": word, "look": look, "icon": icon},
        total=total,
        reached=undone if is_undo else sum(job.counts.values()),
        is_running=is_running,
        is_failed=is_failed,
        can_undo=can_undo(job),
        who=who,
    )


def build_progress_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Build the context of a bulk job's progress, inside the project's tenant scope."""
    recent = Q(actor=get_person(request).pk, created_at__gte=timezone.now() - SHOWN_FOR)
    jobs = BulkJob.objects.within(project).filter(Q(state__in=RUNNING) | recent)
    shown = list(jobs.order_by("-created_at", "-pk")[:MOST_SHOWN])
    failed = list_given_up(project, shown) if shown else set()
    rows = [build_job_row(job, failed) for job in shown]
    return {
        "jobs": rows,
        "is_running": any(row.is_running and not row.is_failed for row in rows),
        "seen": ",".join(f"{row.job.pk}:{row.job.state}" for row in rows),
        "may_change_jobs": get_access(request).may("change_memories"),
    }
