"""Tables of profiles: what should be known about a subject, and what is known."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memories.models.cube import MemCube
from tenancy.isolation.private_fields import PrivateJSON
from tenancy.models import TenantRow


class ProfileTemplate(TenantRow):
    """A tree of fields, kept flat in `leaves`: path, the value to begin with, and whether talk may fill it."""

    name = models.CharField(max_length=100)
    leaves = PrivateJSON(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "id"], name="profile_template_within_project")
        ]


class Profile(TenantRow):
    """A template bound to a subject: only what differs from the template.

    `filled` points from paths to memories and holds no words: the values are read from the memories, so that they
    follow whatever happens to those. `edits` are a person's and win over both; `removed` paths are not shown.
    """

    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="profiles", db_constraint=False, db_index=False
    )
    template = models.ForeignKey(
        ProfileTemplate, on_delete=models.CASCADE, related_name="profiles", db_constraint=False
    )
    filled = models.JSONField(default=dict)
    edits = PrivateJSON(default=dict)
    removed = ArrayField(models.TextField(), default=list)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["cube", "template"], name="one_profile_per_template")]
        indexes = [models.Index(fields=["project"], name="profile_of_project")]
