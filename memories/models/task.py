"""Background work: the row is the job, the broker is only used to wake workers."""

from __future__ import annotations

from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.cube import MemCube
from memories.values import PUBLIC_STATUS, TaskKind, TaskState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models import Account, Project

OPEN_STATES = [TaskState.QUEUED, TaskState.RUNNING, TaskState.WAITING]


class Task(models.Model):
    """One piece of work, written in the transaction that asked for it.

    It holds ids and no words, because it is read before a tenant's scope is open. What an account asks for as a whole
    has no project. `subject` orders the work:
    of the open tasks of one subject only the oldest may run. `fence` counts claims; the final write is valid
    only with the fence it was claimed under. `is_held_back` spares claims a second look; where it is out of date, the
    sweeper puts it right. Of those that are long (`is_long`) an account has few running. `result` keeps the outcome of
    finished steps.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=12, choices=[(k.value, k.value) for k in TaskKind])
    subject = models.UUIDField()
    payload = models.JSONField(default=dict)
    cost = models.JSONField(null=True)
    dedupe_key = models.CharField(max_length=100)
    state = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in TaskState], default=TaskState.QUEUED.value
    )
    attempts = models.PositiveIntegerField(default=0)
    crashes = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    is_held_back = models.BooleanField(
        default=False, db_default=False, help_text="Found due while an earlier task of its subject was open."
    )
    is_long = models.BooleanField(
        default=False,
        db_default=False,
        help_text="May take many seconds: long messages, or a project's own model.",
    )
    announced_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=80, blank=True)
    fence = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict)
    error_code = models.CharField(max_length=40, blank=True)
    error_text = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When the last attempt began.")
    finished_at = models.DateTimeField(null=True, blank=True)

    owner = "project"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        constraints = [
            models.UniqueConstraint(fields=["project", "kind", "dedupe_key"], name="one_task_per_cause")
        ]
        indexes = [
            models.Index(fields=["due_at"], name="task_due", condition=Q(state__in=["queued", "waiting"])),
            models.Index(
                fields=["subject", "created_at"],
                name="task_of_subject",
                condition=Q(state__in=["queued", "running", "waiting"]),
            ),
            models.Index(
                fields=["account", "due_at"],
                name="task_next",
                condition=Q(state__in=["queued", "waiting"], is_held_back=False)
                & ~Q(kind__in=["attachment", "file"]),
            ),
            models.Index(
                fields=["account", "due_at"],
                name="task_next_file",
                condition=Q(
                    state__in=["queued", "waiting"], is_held_back=False, kind__in=["attachment", "file"]
                ),
            ),
            models.Index(fields=["lease_until"], name="task_leased", condition=Q(state="running")),
            models.Index(fields=["project", "-created_at"], name="task_newest"),
            models.Index(
                fields=["finished_at"],
                name="task_to_refund",
                condition=Q(cost__isnull=False, state__in=["failed", "dead"]),
            ),
            models.Index(
                fields=["finished_at"], name="task_ended_badly", condition=Q(state__in=["failed", "dead"])
            ),
            models.Index(fields=["finished_at"], name="task_completed", condition=Q(state="completed")),
        ]

    @property
    def own_project(self) -> UUID:
        """The project of a task that always has one."""
        assert self.project_id is not None  # noqa: S101
        return self.project_id

    @property
    def public_status(self) -> str:
        return PUBLIC_STATUS[TaskState(self.state)]


__all__ = ["OPEN_STATES", "MemCube", "Task"]
