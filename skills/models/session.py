"""Tables of agent sessions: messages, and the tasks found in them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from skills.values import Distilling, MessageState, SessionTaskState
from tenancy.isolation.private_fields import PrivateJSON
from tenancy.models import TenantRow

MESSAGE_STATES = [(state.value, state.value) for state in MessageState]
DISTILLING = [(state.value, state.value) for state in Distilling]
TASK_STATES = [(state.value, state.value) for state in SessionTaskState]


class SpaceUser(TenantRow):
    """A person by the identifier that the client uses (an e-mail, a name)."""

    identifier = models.CharField(max_length=255, db_collation="C")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "identifier"], name="one_user_per_identifier"),
            models.UniqueConstraint(fields=["project", "id"], name="space_user_within_project"),
            models.UniqueConstraint(fields=["account", "id"], name="space_user_within_account"),
        ]


class Session(TenantRow):
    """One run of an agent. Its messages wait for more until `idle_at`, and are then read together.

    `public_id` is the id that clients use, which they may choose: it is unique in its project only. `id` is ours.
    """

    public_id = models.UUIDField(editable=False)
    person = models.ForeignKey(
        SpaceUser,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="sessions",
        db_constraint=False,
    )
    disable_task_tracking = models.BooleanField(default=False)
    configs = PrivateJSON(null=True, blank=True)
    message_count = models.PositiveIntegerField(default=0)
    idle_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "id"], name="session_within_project"),
            models.UniqueConstraint(fields=["project", "public_id"], name="one_session_per_public_id"),
        ]
        indexes = [models.Index(fields=["project", "created_at", "id"], name="session_in_order")]


class SessionTask(TenantRow):
    """One request of the user and how it went. The planning task (order 0) holds preferences and plans, hidden.

    `distilling` says how far its lessons are, as it stands now ("" where none were asked for); `distilled` counts how
    often they were asked for, since a finished task may be taken up again.
    """

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="tasks", db_constraint=False, db_index=False
    )
    order = models.PositiveIntegerField()
    is_planning = models.BooleanField(default=False)
    status = models.CharField(max_length=10, choices=TASK_STATES, default=SessionTaskState.PENDING.value)
    data = PrivateJSON(default=dict)
    distilling = models.CharField(max_length=10, choices=DISTILLING, default="", db_default="", blank=True)
    distilled = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "order"], name="one_task_per_order", deferrable=models.Deferrable.DEFERRED
            ),
            models.UniqueConstraint(
                fields=["session"], condition=Q(is_planning=True), name="one_planning_task_per_session"
            ),
            models.UniqueConstraint(fields=["project", "id"], name="session_task_within_project"),
        ]


class SessionMessage(TenantRow):
    """One message in the normal form of the contract. `meta` is the caller's; `kept` what is needed to give the
    message back as it came (format, original role, name).

    Its files lie in the storage under `storage_key`, and `files` says which part each belongs to. They take
    `stored_bytes` there, and the words of the message `row_bytes` here. `tokens` and `row_bytes` are null in rows of
    releases that did not count; `skills.sessions.migrate_message_files` counts them.
    """

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="messages", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10)
    parts = PrivateJSON(default=list)
    meta = PrivateJSON(default=dict)
    kept = PrivateJSON(default=dict)
    files = PrivateJSON(null=True, blank=True)
    storage_key = models.CharField(max_length=200, blank=True, default="", db_default="")
    stored_bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    row_bytes = models.PositiveBigIntegerField(null=True)
    tokens = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=20, choices=MESSAGE_STATES, default=MessageState.PENDING.value)
    task = models.ForeignKey(
        SessionTask,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="messages",
        db_constraint=False,
    )
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="session_message_order"),
            models.UniqueConstraint(fields=["project", "id"], name="session_message_within_project"),
        ]
        indexes = [
            models.Index(
                fields=["session", "position"],
                condition=Q(state__in=["pending", "running"]),
                name="session_message_unread",
            ),
            models.Index(
                fields=["project", "id"], condition=Q(tokens=None), name="session_message_uncounted"
            ),
            models.Index(fields=["storage_key"], condition=~Q(storage_key=""), name="session_message_stored"),
        ]
