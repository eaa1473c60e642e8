"""Receipts of deletions, with proof: none is returned by searches, nor stored after the purge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from memories.lifecycle.bulk.actions import select_held_by
from memories.lifecycle.bulk.orders import list_job_items
from memories.models import BulkJob
from memories.models.trash_visibility import seeing_trash
from memories.values import BulkAction, BulkOutcome, BulkState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project
from tenancy.models.project import ProjectQuerySet
from tenancy.runtime.batching import run_for_each_owner

# Receipts are kept so long.
KEPT = timedelta(days=365)
OVER = (BulkState.COMPLETED, BulkState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Proof:
    """Counted in the tables at this moment, among the memories that the job has done: those that a search could return,
    and those of which there is a row at all, in the trash too."""

    done: int
    recallable: int
    stored: int


def prove_deletion(project: Project, job: BulkJob) -> Proof:
    """Check what is left of a job's memories, inside the project's tenant scope."""
    keys = list_job_items(job).filter(outcome=BulkOutcome.DONE).values("memory")
    recallable = select_held_by(project).recallable().filter(pk__in=keys).count()
    with seeing_trash():
        stored = select_held_by(project).filter(pk__in=keys).count()
    return Proof(job.counts.get(BulkOutcome.DONE, 0), recallable, stored)


def note_erasure(project: Project, job: BulkJob) -> None:
    """Writes down that nothing of a deletion is stored any more. Inside the project's scope."""
    if (
        job.action == BulkAction.DELETE
        and job.counts.get(BulkOutcome.DONE)
        and not prove_deletion(project, job).stored
    ):
        job.erased_at = timezone.now()
        job.save(update_fields=["erased_at"])


def note_erasures(projects: ProjectQuerySet | None = None) -> int:
    """One round over these projects or all that are at work, after the trash was purged."""
    asked = Project.objects.all() if projects is None else projects
    return run_for_each_owner("note_erasures", asked.at_work(), _note_erasures)


def _note_erasures(project: Project) -> int:
    with tenant_scope(project):
        due = BulkJob.objects.within(project).filter(action=BulkAction.DELETE, state__in=OVER, erased_at=None)
        jobs = list(due.filter(restorable_until__lte=timezone.now()))
        for job in jobs:
            note_erasure(project, job)
    return sum(job.erased_at is not None for job in jobs)


def clear_jobs() -> int:
    """Deletes receipts that are older than they are kept. May be killed at any time."""
    return run_for_each_owner("clear_jobs", Account.objects.all(), _clear_jobs)


def _clear_jobs(account: Account) -> int:
    with tenant_scope(Scope(account.pk, None)):
        jobs = BulkJob.objects.within(Project.objects.filter(account=account))
        old = jobs.filter(
            ~Q(state__in=[BulkState.OPEN, BulkState.UNDOING]), created_at__lt=timezone.now() - KEPT
        )
        count, _ = old.delete()
    return count
