"""Hold the tasks of an archived project until it is restored."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.jobs import outbox, retry
from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind, TaskState
from tenancy.models import Project

# Seconds until tasks on hold are checked again, in case a restore stopped before it resumed them.
PAUSE = (1_800.0, 3_600.0)
# What the account's projects share goes on, whichever of them it came through.
SHARED = frozenset({TaskKind.FILE, TaskKind.PURGE})


def is_on_hold(task: Task) -> bool:
    """Return whether nothing may be done for its project now; what is being deleted takes its tasks with it."""
    if task.project_id is None or task.kind in SHARED:
        return False
    return not Project.objects.at_work().filter(pk=task.project_id).exists()


def hold_task(task: Task) -> TaskState:
    """Postpone a task of an archived project, without counting an attempt."""
    state = retry.postpone_without_attempt(task, outbox.PROJECT_ARCHIVED, PAUSE)
    # The project may have been restored between the question and the answer.
    if task.project_id is not None and not is_on_hold(task):
        resume_tasks(task.project_id)
    return state


def resume_tasks(project_id: UUID) -> None:
    """Make all tasks on hold due now, so that none counts as overdue. The sweeper notifies workers of them
    within seconds."""
    now = timezone.now()
    resting = Task.objects.within(project_id).filter(state__in=OPEN_STATES).exclude(state=TaskState.RUNNING)
    resting.filter(Q(due_at__lt=now) & ~Q(error_code=outbox.PROJECT_ARCHIVED)).update(
        due_at=now, announced_at=None
    )
    resting.filter(error_code=outbox.PROJECT_ARCHIVED).update(due_at=now, announced_at=None, error_code="")
