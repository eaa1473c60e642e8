"""Tables of bulk jobs: what was chosen when, and the outcome for each memory."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.values import BulkAction, BulkState
from tenancy.isolation.private_fields import PrivateJSON, PrivateText
from tenancy.models import TenantRow, User


class BulkJob(TenantRow):
    """One action on many memories, ordered by a member.

    `filter` is what the list was narrowed to, as in its address, and empty where single memories were chosen. `actor`
    outlives the login that it names. `counts` are the items by outcome. `restorable_until` is set by a deletion into
    the trash; `erased_at` when none of its rows was left in the database.
    """

    action = models.CharField(max_length=12, choices=[(action.value, action.value) for action in BulkAction])
    state = models.CharField(
        max_length=12,
        choices=[(state.value, state.value) for state in BulkState],
        default=BulkState.OPEN.value,
    )
    filter = PrivateJSON(default=dict)
    tag = PrivateText(blank=True)
    cutoff = models.DateTimeField()
    actor = models.ForeignKey(
        User, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    task = models.UUIDField(null=True, blank=True, help_text="The task that does or undoes it, the latest.")
    total = models.PositiveIntegerField()
    counts = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    restorable_until = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["project", "id"], name="bulk_job_within_project")]
        indexes = [models.Index(fields=["project", "-created_at", "-id"], name="bulk_job_newest")]


class BulkItem(TenantRow):
    """One memory of a job, with the version that it had when the job was ordered; `outcome` is empty until its turn.

    Ids outlive the memories that they name, for the receipt.
    """

    job = models.ForeignKey(
        BulkJob, on_delete=models.CASCADE, related_name="items", db_constraint=False, db_index=False
    )
    cube = models.UUIDField()
    memory = models.UUIDField()
    version = models.PositiveIntegerField()
    outcome = models.CharField(max_length=12, blank=True, default="")

    owner = "job"

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["job", "memory"], name="one_item_per_memory")]
        indexes = [
            models.Index(fields=["project"], name="bulk_item_of_project"),
            models.Index(fields=["job", "cube", "memory"], name="bulk_item_next", condition=Q(outcome="")),
        ]
