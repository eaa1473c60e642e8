"""How long what is kept is kept."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from tenancy.audit import trim
from tenancy.log_days import drop_days, today
from tenancy.models import Account, Project, RequestLog, StoredAnswer
from tenancy.scoping import Scope, tenant_scope
from tenancy.usage_models import SubjectUsage, UsageDay

REQUEST_LOGS = timedelta(days=30)
STORED_ANSWERS = timedelta(hours=24)
# Sums of days: long enough to compare a year with the one before, for end users a year.
USAGE, USAGE_OF_SUBJECTS = timedelta(days=800), timedelta(days=400)
AUDIT_LOG = timedelta(days=365)
A_DAY = timedelta(days=1)


def clear_request_logs() -> int:
    """Drops whole days past their time. What is older than a day that was dropped lies elsewhere: it is deleted."""
    drop_days(timezone.now() - REQUEST_LOGS)
    return sum(_clear(project, RequestLog, REQUEST_LOGS + A_DAY) for project in Project.objects.iterator())


def clear_stored_answers() -> int:
    return sum(_clear(project, StoredAnswer, STORED_ANSWERS) for project in Project.objects.iterator())


def clear_audit_logs() -> int:
    """Account by account, whole beginnings of each chain."""
    before = timezone.now() - AUDIT_LOG
    return sum(trim(account, before) for account in Account.objects.values_list("pk", flat=True).iterator())


def clear_usage(account: UUID) -> None:
    """Sums of days past their time."""
    now = today()
    with tenant_scope(Scope(account, None)):
        UsageDay.objects.within(account).filter(day__lt=now - USAGE).delete()
        SubjectUsage.objects.within(account).filter(day__lt=now - USAGE_OF_SUBJECTS).delete()


def _clear(project: Project, model: type[RequestLog] | type[StoredAnswer], age: timedelta) -> int:
    with tenant_scope(project):
        deleted, _ = model.objects.within(project).filter(created_at__lt=timezone.now() - age).delete()
    return int(deleted)
