"""Counts of a project's tasks by state, bounded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q
from django.utils import timezone

from memories.models.task import OPEN_STATES, Task
from memories.values import TaskState
from tenancy.models import Project

# So many open tasks are looked at, and failures counted.
COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class ProjectWork:
    """Tasks that run, that are due and wait, since when the oldest of those waits, and that failed since a time."""

    running: int
    waiting: int
    oldest_due_at: datetime | None
    failed: int


def count_project_work(project: Project, since: datetime) -> ProjectWork:
    """Count a project's tasks, inside its tenant scope."""
    tasks = Task.objects.within(project)
    due = Q(state__in=[TaskState.QUEUED, TaskState.WAITING], due_at__lte=timezone.now())
    standing = tasks.filter(state__in=OPEN_STATES)[: COUNTED + 1].aggregate(
        running=Count("pk", filter=Q(state=TaskState.RUNNING)),
        waiting=Count("pk", filter=due),
        oldest=Min("due_at", filter=due),
    )
    ended_badly = tasks.filter(state__in=[TaskState.FAILED, TaskState.DEAD], created_at__gte=since)
    failed = ended_badly.order_by()[: COUNTED + 1].count()
    return ProjectWork(standing["running"], standing["waiting"], standing["oldest"], failed)
