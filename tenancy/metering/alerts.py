"""Quota alerts: owners and admins are notified once at each threshold of a month's quota that their account has on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import date

from django.db import transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.meters import Meter, get_monthly_allowance
from tenancy.metering.quota import get_first_of_month
from tenancy.metering.usage import Standing, get_today, list_meter_standings
from tenancy.models import Account, User
from tenancy.models.account import ALERT_THRESHOLDS
from tenancy.models.usage import QuotaAlert

log = logging.getLogger(__name__)

# Sends one alert. What it raises as `OSError` (a mail server that does not answer) is tried again a minute later.
SendAlert = Callable[[Account, Standing, int], None]


def change_alert_thresholds(account: Account, thresholds: Iterable[int], actor: User) -> None:
    """Say at which thresholds mails are sent, with an audit event. Raises `InvalidParameters` for another percent.

    One that is turned on after it was passed is reported once, unless it or a higher one was reported this month.
    """
    after = sorted(set(thresholds))
    if not set(after) <= set(ALERT_THRESHOLDS):
        raise InvalidParameters(f"thresholds: only {', '.join(map(str, ALERT_THRESHOLDS))}")
    with transaction.atomic():
        before = Account.objects.select_for_update(no_key=True).get(pk=account.pk).alert_thresholds
        account.alert_thresholds = after
        if before == after:
            return
        account.save(update_fields=["alert_thresholds"])
        detail = {"before": {"alert_thresholds": before}, "after": {"alert_thresholds": after}}
        record_event(account, actor, "account.alerts_changed", account, detail=detail)


def send_quota_alerts(account: Account, send_alert: SendAlert, day: date | None = None) -> None:
    """Notify of every threshold passed since the last time; of several of one meter only of the highest."""
    if all(get_monthly_allowance(account.plan, meter) is None for meter in Meter):
        return
    month = get_first_of_month(day or get_today())
    standings = {standing.meter: standing for standing in list_meter_standings(account, day)}
    _note_alerts(account, list(standings.values()), month)
    for unsent in _list_unsent_alerts(account, month):
        _send_alert(account, standings[Meter(unsent.meter)], unsent, send_alert)


def _note_alerts(account: Account, standings: list[Standing], month: date) -> None:
    """Write down what is passed and on. What is below a threshold that was reported before needs no mail any more."""
    with tenant_scope(Scope.of_account(account)):
        alerts = QuotaAlert.objects.within(account).filter(month=month)
        sent = alerts.filter(sent_at__isnull=False).order_by("percent")
        reported = dict(sent.values_list("meter", "percent"))  # of each meter the highest
        rows = []
        for standing in standings:
            passed = [
                percent
                for percent in account.alert_thresholds
                if standing.allowed is not None and standing.percent >= percent
            ]
            highest = max([*passed, reported.get(standing.meter, 0)])
            rows += [
                QuotaAlert(
                    account=account,
                    meter=standing.meter,
                    month=month,
                    percent=percent,
                    sent_at=None if percent == highest else timezone.now(),
                )
                for percent in passed
            ]
        if rows:
            QuotaAlert.objects.bulk_create(rows, ignore_conflicts=True)


def _list_unsent_alerts(account: Account, month: date) -> list[QuotaAlert]:
    with tenant_scope(Scope.of_account(account)):
        unsent = QuotaAlert.objects.within(account).filter(month=month, sent_at=None)
        return list(unsent.filter(percent__in=account.alert_thresholds).order_by("percent"))


def _send_alert(account: Account, standing: Standing, unsent: QuotaAlert, send_alert: SendAlert) -> None:
    """Claim the alert before sending, so that two workers do not send it twice."""
    if not _mark_alert(account, unsent, sent=True):
        return
    try:
        send_alert(account, standing, unsent.percent)
    except OSError as error:
        _mark_alert(account, unsent, sent=False)
        log.warning("alert_not_sent", extra={"fault": type(error).__name__})


def _mark_alert(account: Account, alert: QuotaAlert, *, sent: bool) -> bool:
    with tenant_scope(Scope.of_account(account)):
        rows = QuotaAlert.objects.within(account).filter(pk=alert.pk, sent_at__isnull=sent)
        return bool(rows.update(sent_at=timezone.now() if sent else None))
