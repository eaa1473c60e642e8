"""Table of views of a list that members saved by name."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.isolation.private_fields import PrivateJSON, PrivateText
from tenancy.models import TenantRow, User


class SavedView(TenantRow):
    """A list's filters and order under a name. `member` is who it belongs to; None: everybody of the project."""

    member = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    name = PrivateText()
    filter = PrivateJSON(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["project", "created_at"], name="saved_view_of_project")]
