"""Owners are told by mail of keys that are new, have a new secret, or end soon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from tenancy.keys import notifications
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.models import ApiKey, Membership, Role, User
from tenancy.models.key_mail import KeyMail
from tenancy.people.onboarding import OpenedAccount as Newcomer
from tenancy.people.onboarding import issue_first_key
from tenancy.projects.projects import create_project
from tests.support.accounts.key_mails import (
    SHOWN,
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
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.acts import KEY
from tests.support.tasks.crashes import SimulatedKill


@pytest.fixture(autouse=True)
def server(settings: Any) -> Iterator[type[MailServer]]:
    with mails_go_to_server(settings):
        yield MailServer


def rotate(tenant: Tenant, key: ApiKey, overlap: str) -> str:
    page = sign_in_owner(tenant).post(keys_page(tenant, f"{key.pk}/rotate/"), {"overlap": overlap})
    match = SHOWN.search(page.content)
    assert match, page.content
    return match[1].decode()


# A key that is new, and a secret that is.


def test_every_owner_is_told_of_a_new_key_and_nobody_else(tenant: Tenant, stranger: Tenant) -> None:
    account = tenant.project.account
    second = add_member(account, Role.OWNER)
    locked_out = add_member(account, Role.OWNER)
    User.objects.filter(pk=locked_out.pk).update(is_active=False)
    for role in (Role.ADMIN, Role.DEVELOPER, Role.VIEWER):
        add_member(account, role)

    plaintext = create(tenant, name="production", expiry="30")

    mails = sent(tenant)
    assert readers(mails) == sorted([tenant.email, second.email])
    assert sent(tenant) == sent(stranger) == []
    key = get_key(tenant, "production")
    assert key.expires_at
    for word in (
        "production",
        key.hint,
        tenant.project.name,
        account.name,
        tenant.email,
        f"{key.created_at:%Y-%m-%d}",
        f"{key.expires_at:%Y-%m-%d %H:%M} UTC",
        keys_page(tenant),
    ):
        assert word in mails[0].body
    assert plaintext[8:-4] not in mails[0].subject + mails[0].body


def test_a_key_that_a_developer_makes_is_told_to_the_owner_by_name(tenant: Tenant) -> None:
    developer = add_member(tenant.project.account, Role.DEVELOPER)

    create(tenant, sign_in(developer))

    (email,) = sent(tenant)
    assert email.to == [tenant.email]
    assert developer.email in email.body
    assert "until it is revoked" in email.body


@pytest.mark.parametrize(
    ("overlap", "phrase"), [("24h", "The old key works until"), ("0", "no longer works")]
)
def test_a_rotation_is_told_with_the_time_that_the_old_secret_has(
    tenant: Tenant, overlap: str, phrase: str
) -> None:
    old = tenant.key
    new = rotate(tenant, tenant.project.api_keys.get(), overlap)

    (email,) = sent(tenant)
    key = tenant.project.api_keys.get()
    assert key.old_until
    assert phrase in email.body
    if overlap == "24h":
        assert f"works until: {key.old_until:%Y-%m-%d %H:%M} UTC" in email.body
    assert key.hint in email.body
    assert old[8:-4] not in email.body
    assert new[8:-4] not in email.body


def test_each_of_two_rotations_is_told_with_its_own_secret(tenant: Tenant) -> None:
    key = tenant.project.api_keys.get()
    shown = [rotate(tenant, key, "1h") for _ in range(2)]

    bodies = "".join(email.body for email in sent(tenant))
    assert all(f"{secret[:8]}…{secret[-4:]}" in bodies for secret in shown)


def test_the_successor_of_a_leaked_key_is_told(tenant: Tenant) -> None:
    sign_in_owner(tenant).post(
        keys_page(tenant, f"{tenant.project.api_keys.get().pk}/leaked/"), {"confirmed": "yes"}
    )

    (email,) = sent(tenant)
    assert tenant.project.api_keys.get(revoked_at=None).hint in email.body


def test_the_first_key_of_a_project_is_told_to_nobody_and_the_second_is(tenant: Tenant) -> None:
    project = create_project(tenant.project.account, "staging", "", get_owner(tenant))
    issue_first_key(Newcomer(get_owner(tenant), tenant.project.account, project))
    assert not orders(tenant).exists()

    sign_in_owner(tenant).post(f"/p/{project.pk}/quickstart/key/")

    assert len(sent(tenant)) == 1


def test_no_mail_is_sent_of_what_was_refused_or_rolled_back(tenant: Tenant) -> None:
    with pytest.raises(IntegrityError):
        twice_in_one_transaction(tenant)
    sign_in_owner(tenant).post(keys_page(tenant, "new/"), KEY | {"name": ""})

    assert sent(tenant) == []


@transaction.atomic
def twice_in_one_transaction(tenant: Tenant) -> None:
    new = issue_key(tenant.project, KeyRules("lost", ("all",)), get_owner(tenant))
    new.key.save(force_insert=True)


def test_a_name_cannot_pass_for_lines_of_ours(tenant: Tenant) -> None:
    create(tenant, name="laptop\n\nSign in at example.org")

    (email,) = sent(tenant)
    assert "Key: laptop Sign in at example.org (mpg-" in email.body


def test_everybody_reads_it_in_the_language_of_their_console(tenant: Tenant) -> None:
    second = add_member(tenant.project.account, Role.OWNER)
    sign_in(second).post("/language/", {"language": "zh-hans"})

    create(tenant)

    by_reader = {email.to[0]: email for email in sent(tenant)}
    assert "中创建了新的 API 密钥" in by_reader[second.email].body
    assert "A new API key" in by_reader[tenant.email].subject


def test_who_signs_in_in_chinese_is_written_to_in_chinese(tenant: Tenant) -> None:
    form = {"login": tenant.email, "password": tenant.password}
    client = Client(HTTP_HOST="localhost", HTTP_ACCEPT_LANGUAGE="zh-CN,zh;q=0.9")
    client.post("/accounts/login/", form)

    rotate_in = client.post(
        keys_page(tenant, f"{tenant.project.api_keys.get().pk}/rotate/"), {"overlap": "24h"}
    )

    assert rotate_in.status_code == 200
    (email,) = sent(tenant)
    assert "已轮换" in email.subject
    assert "旧密钥值有效期至" in email.body


# Mail servers and processes that fail.


def test_the_page_does_not_wait_for_the_mail_server(tenant: Tenant, server: type[MailServer]) -> None:
    server.refused.add("all end users")

    assert create(tenant)
    assert mail.outbox == []


def test_a_mail_that_is_refused_is_sent_later_and_holds_up_nobody(
    tenant: Tenant, server: type[MailServer]
) -> None:
    second = add_member(tenant.project.account, Role.OWNER)
    create(tenant)

    server.refused.add(tenant.email)
    assert readers(sent(tenant)) == [second.email]
    server.refused.clear()
    assert sent(tenant) == []
    time_passes(tenant, notifications.AGAIN_AFTER)

    assert readers(sent(tenant)) == [tenant.email]


def test_a_mail_that_nobody_takes_is_given_up(tenant: Tenant, server: type[MailServer]) -> None:
    create(tenant)
    server.refused.add("all end users")
    tries = 0
    while orders(tenant).filter(created_at__gt=timezone.now() - notifications.TRIED_FOR).exists():
        due = orders(tenant).get().due_at
        sent(tenant)
        tries += orders(tenant).get().due_at != due
        time_passes(tenant, timedelta(minutes=30))

    server.refused.clear()
    assert 5 < tries < 15
    assert sent(tenant) == []


@pytest.mark.parametrize("takes_it_before", [False, True])
def test_a_worker_that_is_killed_loses_no_mail(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, takes_it_before: bool
) -> None:
    create(tenant)
    with monkeypatch.context() as patched:
        patched.setattr(notifications, "send_key_mail", dying(notifications.send_key_mail, takes_it_before))
        with pytest.raises(SimulatedKill):
            sent(tenant)
    assert len(mail.outbox) == takes_it_before

    assert sent(tenant) == []
    time_passes(tenant, notifications.AGAIN_AFTER)

    assert len(sent(tenant)) == 1  # once too often where the server had taken it
    time_passes(tenant, notifications.AGAIN_AFTER)
    assert sent(tenant) == []


def dying(write: Callable[[KeyMail], None], takes_it_before: bool) -> Callable[[KeyMail], None]:
    def written(order: KeyMail) -> None:
        if takes_it_before:
            write(order)
        raise SimulatedKill

    return written


def test_who_makes_key_after_key_fills_nobodys_mailbox(tenant: Tenant, stranger: Tenant) -> None:
    rotated = get_key(tenant, create(tenant) and KEY["name"])

    for _ in range(notifications.MOST_AN_HOUR + 5):
        rotate(tenant, rotated, "0")
    create(stranger)

    assert orders(tenant).count() == notifications.MOST_AN_HOUR
    assert len(sent(stranger)) == 1


def test_two_workers_do_not_send_the_same(tenant: Tenant) -> None:
    create(tenant)
    (mine,) = theirs = list(orders(tenant))

    assert [notifications.send_unless_taken(order) for order in [mine, *theirs]] == [True, False]


def test_who_is_no_owner_any_more_is_not_written_to(tenant: Tenant) -> None:
    second = add_member(tenant.project.account, Role.OWNER)
    create(tenant)

    Membership.objects.filter(user=second).update(role=Role.ADMIN)

    assert readers(sent(tenant)) == [tenant.email]


def test_where_no_mails_are_sent_nobody_is_written_to_later_either(tenant: Tenant, settings: Any) -> None:
    settings.HAS_MAIL = False
    create(tenant)
    settings.HAS_MAIL = True

    assert sent(tenant) == []


# The end of a key.
