"""One unit of knowledge, where it came from, and what it said before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Self

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from pgvector.django import VectorField

from memories.models.conversation import Conversation, Feedback, Message
from memories.models.cube import MemCube
from memories.values import Confidence, MemoryKind, MemoryStatus
from tenancy.ids import uuid7
from tenancy.isolation.private_fields import OutlinedJSON, PrivateArray, PrivateJSON, PrivateText
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models import Account, Project, TenantRow

KINDS = [(kind.value, kind.value.replace("_", " ")) for kind in MemoryKind]
STATUSES = [(status.value, status.value) for status in MemoryStatus]


class MemoryQuerySet(OwnedQuerySet):
    def recallable(self) -> Self:
        """Memories that a search may return at all."""
        return self.filter(status__in=[MemoryStatus.ACTIVATED, MemoryStatus.FROZEN])

    def unexpired(self) -> Self:
        """Memories whose last day, where they have one, is not over (in UTC)."""
        return self.exclude(expires_on__lt=datetime.now(UTC).date())

    def current(self) -> Self:
        """Memories that hold today: recallable, and replaced by nothing later."""
        return self.recallable().filter(valid_until=None)


class Memory(models.Model):
    """One unit of knowledge.

    `slot` names a state that only one memory of the cube can hold at a time; the one it replaces gets
    `valid_until` and stays for questions about the past. `words` are the search terms of `text`, `speaker` who
    says it in a transcript. `is_raw` marks the raw memory of a turn that is not refined yet. `position` is
    the place in its conversation of the first message it came from. After the day `expires_on`, in UTC,
    searches and lists leave it out. `details` hold what only its kind has;
    `extracted_by` names the engine that wrote it, and why another did not. `purge_at` is set while it lies in the
    trash, where nobody sees it who does not say so (`memories/models/trash_visibility.py`).
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="memories", db_constraint=False, db_index=False
    )
    kind = models.CharField(max_length=16, choices=KINDS)
    title = PrivateText(blank=True)
    text = PrivateText()
    content_hash = models.BinaryField(max_length=32)
    status = models.CharField(max_length=10, choices=STATUSES, default=MemoryStatus.ACTIVATED.value)
    memory_type = models.CharField(max_length=24, default="LongTermMemory")
    preference_type = models.CharField(max_length=24, blank=True)
    reasoning = PrivateText(blank=True)
    confidence = models.FloatField(default=Confidence.USUAL)
    tags = PrivateArray(models.TextField(), default=list)
    info = PrivateJSON(default=dict)
    agent_id = models.CharField(max_length=100, blank=True, db_collation="C")
    app_id = models.CharField(max_length=100, blank=True, db_collation="C")
    conversation = models.ForeignKey(
        Conversation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="memories",
        db_constraint=False,
    )
    conversation_key = models.CharField(max_length=100, blank=True, db_collation="C")
    position = models.PositiveIntegerField(default=0)
    speaker = PrivateText(blank=True)
    language = models.CharField(max_length=8, default="en")
    slot = PrivateText(blank=True)
    event_time = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    expires_on = models.DateField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="supersedes"
    )
    is_raw = models.BooleanField(default=False, db_column="is_rough")
    details = OutlinedJSON(default=dict, db_default={})
    extracted_by = models.CharField(max_length=120, blank=True, default="", db_default="")
    source_task = models.UUIDField(null=True, blank=True)
    ordinal = models.PositiveIntegerField(default=0)
    words = PrivateText(blank=True)
    words_vector = models.GeneratedField(
        expression=SearchVector("words", config="simple"), output_field=SearchVectorField(), db_persist=True
    )
    embedding = VectorField(null=True, blank=True)
    embedding_model = models.CharField(max_length=80, blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    purge_at = models.DateTimeField(null=True, blank=True)

    # The feedback it came from, where a reader asked for it (`feedback_sources.with_feedback`).
    feedback_sources: tuple[Feedback, ...] = ()
    # What another app shows for it (`memories.retrieval.content_registry`), read once for as long as this row is kept
    # in memory.
    shape: Any = None

    owner = "cube"
    objects = ScopedManager.over(MemoryQuerySet)
    every = MemoryQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        indexes = [
            models.Index(fields=["cube", "kind", "-created_at"], name="memory_of_cube"),
            models.Index(fields=["cube", "slot"], name="memory_slot", condition=~Q(slot="")),
            models.Index(fields=["project", "-created_at"], name="memory_of_project"),
            # With all that counts read.
            models.Index(
                fields=["project", "kind", "-created_at", "-id"],
                include=["account", "status", "valid_until", "purge_at"],
                name="memory_counts",
            ),
            models.Index(fields=["project", "-updated_at", "-id"], name="memory_by_update"),
            models.Index(fields=["project", "-confidence", "-id"], name="memory_by_confidence"),
            models.Index(fields=["conversation", "position"], name="memory_of_conversation"),
            GinIndex(fields=["words_vector"], name="memory_words"),
            models.Index(
                fields=["cube", "purge_at"], name="memory_to_purge", condition=Q(purge_at__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["source_task", "cube", "ordinal"], name="one_memory_per_draft"),
            models.UniqueConstraint(
                fields=["cube", "kind", "content_hash"],
                condition=Q(status__in=["activated", "frozen"], valid_until=None),
                name="one_current_memory_per_text",
            ),
            models.UniqueConstraint(fields=["account", "id"], name="memory_within_account"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_past_its_day(self) -> bool:
        """Return whether searches and lists leave it out because its last day, in UTC, is over."""
        return self.expires_on is not None and self.expires_on < datetime.now(UTC).date()


class Recall(models.Model):
    """Counter of how often searches returned a memory, and when last."""

    memory = models.OneToOneField(
        Memory, on_delete=models.CASCADE, primary_key=True, related_name="recall", db_constraint=False
    )
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    count = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(default=timezone.now)

    owner = "memory"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        indexes = [models.Index(fields=["project"], name="recall_of_project")]


class MemorySource(models.Model):
    """A message that a memory came from."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    memory = models.ForeignKey(
        Memory, on_delete=models.CASCADE, related_name="sources", db_constraint=False, db_index=False
    )
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, related_name="memory_sources", db_constraint=False
    )

    owner = "memory"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        constraints = [models.UniqueConstraint(fields=["memory", "message"], name="one_source_per_message")]
        indexes = [models.Index(fields=["project"], name="source_of_project")]


class MemoryVersion(models.Model):
    """State of a memory before a change, who changed it and why.

    `other_text` is a wording that was stated at that time and not adopted. `tags` and `info` are None in versions from
    before they were kept.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    memory = models.ForeignKey(
        Memory, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    title = PrivateText(blank=True)
    text = PrivateText()
    status = models.CharField(max_length=10, choices=STATUSES, blank=True, default="", db_default="")
    other_text = PrivateText(blank=True, default="", db_default="")
    tags = PrivateArray(models.TextField(), null=True, blank=True)
    info = PrivateJSON(null=True, blank=True)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    owner = "memory"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["memory", "number"], name="one_version_per_number")]
        indexes = [models.Index(fields=["project"], name="version_of_project")]


def get_owner_fields(cube: MemCube) -> dict[str, Any]:
    """The tenant columns of a row that hangs on this cube."""
    return {"account_id": cube.account_id, "project_id": cube.project_id}


__all__ = [
    "Memory",
    "MemoryQuerySet",
    "MemorySource",
    "MemoryVersion",
    "Recall",
    "TenantRow",
    "get_owner_fields",
]
