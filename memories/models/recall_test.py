"""Tables of recall tests, and of pairs of memories that members reviewed and kept."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memories.models.cube import MemCube
from memories.models.memory import Memory
from tenancy.isolation.private_fields import PrivateJSON, PrivateText
from tenancy.models import TenantRow, User


class RecallTest(TenantRow):
    """A search of one end user, and what it must and must not return (`marks`).

    `body` is that of `search/memory`, without what is left to the project's settings. `results` are the last runs,
    newest first, as {at, by, passed}; `passed` is the newest one's, None where it was never run.
    """

    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    question = PrivateText()
    body = PrivateJSON()
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    results = models.JSONField(default=list)
    passed = models.BooleanField(null=True)
    ran_at = models.DateTimeField(null=True)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["project", "id"], name="recall_test_within_project")]
        indexes = [
            models.Index(fields=["project", "-created_at"], name="recall_test_newest"),
            models.Index(fields=["cube"], name="recall_test_of_cube"),
        ]


class RecallMark(TenantRow):
    """One memory that a recall test expects or forbids, with its rank in the last two runs; None: not returned."""

    test = models.ForeignKey(
        RecallTest, on_delete=models.CASCADE, related_name="marks", db_constraint=False, db_index=False
    )
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    is_expected = models.BooleanField()
    rank = models.PositiveIntegerField(null=True)
    previous_rank = models.PositiveIntegerField(null=True)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["test", "memory"], name="one_mark_per_memory")]
        indexes = [models.Index(fields=["project"], name="recall_mark_of_project")]


class KeptPair(TenantRow):
    """Two memories that look like repeats or contradict each other, and that a member decided to keep both.

    `texts` is a digest of what they said then: a pair that says something else since is shown again.
    """

    memory = models.ForeignKey(
        Memory, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    other = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    texts = models.BinaryField()
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["memory", "other"], name="one_decision_per_pair")]
        indexes = [models.Index(fields=["project"], name="kept_pair_of_project")]
