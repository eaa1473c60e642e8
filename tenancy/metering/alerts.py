"""Quota alerts: owners and admins are notified once at 50 %, at a higher threshold and at 100 % of a month's quota."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date

from django.utils import timezone

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.meters import Meter, get_monthly_allowance
from tenancy.metering.quota import get_first_of_month
from tenancy.metering.usage import Standing, get_today, list_meter_standings
from tenancy.models import Account
from tenancy.models.usage import QuotaAlert

log = logging.getLogger(__name__)

# Sends one alert. What it raises as `OSError` (a mail server that does not answer) is tried again a minute later.
Tell = Callable[[Account, Standing, int], None]


def send_quota_alerts(account: Account, tell: Tell, day: date | None = None) -> None:
    """Notify of every threshold passed since the last time; of several of one meter only of the highest."""
    if all(get_monthly_allowance(account.plan, meter) is None for meter in Meter):
        return
    month = get_first_of_month(day or get_today())
    found = {one.meter: one for one in list_meter_standings(account, day)}
    _note(account, list(found.values()), month)
    for unsent in _list_unsent_alerts(account, month):
        _tell(account, found[Meter(unsent.meter)], unsent, tell)


def _note(account: Account, found: list[Standing], month: date) -> None:
    rows = []
    for one in found:
        passed = [
            percent for percent in QuotaAlert.THRESHOLDS if one.allowed is not None and one.percent >= percent
        ]
        rows += [
            QuotaAlert(
                account=account,
                meter=one.meter,
                month=month,
                percent=percent,
                sent_at=None if percent == max(passed) else timezone.now(),
            )
            for percent in passed
        ]
    if rows:
        with tenant_scope(Scope.of_account(account)):
            QuotaAlert.objects.bulk_create(rows, ignore_conflicts=True)


def _list_unsent_alerts(account: Account, month: date) -> list[QuotaAlert]:
    with tenant_scope(Scope.of_account(account)):
        return list(QuotaAlert.objects.within(account).filter(month=month, sent_at=None).order_by("percent"))


def _tell(account: Account, standing: Standing, unsent: QuotaAlert, tell: Tell) -> None:
    """Claim the alert before sending, so that two workers do not send it twice."""
    if not _mark(account, unsent, sent=True):
        return
    try:
        tell(account, standing, unsent.percent)
    except OSError as trouble:
        _mark(account, unsent, sent=False)
        log.warning("alert_not_sent", extra={"fault": type(trouble).__name__})


def _mark(account: Account, one: QuotaAlert, *, sent: bool) -> bool:
    with tenant_scope(Scope.of_account(account)):
        rows = QuotaAlert.objects.within(account).filter(pk=one.pk, sent_at__isnull=sent)
        return bool(rows.update(sent_at=timezone.now() if sent else None))
