"""What tenancy does by the clock."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from tenancy.billing.work import read_due
from tenancy.keys.notifications import clear_key_mails, remind_of_keys, send_key_mails
from tenancy.metering.alert_mail import mail_alert
from tenancy.metering.alerts import alert
from tenancy.metering.rollup import LATELY, RECENTLY, active_since, all_accounts, tidy
from tenancy.models import Account
from tenancy.people.operator_visits import end_overdue
from tenancy.requests.partitions import make_days, today
from tenancy.requests.retention import clear_audit_logs, clear_request_logs, clear_stored_answers, clear_usage
from tenancy.storage.counts import recount_some


@shared_task(name="tenancy.clear_request_logs", ignore_result=True)
def clear_request_logs_door() -> None:
    make_days(today())
    clear_request_logs()


@shared_task(name="tenancy.clear_stored_answers", ignore_result=True)
def clear_stored_answers_door() -> None:
    clear_stored_answers()


@shared_task(name="tenancy.fold_usage", ignore_result=True)
def fold_usage_door() -> None:
    _fold(RECENTLY)


@shared_task(name="tenancy.fold_usage_again", ignore_result=True)
def fold_usage_again_door() -> None:
    _fold(LATELY)


def _fold(time: timedelta) -> None:
    active = list(active_since(time))
    tidy(active)
    for account in Account.objects.select_related("plan").filter(pk__in=active):
        alert(account, mail_alert)


@shared_task(name="tenancy.fold_all_usage", ignore_result=True)
def fold_all_usage_door() -> None:
    for account in all_accounts():
        tidy([account])
        clear_usage(account)


@shared_task(name="tenancy.recount_stored", ignore_result=True)
def recount_stored_door() -> None:
    recount_some(all_accounts())


@shared_task(name="tenancy.clear_audit_logs", ignore_result=True)
def clear_audit_logs_door() -> None:
    clear_audit_logs()


@shared_task(name="tenancy.end_visits", ignore_result=True)
def end_visits_door() -> None:
    end_overdue()


@shared_task(name="tenancy.read_subscriptions", ignore_result=True)
def read_subscriptions_door() -> None:
    read_due()


@shared_task(name="tenancy.remind_of_keys", ignore_result=True)
def remind_of_keys_door() -> None:
    remind_of_keys()
    clear_key_mails()


@shared_task(name="tenancy.send_key_mails", ignore_result=True)
def send_key_mails_door() -> None:
    send_key_mails()
