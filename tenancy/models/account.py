"""The accounts: paying tenants."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.plan import Plan
from tenancy.models.user import User


class Account(models.Model):
    """A paying tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=100)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT)
    members = models.ManyToManyField(User, through="Membership", related_name="accounts")
    created_at = models.DateTimeField(default=timezone.now)
    asks_second_factor = models.BooleanField(
        default=False, db_default=False, help_text="Whether members without one are refused."
    )

    def __str__(self) -> str:
        return self.name
