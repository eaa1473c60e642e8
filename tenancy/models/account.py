"""The accounts: paying tenants."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.plan import Plan
from tenancy.models.user import User

# Percents of a month's quota at which owners and admins can be notified.
ALERT_THRESHOLDS = (50, 80, 100)


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
    alert_thresholds = ArrayField(
        models.PositiveSmallIntegerField(),
        blank=True,
        db_default=list(ALERT_THRESHOLDS),
        help_text="Percents of a quota at which owners and admins are sent a mail.",
    )
    # Since then nobody belongs to it, and a task deletes what it holds.
    deleting_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
