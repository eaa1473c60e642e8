"""The API keys of projects."""

from __future__ import annotations

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.account import Account
from tenancy.models.project import Project
from tenancy.models.user import User


class ApiKey(models.Model):
    """A secret of an API client, of which only a keyed hash is stored."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=60)
    public_id = models.CharField(max_length=8, help_text="The first characters, for people to recognise it.")
    last_four = models.CharField(max_length=4)
    digest = models.BinaryField(unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=12), default=list)
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # The key by which a program made this one. Its daily cap holds for both, and a leak of it ends both.
    made_with = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="made_keys"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_address = models.CharField(max_length=45, blank=True, default="", db_default="")
    last_used_endpoint = models.CharField(max_length=60, blank=True, default="", db_default="")
    # Networks it may be used from, as CIDR; from everywhere when there are none.
    ranges = ArrayField(models.CharField(max_length=43), default=list, db_default=[], blank=True)
    daily_cap = models.PositiveIntegerField(null=True, blank=True, help_text="Calls a day (UTC).")
    # The secret before the last rotation, which works a while longer.
    old_digest = models.BinaryField(null=True, unique=True, editable=False)
    old_until = models.DateTimeField(null=True, blank=True)
    # By which pepper each digest was made, see `tenancy.keys.peppers`; unknown of keys not shown since it is noted.
    pepper_id = models.CharField(max_length=16, editable=False, default="", db_default="")
    old_pepper_id = models.CharField(max_length=16, editable=False, default="", db_default="")

    # Until when the secret that was shown works, where it is the one before the rotation (`tenancy.keys.lifetime`).
    shown_until: datetime | None = None

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["public_id"], name="api_key_by_public_id")]

    def __str__(self) -> str:
        return self.hint

    @property
    def hint(self) -> str:
        return f"{self.public_id}…{self.last_four}"
