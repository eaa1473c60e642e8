"""Tables of usage: quotas, reservations, sums, alerts.

`Reservation` is the journal: a row for each call that was let in. What it used is written into it when the call has
succeeded; a while later it is folded into the days and goes.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models.account import Account
from tenancy.models.api_key import ApiKey
from tenancy.models.project import Project, TenantRow


class AccountRow(models.Model):
    """A row of a whole account, scoped by the manager and by row-level security."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        default_manager_name = "every"


class QuotaMonth(AccountRow):
    """Amount of a meter that an account has taken in a month (UTC): what was used, and what open calls hold.

    `granted` is what an operator gave on top of the plan.
    """

    meter = models.CharField(max_length=30)
    month = models.DateField(help_text="Its first day.")
    taken = models.BigIntegerField(default=0, db_default=0)
    granted = models.BigIntegerField(default=0, db_default=0)

    class Meta(AccountRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["account", "meter", "month"], name="one_quota_per_month")
        ]


class Reservation(AccountRow):
    """Amount of a meter that one call took. `used` is empty while it is at work; what it did not use goes back.

    The project and the key may be gone when it is folded, hence no foreign keys; and that of the account would lock its
    row with every call.
    """

    account = models.ForeignKey(
        Account, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    project = models.ForeignKey(
        Project, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    api_key = models.ForeignKey(
        ApiKey, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    meter = models.CharField(max_length=30)
    day = models.DateField()
    amount = models.BigIntegerField()
    used = models.BigIntegerField(null=True)
    subject = models.CharField(max_length=120, blank=True, db_default="")  # "kind:id", as in `RequestLog`
    reserved_at = models.DateTimeField(default=timezone.now)

    class Meta(AccountRow.Meta):
        # Not for those that are open: calls find their own by its id.
        indexes = [
            models.Index(
                fields=["account"],
                name="reservation_to_fold",
                condition=models.Q(used__isnull=False),
            )
        ]


class UsageDay(AccountRow):
    """Use of one meter by one key on one day (UTC). Without a project: of one that was deleted since."""

    project = models.ForeignKey(
        Project, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    api_key = models.ForeignKey(
        ApiKey, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    meter = models.CharField(max_length=30)
    day = models.DateField()
    used = models.BigIntegerField(default=0, db_default=0)
    refused = models.BigIntegerField(default=0, db_default=0)  # calls that failed, and so cost nothing

    class Meta(AccountRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["account", "day", "project", "api_key", "meter"], name="one_usage_per_day_and_key"
            )
        ]
        # A project that is deleted looks for its rows, which stay without it.
        indexes = [models.Index(fields=["project"], name="usage_day_of_project")]


class SubjectUsage(AccountRow):
    """Use of one meter on one day (UTC) by calls about one end user or agent; erased with them."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    subject = models.CharField(max_length=120)
    meter = models.CharField(max_length=30)
    day = models.DateField()
    used = models.BigIntegerField(default=0, db_default=0)

    class Meta(AccountRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["project", "day", "meter", "subject"], name="one_usage_per_day_and_subject"
            )
        ]
        indexes = [
            models.Index(fields=["account", "subject", "day"], name="usage_of_subject"),
            models.Index(fields=["account", "day"], name="usage_of_subjects"),
        ]


class QuotaAlert(AccountRow):
    """A notification of owners and admins at a threshold of a month's quota, sent once."""

    meter = models.CharField(max_length=30)
    month = models.DateField()
    percent = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)

    class Meta(AccountRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["account", "meter", "month", "percent"], name="one_alert_per_threshold"
            )
        ]


class ModelUsage(TenantRow):
    """The tokens that a model read and wrote for a project in one day (UTC), for one purpose."""

    day = models.DateField()
    purpose = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    calls = models.PositiveIntegerField(default=0)
    estimated_calls = models.PositiveIntegerField(default=0)  # of them: the provider did not tell its tokens
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["project", "day", "purpose", "model"], name="one_model_usage_per_day"
            )
        ]
        indexes = [models.Index(fields=["account", "day"], name="model_usage_of_account")]
