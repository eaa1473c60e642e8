"""What is left of projects and end users that were deleted: order and receipt, and a mark without a name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from tenancy.models.project import Project, TenantRow
from tenancy.models.usage import AccountRow
from tenancy.models.user import User


class ProjectDeletion(AccountRow):
    """Belongs to the account, so that it outlives the project. Counts and names of the account's own things only.

    `expected` are the counts when it was ordered, `removed` those of what is gone until now, `kept` the knowledge bases
    that stay. `recallable` is what the look afterwards found of its memories.
    """

    project = models.ForeignKey(
        Project, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    name = models.CharField(max_length=60)
    actor = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    expected = models.JSONField(default=dict, db_default={})
    removed = models.JSONField(default=dict, db_default={})
    kept = models.JSONField(default=list, db_default=[])
    recallable = models.PositiveBigIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta(AccountRow.Meta):
        indexes = [
            models.Index(fields=["account", "-created_at", "-id"], name="deletion_newest"),
            models.Index(
                fields=["account"], name="deletion_unfinished", condition=models.Q(finished_at=None)
            ),
        ]
        constraints = [models.UniqueConstraint(fields=["project"], name="one_deletion_per_project")]

    @property
    def took(self) -> timedelta | None:
        return self.finished_at - self.created_at if self.finished_at else None

    @property
    def progress(self) -> int:
        """Progress in percent of what was counted when the deletion was ordered."""
        whole = sum(count for kind, count in self.expected.items() if kind != BYTES)
        done = sum(min(count, self.removed.get(kind, 0)) for kind, count in _counts(self.expected))
        return 100 if self.finished_at else min(99, round(100 * done / whole)) if whole else 0


# Beside how many files there were.
BYTES = "file_bytes"


def _counts(figures: dict[str, Any]) -> list[tuple[str, int]]:
    return [(kind, count) for kind, count in figures.items() if kind != BYTES]


class Erasure(TenantRow):
    """A mark that somebody was erased, stored while a request that began before may still be running.

    `digest` is a keyed hash of "kind:id": it names nobody. `ended_at` is when the erasure was committed, None until
    that is written.
    """

    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["project", "digest"], name="erasure_of_subject")]
