"""Periodic Celery tasks of tenancy."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from tenancy.billing.reread_accounts import read_due_accounts
from tenancy.keys.notifications import clear_key_mails, remind_of_keys, send_key_mails
from tenancy.metering.alert_mail import send_alert_mails
from tenancy.metering.alerts import send_quota_alerts
from tenancy.metering.rollup import (
    LATELY,
    RECENTLY,
    list_accounts_active_since,
    list_all_accounts,
    tidy_usage,
)
from tenancy.models import Account
from tenancy.people.invitations import clear_invitations
from tenancy.people.operator_visits import end_overdue_visits
from tenancy.requests.delete_expired import (
    clear_audit_logs,
    clear_request_logs,
    clear_stored_answers,
    clear_usage,
)
from tenancy.requests.partitions import create_partitions, get_today
from tenancy.storage.counts import recount_accounts


@shared_task(name="tenancy.clear_request_logs", ignore_result=True)
def clear_request_logs_task() -> None:
    create_partitions(get_today())
    clear_request_logs()


@shared_task(name="tenancy.clear_invitations", ignore_result=True)
def clear_invitations_task() -> None:
    clear_invitations()


@shared_task(name="tenancy.clear_stored_answers", ignore_result=True)
def clear_stored_answers_task() -> None:
    clear_stored_answers()


@shared_task(name="tenancy.fold_usage", ignore_result=True)
def fold_usage_task() -> None:
    _tidy_accounts(RECENTLY)


@shared_task(name="tenancy.fold_usage_again", ignore_result=True)
def fold_usage_again_task() -> None:
    _tidy_accounts(LATELY)


def _tidy_accounts(time: timedelta) -> None:
    active = list(list_accounts_active_since(time))
    tidy_usage(active)
    for account in Account.objects.select_related("plan").filter(pk__in=active):
        send_quota_alerts(account, send_alert_mails)


@shared_task(name="tenancy.fold_all_usage", ignore_result=True)
def fold_all_usage_task() -> None:
    for account in list_all_accounts():
        tidy_usage([account])
        clear_usage(account)


@shared_task(name="tenancy.recount_stored", ignore_result=True)
def recount_stored_task() -> None:
    recount_accounts(list_all_accounts())


@shared_task(name="tenancy.clear_audit_logs", ignore_result=True)
def clear_audit_logs_task() -> None:
    clear_audit_logs()


@shared_task(name="tenancy.end_visits", ignore_result=True)
def end_visits_task() -> None:
    end_overdue_visits()


@shared_task(name="tenancy.read_subscriptions", ignore_result=True)
def read_subscriptions_task() -> None:
    read_due_accounts()


@shared_task(name="tenancy.remind_of_keys", ignore_result=True)
def remind_of_keys_task() -> None:
    remind_of_keys()
    clear_key_mails()


@shared_task(name="tenancy.send_key_mails", ignore_result=True)
def send_key_mails_task() -> None:
    send_key_mails()
