"""The status of a task, for clients."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from django.db import connection

from memories.jobs.not_written import NOT_WRITTEN
from memories.models import Task
from memories.values import PUBLIC_STATUS, UNREAD_TIMES, TaskState
from tenancy.errors import AddMemoryFailed, TaskUnknown
from tenancy.models import Project
from tenancy.requests.trace import trace_stage
from tenancy.runtime.waits import hold_wait

# Clients give up after 30 s; a synchronous call answers before, finished or not.
MOST_WAIT = 25.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.2


def find_task(project: Project, task_id: str) -> Task:
    """Raises `TaskUnknown`, for another project's task as for one that never was."""
    try:
        key = UUID(task_id)
    except ValueError:
        raise TaskUnknown(task_id[:60]) from None
    task: Task | None = Task.objects.within(project).filter(pk=key).first()
    if task is None:
        raise TaskUnknown(task_id[:60])
    return task


def combine_status_with_files(task: Task) -> str:
    """A request's task is done when its files are too, and failed when one of them is."""
    files = Task.objects.within(task.project_id).filter(pk__in=task.payload.get("files", []))
    states = [task.state, *files.values_list("state", flat=True)] if "files" in task.payload else [task.state]
    statuses = {PUBLIC_STATUS[TaskState(state)] for state in states}
    return next(status for status in ("running", "failed", "completed") if status in statuses)


def build_remarks(task: Task) -> dict[str, Any]:
    """Return what else a client should know of its request: nothing, as a rule."""
    remarks = {UNREAD_TIMES: task.payload.get(UNREAD_TIMES), NOT_WRITTEN: task.result.get(NOT_WRITTEN)}
    return {name: value for name, value in remarks.items() if value}


def wait_for(project: Project, task_id: str) -> str:
    """Polls until the task ends, or answers "running" after `MOST_WAIT` seconds, without a transaction; at once where
    too many requests wait already.

    Raises `AddMemoryFailed` when the work failed, `TaskUnknown` when the task went with its project.
    """
    with trace_stage("wait") as note, hold_wait(project.account_id) as may_wait:
        until, pause = time.monotonic() + MOST_WAIT, FIRST_PAUSE
        while may_wait and time.monotonic() < until:
            # A waiting request must not hold a connection of the pool for 25 s.
            connection.close()
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
            task = Task.objects.within(project).only("state", "result").filter(pk=task_id).first()
            if task is None:
                raise TaskUnknown(task_id)
            state = task.state
            if state == TaskState.COMPLETED:
                note["extracted_by"] = task.result.get("extracted_by", "")
                if refused := task.result.get(NOT_WRITTEN):
                    note[NOT_WRITTEN] = refused
                return "completed"
            if state in {TaskState.FAILED, TaskState.DEAD}:
                raise AddMemoryFailed(f"task {task_id}")
    return "running"
