"""Mails about keys, and the server that takes them."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar

from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.db.models import F
from django.test import Client

from tenancy.keys.notifications import send_key_mails
from tenancy.models import ApiKey
from tenancy.models.key_mail import KeyMail
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.acts import KEY

SHOWN = re.compile(rb'value="(mpg-[0-9A-Za-z]{38})"')


class MailServer(EmailBackend):
    """Refuses whom it is told to."""

    refused: ClassVar[set[str]] = set()

    def send_messages(self, messages: Any) -> int:
        for message in messages:
            if self.refused & {*message.to, "all end users"}:
                raise smtplib.SMTPRecipientsRefused({message.to[0]: (550, b"no such user")})
        return int(super().send_messages(messages))


@contextmanager
def mails_go_to_server(settings: Any) -> Iterator[None]:
    settings.EMAIL_BACKEND, settings.HAS_MAIL = f"{__name__}.MailServer", True
    mail.outbox = []
    yield
    MailServer.refused.clear()


def keys_page(tenant: Tenant, more: str = "") -> str:
    return f"/p/{tenant.project_id}/api-keys/{more}"


def create(tenant: Tenant, client: Client | None = None, **fields: str) -> str:
    """By the form; returns the plaintext that the page shows once."""
    page = (client or sign_in_owner(tenant)).post(keys_page(tenant, "new/"), KEY | fields)
    match = SHOWN.search(page.content)
    assert match, page.content
    return match[1].decode()


def get_key(tenant: Tenant, name: str = KEY["name"]) -> ApiKey:
    return tenant.project.api_keys.get(name=name)


def orders(tenant: Tenant) -> Any:
    return KeyMail.objects.filter(key__account=tenant.project.account_id)


def sent(tenant: Tenant) -> list[EmailMessage]:
    """What the next round of the clock sends of this account."""
    mail.outbox = []
    send_key_mails(orders(tenant))
    return list(mail.outbox)


def readers(mails: list[EmailMessage]) -> list[str]:
    return sorted(email.to[0] for email in mails)


def time_passes(tenant: Tenant, time: timedelta) -> None:
    """For everything that waits in this account."""
    for rows, fields in (
        (tenant.project.api_keys.all(), ("created_at", "expires_at")),
        (orders(tenant), ("created_at", "due_at", "expires_at")),
    ):
        rows.update(**{name: F(name) - time for name in fields})
