"""The cube: the container a memory is in, and the unit of isolation."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memories.values import OwnerKind
from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models import Account, Project, TenantRow

OWNER_KINDS = [(kind.value, kind.value.replace("_", " ")) for kind in OwnerKind]


class MemCube(models.Model):
    """A container of memories with one owner: an end user, an agent, a project's public store, a knowledge base.

    `owner_id` is compared code point by code point, as the client wrote it. `epoch` rises when a knowledge
    base is emptied: work that began before may not write afterwards. The cube of an end user or agent is deleted with
    them. A knowledge base's cube is shared by the account's projects and has no project.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="cubes", db_index=False
    )
    owner_kind = models.CharField(max_length=16, choices=OWNER_KINDS)
    owner_id = models.CharField(max_length=100, db_collation="C")
    epoch = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    owner = "project"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        constraints = [
            models.UniqueConstraint(fields=["project", "owner_kind", "owner_id"], name="one_cube_per_owner"),
            models.UniqueConstraint(fields=["project", "id"], name="cube_within_project"),
            models.UniqueConstraint(fields=["account", "id"], name="cube_within_account"),
            models.UniqueConstraint(
                fields=["account", "owner_kind", "owner_id"],
                condition=models.Q(project=None),
                name="one_shared_cube_per_owner",
            ),
        ]


class CubeChange(models.Model):
    """The database's note that a statement wrote rows of this cube, for `memories.cubes.change_markers`.

    Only its trigger writes one, in every statement: the key to the cube is the only one that is checked, and implies
    the others.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        Account, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    project = models.ForeignKey(
        Project,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )

    owner = "cube"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        indexes = [
            models.Index(fields=["cube"], name="change_of_cube"),
            models.Index(fields=["project"], name="change_of_project"),
        ]


class CubeGrant(TenantRow):
    """A project may search and correct a cube that its account shares: a knowledge base's."""

    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="grants", db_constraint=False, db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "cube"], name="one_grant_per_project"),
        ]
        indexes = [models.Index(fields=["cube"], name="grant_of_cube")]
