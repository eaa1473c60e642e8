"""Celery entry points: the main one claims and runs a task row by its id.

Retries are rows with a `due_at`, not Celery's.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import time
from pathlib import Path
from typing import Any
from uuid import UUID

from celery import shared_task
from django.db import Error as DatabaseError
from django.db import close_old_connections

from memories.jobs import claims, outbox, registry, retry
from memories.jobs.refund_failed_tasks import refund_failed, refund_task
from memories.jobs.registry import register_handler
from memories.lifecycle import archived_projects
from memories.lifecycle.bulk.receipts import clear_jobs, note_erasures
from memories.lifecycle.erased_cubes import clear_erased_cubes
from memories.lifecycle.message_retention import clear_messages
from memories.lifecycle.orphaned_message_files import sweep_files
from memories.lifecycle.states import apply_policies
from memories.lifecycle.task_retention import clear_tasks
from memories.lifecycle.trash import purge_due
from memories.models import Task
from memories.signals import task_changed
from memories.values import Queue, TaskKind, TaskState
from tenancy.isolation.scoping import Scope

log = logging.getLogger(__name__)

register_handler(TaskKind.REFINE, "memories.ingest.refine.refine_messages")
register_handler(TaskKind.FEEDBACK, "memories.feedback.apply.apply_feedback")
register_handler(TaskKind.REEXTRACT, "memories.ingest.reextraction.work.reextract_memories")
register_handler(TaskKind.BULK, "memories.lifecycle.bulk.work.run_bulk_job")
register_handler(
    TaskKind.ATTACHMENT,
    "memories.ingest.attachments.process_attachment",
    "memories.files.message_files.give_up",
)

# A worker goes on itself where a task was waited for; Celery ends runs of two minutes.
IN_A_ROW, IN_A_ROW_SECONDS = 5, 10.0


def get_machine_name() -> str:
    """The prefix of all workers of this machine, where a process number means the same process."""
    parts = [socket.gethostname()]
    try:
        # Neither alone is enough: every bare host has the same namespace number, every container the same boot.
        parts += [
            Path("/proc/sys/kernel/random/boot_id").read_text(),
            str(os.stat("/proc/self/ns/pid").st_ino),
        ]
    except OSError:
        parts.append("no containers here")
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:24] + ":"


def get_worker_family(parent: int) -> str:
    """The prefix of the names of all children of one worker."""
    return f"{get_machine_name()}{parent}:"


def get_worker_name() -> str:
    return f"{get_worker_family(os.getppid())}{os.getpid()}"


def parse_process_id(worker: str) -> int:
    return int(worker.rpartition(":")[2])


@shared_task(bind=True, name=outbox.WORK_TASK_NAME, ignore_result=True, acks_late=True)
def run_next_task(self: Any, task_id: str) -> None:
    """Does the task whose turn it is, or this one where no account has its turn. May be called for nothing."""
    # Called by hand, a task has no message and no queue.
    queue = (self.request.delivery_info or {}).get("routing_key", Queue.GENERAL)
    try:
        _work_in_a_row(UUID(task_id), Queue(queue))
    except DatabaseError as error:
        # The rows know all there is to do; the sweeper notifies when the database is back.
        log.warning("database_away", extra={"task": task_id, "fault": type(error).__name__})
        close_old_connections()


@shared_task(name="memories.sweep_files", ignore_result=True)
def sweep_files_task() -> None:
    sweep_files()


@shared_task(name="memories.apply_policies", ignore_result=True)
def apply_policies_task() -> None:
    """Apply the policies of projects, periodically. A round that is interrupted is continued by the next."""
    apply_policies()


@shared_task(name="memories.purge_trash", ignore_result=True)
def purge_trash_task() -> None:
    """Purge the trash, periodically."""
    purge_due()
    note_erasures()


@shared_task(name="memories.clear_tasks", ignore_result=True)
def clear_tasks_task() -> None:
    clear_tasks()
    clear_jobs()


@shared_task(name="memories.clear_messages", ignore_result=True)
def clear_messages_task() -> None:
    """Delete expired messages, periodically."""
    clear_messages()


@shared_task(name="memories.clear_erased_cubes", ignore_result=True)
def clear_erased_cubes_task() -> None:
    clear_erased_cubes()


@shared_task(name="memories.refund", ignore_result=True)
def refund_failed_task() -> None:
    refund_failed()


def _work_in_a_row(task_id: UUID, queue: Queue) -> None:
    waiting = task_id
    until = time.monotonic() + IN_A_ROW_SECONDS
    for place in range(IN_A_ROW):
        task = claims.claim_next(queue, get_worker_name(), otherwise=waiting)
        if task is None:
            return
        execute_task(task)
        following = claims.call_next(task)
        if following is None:
            return
        if place == IN_A_ROW - 1 or time.monotonic() > until:
            outbox.notify_workers(following, task.kind)
            return
        waiting = following


def execute_task(task: Task) -> TaskState:
    """Runs a claimed task to one of its ends. The process edge: every failure becomes a state of the row."""
    began = time.monotonic()
    with outbox.lease(task):
        state = _attempt_task(task)
    took = round((time.monotonic() - began) * 1000)
    log.info(
        "task_done", extra={"task": str(task.pk), "kind": str(task.kind), "ms": took, "outcome": str(state)}
    )
    if state == TaskState.DEAD:
        registry.give_up(task.kind, Scope(task.account_id, task.project_id), task.subject)
    if state in {TaskState.DEAD, TaskState.FAILED}:
        refund_task(task.pk)
    if task.project_id is not None:
        task_changed.send_robust(
            None, project_id=str(task.project_id), task_id=str(task.pk), kind=task.kind, status=str(state)
        )
    return state


def _attempt_task(task: Task) -> TaskState:
    try:
        if archived_projects.is_on_hold(task):
            return archived_projects.hold_task(task)
        registry.run_task(task)
    except Exception as error:  # noqa: BLE001  # the edge of the process: logged, and the row says so
        return retry.decide_after_failure(task, error)
    return TaskState.COMPLETED
