"""Delete logs, stored answers, audit entries and usage after their retention time."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from tenancy.audit.log import trim_log
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, LogShare, Project, RequestLog, StoredAnswer
from tenancy.models.project import ProjectQuerySet
from tenancy.models.usage import SubjectUsage, UsageDay
from tenancy.requests.idempotency import STORED_ANSWERS
from tenancy.requests.log_erasure import clear_erasures
from tenancy.requests.partitions import drop_partitions, get_today
from tenancy.requests.retention_settings import LONGEST_LOG_DAYS, RetentionPolicies
from tenancy.runtime.batching import run_for_each_owner

REQUEST_LOGS = timedelta(days=LONGEST_LOG_DAYS)
# Sums of days: long enough to compare a year with the one before, for end users a year.
USAGE, USAGE_OF_SUBJECTS = timedelta(days=800), timedelta(days=400)
AUDIT_LOG = timedelta(days=365)
A_DAY = timedelta(days=1)
# So many rows are deleted in a transaction.
BATCH = 1_000


def clear_request_logs(projects: ProjectQuerySet | None = None) -> int:
    """Drops whole days past their time. What is older than a day that was dropped lies elsewhere: it is deleted, of
    these projects or of all."""
    now = timezone.now()
    drop_partitions(now - REQUEST_LOGS)
    asked = Project.objects.all() if projects is None else projects
    return run_for_each_owner("clear_request_logs", asked, _clear_request_logs)


def _clear_request_logs(project: Project) -> int:
    """With links to requests that are past their time."""
    with tenant_scope(project):
        LogShare.objects.within(project).filter(expires_at__lt=timezone.now()).delete()
    return _clear_table(project, RequestLog, _log_age(project))


def _log_age(project: Project) -> timedelta:
    """A project that chose fewer days has rows in tables of days that others still keep."""
    days = RetentionPolicies.of(project).request_log_days
    return timedelta(days=days) if days < LONGEST_LOG_DAYS else REQUEST_LOGS + A_DAY


def clear_stored_answers() -> int:
    return run_for_each_owner("clear_stored_answers", Project.objects.all(), _clear_stored_answers)


def _clear_stored_answers(project: Project) -> int:
    """With the marks of who was erased lately."""
    clear_erasures(project)
    return _clear_table(project, StoredAnswer, STORED_ANSWERS)


def clear_audit_logs() -> int:
    """Delete old entries from the beginning of each account's chain."""
    before = timezone.now() - AUDIT_LOG
    return run_for_each_owner(
        "audit_logs", Account.objects.all(), lambda account: trim_log(account.pk, before)
    )


def clear_usage(account: UUID) -> None:
    """Sums of days past their time."""
    now = get_today()
    with tenant_scope(Scope(account, None)):
        UsageDay.objects.within(account).filter(day__lt=now - USAGE).delete()
        SubjectUsage.objects.within(account).filter(day__lt=now - USAGE_OF_SUBJECTS).delete()


def _clear_table(project: Project, model: type[RequestLog] | type[StoredAnswer], age: timedelta) -> int:
    """Delete in small transactions, oldest first; an interrupted run is continued by the next."""
    before, cleared = timezone.now() - age, 0
    while True:
        with tenant_scope(project):
            mine = model.objects.within(project).filter(created_at__lt=before)
            batch = list(mine.order_by("created_at").values_list("pk", flat=True)[:BATCH])
            # With the moment, by which the database finds the table of the day.
            mine.filter(pk__in=batch).delete()
        cleared += len(batch)
        if len(batch) < BATCH:
            return cleared
