"""Owners are reminded of keys that end soon."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.utils import timezone

from tenancy.keys import notifications
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.notifications import clear_key_mails, remind_of_keys
from tenancy.models import ApiKey, Role
from tests.support.accounts.key_mails import (
    MailServer,
    create,
    get_key,
    keys_page,
    mails_go_to_server,
    orders,
    readers,
    sent,
    time_passes,
)
from tests.support.accounts.people import add_member, get_owner
from tests.support.api_client import Tenant


@pytest.fixture(autouse=True)
def server(settings: Any) -> Iterator[type[MailServer]]:
    with mails_go_to_server(settings):
        yield MailServer


def reminded(tenant: Tenant) -> list[EmailMessage]:
    remind_of_keys(tenant.project.api_keys.all())
    return sent(tenant)


def test_owners_are_reminded_once_a_week_before_a_key_ends(tenant: Tenant) -> None:
    second = add_member(tenant.project.account, Role.OWNER)
    create(tenant, expiry="30")
    sent(tenant)

    time_passes(tenant, timedelta(days=22, hours=23))
    assert reminded(tenant) == []
    time_passes(tenant, timedelta(hours=1))
    mails = reminded(tenant)

    key = get_key(tenant)
    assert key.expires_at
    assert readers(mails) == sorted([tenant.email, second.email])
    assert f"{key.expires_at:%Y-%m-%d}" in mails[0].subject
    assert f"{key.expires_at:%Y-%m-%d %H:%M} UTC" in mails[0].body
    assert key.hint in mails[0].body
    assert keys_page(tenant) in mails[0].body
    for _ in range(3):
        assert reminded(tenant) == []
        time_passes(tenant, timedelta(days=1))
        clear_key_mails()


def test_a_reminder_that_was_ordered_twice_is_one_mail(tenant: Tenant) -> None:
    create(tenant, expiry="30")
    sent(tenant)
    time_passes(tenant, timedelta(days=25))

    for _ in range(2):  # two rounds that saw the same key
        notifications.notify_owners_of_key(get_key(tenant), notifications.KeyNews.ENDING)

    assert len(sent(tenant)) == 1


def test_an_expiry_that_is_moved_is_told_anew(tenant: Tenant) -> None:
    create(tenant, expiry="30")
    sent(tenant)
    time_passes(tenant, timedelta(days=25))
    assert len(reminded(tenant)) == 1

    ApiKey.objects.filter(pk=get_key(tenant).pk).update(expires_at=timezone.now() + timedelta(days=20))
    assert reminded(tenant) == []
    time_passes(tenant, timedelta(days=14))

    assert len(reminded(tenant)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"expires_at": timezone.now() + timedelta(days=300)},
        {"expires_at": None},
    ],
    ids=["revoked", "ended", "moved", "without end"],
)
@pytest.mark.parametrize("is_ordered", [False, True])
def test_no_reminder_is_sent_of_a_key_that_does_not_end_then(
    tenant: Tenant, change: dict[str, Any], is_ordered: bool
) -> None:
    create(tenant, expiry="30")
    sent(tenant)
    time_passes(tenant, timedelta(days=25))
    if is_ordered:
        remind_of_keys(tenant.project.api_keys.all())

    ApiKey.objects.filter(pk=get_key(tenant).pk).update(**change)

    assert reminded(tenant) == []


def test_a_key_that_was_made_for_a_few_days_is_not_announced(tenant: Tenant) -> None:
    soon = timezone.now() + timedelta(days=6)
    issue_key(tenant.project, KeyRules("fair", ("read",)), get_owner(tenant), soon)
    assert len(sent(tenant)) == 1

    assert reminded(tenant) == []


def test_keys_of_another_account_are_left_alone(tenant: Tenant, stranger: Tenant) -> None:
    for each_tenant in (tenant, stranger):
        create(each_tenant, expiry="30")
        sent(each_tenant)
        time_passes(each_tenant, timedelta(days=25))

    assert readers(reminded(tenant)) == [tenant.email]
    assert not orders(stranger).filter(news="ending").exists()


def test_what_was_told_long_ago_is_forgotten(tenant: Tenant) -> None:
    create(tenant)
    sent(tenant)
    time_passes(tenant, notifications.KEPT)

    clear_key_mails()

    assert not orders(tenant).exists()
