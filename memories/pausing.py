"""The work of an archived project rests until the project is restored."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from memories import outbox
from memories.models import Task
from memories.values import TaskKind, TaskState
from tenancy.models import Project

ASIDE = "project_archived"
# Looked at again now and then: whoever restored the project may have died before the tasks were told.
PAUSE = (1_800.0, 3_600.0)
# What the account's projects share goes on, whichever of them it came through.
SHARED = frozenset({TaskKind.FILE, TaskKind.PURGE})


def rests(task: Task) -> bool:
    """Whether nothing may be done for its project now; what is being deleted takes its tasks with it."""
    if task.project_id is None or task.kind in SHARED:
        return False
    return not Project.objects.at_work().filter(pk=task.project_id).exists()


def put_aside(task: Task) -> TaskState:
    state = outbox.wait_out(task, ASIDE, PAUSE)
    # The project may have been restored between the question and the answer.
    if task.project_id is not None and not rests(task):
        wake(task.project_id)
    return state


def wake(project_id: UUID) -> None:
    """After the commit that restored the project. The sweeper rings for them within seconds."""
    aside = Task.objects.within(project_id).filter(state=TaskState.WAITING, error_code=ASIDE)
    aside.update(due_at=timezone.now(), announced_at=None, error_code="")
