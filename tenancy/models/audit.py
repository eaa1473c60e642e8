"""The audit log of accounts."""

from __future__ import annotations

from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models.account import Account
from tenancy.models.project import Project
from tenancy.models.user import User


def _declare_unlinked_key(to: Any) -> Any:
    """Ids outlive what they name: an entry about a deleted project or login stays as it was."""
    return models.ForeignKey(
        to, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )


class AuditEvent(models.Model):
    """Entry of the audit log: who changed what, and from where; never the content itself.

    The database numbers and chains the rows, and refuses to change or delete them.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        Account, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    project = _declare_unlinked_key(Project)
    actor = _declare_unlinked_key(User)
    actor_kind = models.CharField(max_length=12, default="member")
    actor_label = models.CharField(max_length=40, blank=True, default="", db_default="")
    action = models.CharField(max_length=40)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=100)
    detail = models.JSONField(default=dict, db_default={}, encoder=DjangoJSONEncoder)
    address = models.CharField(max_length=45, blank=True, default="", db_default="")
    request_id = models.CharField(max_length=40, blank=True, default="", db_default="")
    created_at = models.DateTimeField(default=timezone.now)
    number = models.BigIntegerField(null=True, editable=False)
    previous = models.BinaryField(null=True, editable=False)
    hash = models.BinaryField(null=True, editable=False)

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
        indexes = [models.Index(fields=["account", "-created_at"], name="audit_newest")]
        constraints = [
            models.UniqueConstraint(fields=["account", "number"], name="one_audit_entry_per_number")
        ]


class AuditHead(models.Model):
    """The last entry of an account's audit log, and the last that retention took. Written by the database alone."""

    account = models.OneToOneField(
        Account, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    number = models.BigIntegerField()
    hash = models.BinaryField()
    trimmed_number = models.BigIntegerField()
    trimmed_hash = models.BinaryField()

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        default_manager_name = "every"
