"""Mails to owners about API keys: a new key, a new secret, a key that expires soon.

A mail is a row, written in the transaction of the change and sent periodically. Its sender postpones it first and marks
it as sent afterwards, so that a crash loses none; a crash in between may send it twice.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from tenancy.keys.notification_texts import send_key_mail
from tenancy.models import ApiKey, Role, User
from tenancy.models.key_mail import KeyMail, KeyNews
from tenancy.runtime.batching import iterate_in_batches

log = logging.getLogger(__name__)

REMINDS_BEFORE = timedelta(days=7)
# Longer than one mail can take; then as long again as it has been waiting, until it is given up.
AGAIN_AFTER = timedelta(minutes=5)
TRIED_FOR = timedelta(days=3)
# Longer than the reminder of an expiry must be known.
KEPT = timedelta(days=30)
# To one owner about one account: what is more is in the audit log. Reminders come again with the next round.
MOST_AN_HOUR = 20
# A round of the clock, which has two minutes; a mail server may take ten seconds to refuse.
MOST_IN_A_ROUND, SECONDS_OF_A_ROUND = 500, 30


def notify_owners_of_key(key: ApiKey, news: KeyNews, actor: User | None = None) -> None:
    """Write the mails, in the transaction of the change. Without a mail server only the console shows the change."""
    if not settings.HAS_MAIL:
        return
    fields = {"key": key, "news": news, "actor": actor, "hint": key.hint, "expires_at": key.expires_at}
    until = key.old_until if news == KeyNews.ROTATED else None
    mails = [
        KeyMail(recipient=owner, old_until=until, **fields)
        for owner in _list_owners(key)
        if _is_below_rate(owner, key)
    ]
    KeyMail.objects.bulk_create(mails, ignore_conflicts=True)


def _is_below_rate(owner: User, key: ApiKey) -> bool:
    """Limit mails per recipient and account, so that one account neither delays the mails of others nor causes spam."""
    lately = timezone.now() - timedelta(hours=1)
    recent = KeyMail.objects.filter(recipient=owner, key__account=key.account_id, created_at__gt=lately)
    return recent.count() < MOST_AN_HOUR


def _list_owners(key: ApiKey) -> QuerySet[User]:
    of_account = {"memberships__account": key.account_id, "memberships__role": Role.OWNER}
    return User.objects.filter(is_active=True, **of_account)


def remind_of_keys(keys: QuerySet[ApiKey] | None = None) -> None:
    """Write reminders for these keys, or for all, that expire soon: one for each expiry."""
    for key in iterate_in_batches(_list_expiring_keys(ApiKey.objects.all() if keys is None else keys)):
        notify_owners_of_key(key, KeyNews.ENDING)


def _list_expiring_keys(keys: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
    """Keys that expire soon, except those created for a few days only."""
    now = timezone.now()
    reminders = KeyMail.objects.filter(news=KeyNews.ENDING, expires_at=OuterRef("expires_at"))
    return keys.filter(
        ~Exists(reminders.filter(key=OuterRef("pk"))),
        revoked_at=None,
        project__deleting_at=None,
        expires_at__gt=now,
        expires_at__lte=now + REMINDS_BEFORE,
        created_at__lte=F("expires_at") - REMINDS_BEFORE,
    )


def send_key_mails(mails: QuerySet[KeyMail] | None = None) -> int:
    """Send those of these mails, or of all, that are due. Returns how many were sent."""
    if not settings.HAS_MAIL:
        return 0
    due = _filter_due_mails(KeyMail.objects.all() if mails is None else mails)[:MOST_IN_A_ROUND]
    sent, until = 0, time.monotonic() + SECONDS_OF_A_ROUND
    for mail in due:
        if time.monotonic() > until:
            break
        sent += send_unless_taken(mail)
    return sent


def _filter_due_mails(mails: QuerySet[KeyMail]) -> QuerySet[KeyMail]:
    """Mails to current owners; no reminders of keys that were revoked, have expired, or expire at another time now."""
    now = timezone.now()
    waiting = Q(sent_at=None, due_at__lte=now, created_at__gt=now - TRIED_FOR)
    is_owner = Q(
        recipient__is_active=True,
        recipient__memberships__account=F("key__account"),
        recipient__memberships__role=Role.OWNER,
    )
    holds = Q(key__revoked_at=None, key__expires_at=F("expires_at"), expires_at__gt=now)
    due_mails = mails.filter(waiting, is_owner, holds | ~Q(news=KeyNews.ENDING))
    return due_mails.select_related("key__project__account", "recipient", "actor").order_by("due_at")


def send_unless_taken(mail: KeyMail) -> bool:
    """Send a mail as it was read. False when another worker is sending it, or the mail server takes it later."""
    now = timezone.now()
    if not _put_off(mail, now + max(AGAIN_AFTER, now - mail.created_at)):
        return False
    try:
        send_key_mail(mail)
    except (OSError, ValueError) as error:  # `ValueError`: an address that no header can carry
        log.warning("key_mail_not_sent", extra={"fault": type(error).__name__})
        return False
    KeyMail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())
    return True


def _put_off(mail: KeyMail, until: datetime) -> bool:
    """Postpone a mail before it is sent. False when another worker is sending it."""
    same = KeyMail.objects.filter(pk=mail.pk, sent_at=None, due_at=mail.due_at)
    return bool(same.update(due_at=until))


def clear_key_mails() -> None:
    old = KeyMail.objects.filter(created_at__lt=timezone.now() - KEPT)
    if given_up := old.filter(sent_at=None).count():
        log.error("key_mails_given_up", extra={"left": given_up})
    old.delete()
