"""Tables of requests: the log, and answers kept for repeats."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from tenancy.isolation.private_fields import PrivateJSON, PrivateText
from tenancy.models.api_key import ApiKey
from tenancy.models.project import TenantRow
from tenancy.models.user import User

MAX_PATH = 200


class RequestLog(TenantRow):
    """One API call and the timed steps inside it. Bodies are the tenant's own data and leave with retention."""

    request_id = models.CharField(max_length=40)
    api_key = models.ForeignKey(
        ApiKey, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    endpoint = models.CharField(max_length=60)
    method = models.CharField(max_length=7)
    # Of what the address is about: ids of ours only, so that no name of a person stays behind in it.
    path = models.CharField(max_length=MAX_PATH, blank=True, default="", db_default="")
    address = models.CharField(max_length=45, blank=True, default="", db_default="")
    origin = models.CharField(max_length=20, default="api")
    code = models.IntegerField()
    http_status = models.PositiveSmallIntegerField()
    milliseconds = models.FloatField()
    charged = models.BigIntegerField(default=0, db_default=0)  # of its meter; nothing for a call that failed
    subject_id = models.CharField(max_length=100, blank=True)  # the first of `subjects`, for people to read
    subjects = ArrayField(models.CharField(max_length=120), default=list)  # "kind:id", all it is about
    request_body = PrivateText(blank=True)
    response_body = PrivateText(blank=True)
    trace = models.JSONField(default=list, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(default=timezone.now)
    meter = "other"  # while it is being written: what the call was counted as
    attempts = 0  # at writing it

    class Meta(TenantRow.Meta):
        indexes = [
            # With all that charts and figures read.
            models.Index(
                fields=["project", "-created_at"],
                include=["account", "id", "endpoint", "code", "http_status", "milliseconds"],
                name="request_log_figures",
            ),
            models.Index(fields=["project", "endpoint", "-created_at"], name="request_log_by_endpoint"),
            models.Index(fields=["project", "request_id"], name="request_log_by_request"),
            GinIndex(fields=["subjects"], name="request_log_by_subject"),
        ]


class LogShare(TenantRow):
    """A public link to one request of the log, until `expires_at`."""

    request_id = models.CharField(max_length=40)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "request_id"], name="one_share_per_request")
        ]


class StoredAnswer(TenantRow):
    """Answer to a request with an `Idempotency-Key`, kept 24 hours."""

    key = models.CharField(max_length=255)
    body_hash = models.BinaryField()
    http_status = models.PositiveSmallIntegerField(default=0)
    body = PrivateJSON(null=True)  # null: erased with one of its subjects
    subjects = ArrayField(models.CharField(max_length=120), default=list, db_default=[])  # as in `RequestLog`
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="one_answer_per_key")]
        indexes = [GinIndex(fields=["subjects"], name="stored_answer_by_subject")]
