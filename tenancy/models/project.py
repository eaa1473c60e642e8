"""The projects of accounts, and what all rows of projects have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models.account import Account


class ProjectQuerySet(models.QuerySet[Any]):
    def here(self) -> Self:
        """Projects that people may open: those that are not being deleted."""
        return self.filter(deleting_at=None)

    def at_work(self) -> Self:
        """Projects that are neither archived nor being deleted."""
        return self.filter(deleting_at=None, archived_at=None)


class Project(models.Model):
    """Isolation inside an account; owns keys, cubes and logs. `settings` hold a section for each that reads them."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(max_length=60)
    description = models.CharField(max_length=300, blank=True)
    settings = models.JSONField(default=dict, db_default={})
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    deleting_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            # What is being deleted gives its name back at once.
            models.UniqueConstraint(
                fields=["account", "name"],
                condition=models.Q(deleting_at=None),
                name="project_name_in_account",
            ),
            models.UniqueConstraint(fields=["account", "id"], name="project_within_account"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_settings(self, section: str, names: Iterable[str]) -> dict[str, Any]:
        """Return what is stored in a section, as far as it is known by these names."""
        stored = self.settings.get(section, {})
        return {name: stored[name] for name in names if name in stored}


class TenantRow(models.Model):
    """A row of one project of one account, scoped by the manager and by row-level security."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)

    owner = "project"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        default_manager_name = "every"
