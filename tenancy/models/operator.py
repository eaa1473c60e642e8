"""The table of operator visits."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.account import Account
from tenancy.models.user import User


class OperatorVisit(models.Model):
    """An operator looks at an account's console, read only, until a moment. `seen` are the addresses they opened.

    Without a policy: it is read with each of the operator's requests, before any tenant is known, and holds the
    operator's words, never a tenant's.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    operator = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    reason = models.CharField(max_length=300)
    began_at = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    seen = ArrayField(models.CharField(max_length=200), default=list, db_default=[])

    class Meta:
        ordering = ["-began_at"]
        indexes = [
            models.Index(
                fields=["until"], name="operator_visit_open", condition=models.Q(ended_at__isnull=True)
            )
        ]
