"""Describe a task: status, times, error with its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.jobs.outbox import PROJECT_ARCHIVED
from memories.jobs.project_tasks import STATUSES
from memories.jobs.rerun_failed_tasks import CANCELLED
from memories.models import MemCube, Task
from memories.values import TaskKind, TaskState
from tenancy.errors import list_errors

KINDS: dict[str, Any] = {
    TaskKind.REFINE: gettext_lazy("Extract memories"),
    TaskKind.FEEDBACK: gettext_lazy("Apply feedback"),
    TaskKind.ATTACHMENT: gettext_lazy("Read an attachment"),
    TaskKind.FILE: gettext_lazy("Read a file"),
    TaskKind.PURGE: gettext_lazy("Purge"),
    TaskKind.SKILL: gettext_lazy("Make a skill"),
    TaskKind.OBSERVE: gettext_lazy("Observe a session"),
    TaskKind.DISTILL: gettext_lazy("Distill a skill"),
    TaskKind.LEARN: gettext_lazy("Learn from a session"),
    TaskKind.ERASE: gettext_lazy("Erase"),
    TaskKind.REEXTRACT: gettext_lazy("Extract memories again"),
    TaskKind.RECALL_TESTS: gettext_lazy("Recall tests"),
    TaskKind.BULK: gettext_lazy("Change many memories"),
    TaskKind.SAMPLE: gettext_lazy("Add sample data"),
}
# (word, look, icon) by state.
STATES: dict[str, tuple[Any, str, str]] = {
    TaskState.QUEUED: (gettext_lazy("Queued"), "dashed", "circle-dashed"),
    TaskState.WAITING: (gettext_lazy("Waits to retry"), "amber", "clock"),
    TaskState.RUNNING: (gettext_lazy("Running"), "accent", "loader-circle"),
    TaskState.COMPLETED: (gettext_lazy("Completed"), "ok", "circle-check"),
    TaskState.FAILED: (gettext_lazy("Failed"), "bad", "circle-x"),
    TaskState.DEAD: (gettext_lazy("Failed"), "bad", "circle-x"),
}
# (meaning, cure) of codes that the queue itself gives.
CAUSES: dict[str, tuple[Any, Any]] = {
    "worker_lost": (
        gettext_lazy("Workers stopped while they worked on it."),
        gettext_lazy("Retry it. If it fails again, look at the memory limit and the logs of the workers."),
    ),
    "provider_refused": (
        gettext_lazy("The model provider refused the request."),
        gettext_lazy("Check key and model under Project settings, then retry."),
    ),
    "provider_unavailable": (
        gettext_lazy("The model provider is not available."),
        gettext_lazy("Nothing to do: the task runs once the provider answers."),
    ),
    "not_fetched": (
        gettext_lazy("An address could not be fetched."),
        gettext_lazy("Check that the address is public and answers, then retry."),
    ),
    PROJECT_ARCHIVED: (gettext_lazy("The project is archived."), gettext_lazy("Restore the project.")),
    CANCELLED: (
        gettext_lazy("A member cancelled it."),
        gettext_lazy(
            "Its messages stay. To extract them after all, extract the memories of its end user again."
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class TaskRow:
    """`waited` and `ran` are in milliseconds; None where the time is not known."""

    task: Task
    cube: MemCube | None
    kind: str
    badge: dict[str, Any]
    stage: str
    waited: float | None
    ran: float | None
    error: str
    cure: str

    @property
    def status(self) -> str:
        """The name by which lists are narrowed to its state."""
        return next(name for name, states in STATUSES.items() if self.task.state in states)


def build_task_row(task: Task, cube: MemCube | None) -> TaskRow:
    word, look, icon = STATES[task.state]
    error, cure = explain_error(task.error_code)
    is_over = task.finished_at is not None
    return TaskRow(
        task=task,
        cube=cube,
        kind=str(KINDS.get(task.kind, task.kind)),
        badge={"label": word, "look": look, "icon": icon},
        stage=_describe_stage(task),
        waited=_count_seconds_between(
            task.created_at, task.started_at or (task.finished_at if is_over else timezone.now())
        ),
        ran=_count_seconds_between(
            task.started_at, task.finished_at if is_over else _get_time_if_running(task)
        ),
        error=error,
        cure=cure,
    )


def explain_error(code: str) -> tuple[str, str]:
    """(meaning, cure) of a task's error code; empty without an error."""
    if not code:
        return "", ""
    if code in CAUSES:
        meaning, cure = CAUSES[code]
        return str(meaning), str(cure)
    for failure in list_errors():
        if str(failure.code) == code:
            return _(failure.message), _(failure.remedy)
    return _("An unexpected error: %(code)s.") % {"code": code}, _(
        "Retry it. If it fails again, report the task ID."
    )


def _describe_stage(task: Task) -> str:
    """Describe how far open work is, where its status does not say so already."""
    if task.state not in {TaskState.QUEUED, TaskState.RUNNING}:
        return ""
    if task.is_held_back and task.state == TaskState.QUEUED:
        return _("Waits for an earlier task")
    return _("Raw memory stored") if task.payload.get("rough") else ""


def _get_time_if_running(task: Task) -> datetime | None:
    return timezone.now() if task.state == TaskState.RUNNING else None


def _count_seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    if start is None or end is None:
        return None
    return max(0.0, (end - start).total_seconds() * 1000)
