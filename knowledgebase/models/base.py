"""A knowledge base, and what its rows have in common."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memories.models import MemCube
from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models import Account, User


class SharedRow(models.Model):
    """A row that the projects of an account share; scoped by the manager and by row-level security."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        default_manager_name = "every"


class KnowledgeBase(SharedRow):
    """Documents of an account, shared by the projects that its cube is granted to.

    `public_id` is the id in the API ("base" and a UUID, the form that clients know), and the cube's owner.
    `bytes_used` counts the stored files and is changed under a lock of this row. One with `deleted_at` is granted to
    nobody and is being emptied.
    """

    public_id = models.CharField(max_length=60, unique=True, editable=False)
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=1000, blank=True)
    cube = models.OneToOneField(
        MemCube, on_delete=models.CASCADE, related_name="knowledge_base", db_constraint=False
    )
    bytes_used = models.PositiveBigIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta(SharedRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["account", "id"], name="knowledge_base_within_account"),
        ]
        indexes = [models.Index(fields=["account", "-created_at"], name="knowledge_base_newest")]

    def __str__(self) -> str:
        return self.public_id
