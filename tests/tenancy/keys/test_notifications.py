"""Owners are told by mail of keys that are new, have a new secret, or end soon."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.db import IntegrityError, transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from tenancy.keys import notifications
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.notifications import clear_key_mails, remind_of_keys, send_key_mails
from tenancy.models import ApiKey, Membership, Role, User
from tenancy.models.key_mail import KeyMail
from tenancy.people.onboarding import Tenant as Newcomer
from tenancy.people.onboarding import first_key
from tenancy.projects.projects import create_project
from tests.support.api_client import Tenant
from tests.support.console.acts import KEY
from tests.support.people import member_of, owner_of, sign_in, sign_in_owner

SHOWN = re.compile(rb'value="(mpg-[0-9A-Za-z]{38})"')


class MailServer(EmailBackend):
    """Refuses whom it is told to."""

    refused: ClassVar[set[str]] = set()

    def send_messages(self, messages: Any) -> int:
        for message in messages:
            if self.refused & {*message.to, "everybody"}:
                raise smtplib.SMTPRecipientsRefused({message.to[0]: (550, b"no such user")})
        return int(super().send_messages(messages))


@pytest.fixture(autouse=True)
def server(settings: Any) -> Iterator[type[MailServer]]:
    settings.EMAIL_BACKEND, settings.HAS_MAIL = f"{__name__}.MailServer", True
    mail.outbox = []
    yield MailServer
    MailServer.refused.clear()


def keys_page(tenant: Tenant, more: str = "") -> str:
    return f"/p/{tenant.project_id}/api-keys/{more}"


def create(tenant: Tenant, client: Client | None = None, **fields: str) -> str:
    """By the form; returns the plaintext that the page shows once."""
    page = (client or sign_in_owner(tenant)).post(keys_page(tenant, "new/"), KEY | fields)
    found = SHOWN.search(page.content)
    assert found, page.content
    return found[1].decode()


def rotate(tenant: Tenant, key: ApiKey, overlap: str) -> str:
    page = sign_in_owner(tenant).post(keys_page(tenant, f"{key.pk}/rotate/"), {"overlap": overlap})
    found = SHOWN.search(page.content)
    assert found, page.content
    return found[1].decode()


def key_of(tenant: Tenant, name: str = KEY["name"]) -> ApiKey:
    return tenant.project.api_keys.get(name=name)


def orders(tenant: Tenant) -> Any:
    return KeyMail.objects.filter(key__account=tenant.project.account_id)


def sent(tenant: Tenant) -> list[EmailMessage]:
    """What the next round of the clock sends of this account."""
    mail.outbox = []
    send_key_mails(orders(tenant))
    return list(mail.outbox)


def readers(mails: list[EmailMessage]) -> list[str]:
    return sorted(one.to[0] for one in mails)


def time_passes(tenant: Tenant, time: timedelta) -> None:
    """For everything that waits in this account."""
    for rows, fields in (
        (tenant.project.api_keys.all(), ("created_at", "expires_at")),
        (orders(tenant), ("created_at", "due_at", "expires_at")),
    ):
        rows.update(**{name: F(name) - time for name in fields})


def reminded(tenant: Tenant) -> list[EmailMessage]:
    remind_of_keys(tenant.project.api_keys.all())
    return sent(tenant)


# A key that is new, and a secret that is.


def test_every_owner_is_told_of_a_new_key_and_nobody_else(tenant: Tenant, stranger: Tenant) -> None:
    account = tenant.project.account
    second = member_of(account, Role.OWNER)
    locked_out = member_of(account, Role.OWNER)
    User.objects.filter(pk=locked_out.pk).update(is_active=False)
    for role in (Role.ADMIN, Role.DEVELOPER, Role.VIEWER):
        member_of(account, role)

    plaintext = create(tenant, name="production", expiry="30")

    mails = sent(tenant)
    assert readers(mails) == sorted([tenant.email, second.email])
    assert sent(tenant) == sent(stranger) == []
    key = key_of(tenant, "production")
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
    developer = member_of(tenant.project.account, Role.DEVELOPER)

    create(tenant, sign_in(developer))

    (told,) = sent(tenant)
    assert told.to == [tenant.email]
    assert developer.email in told.body
    assert "until somebody revokes it" in told.body


@pytest.mark.parametrize(
    ("overlap", "said"), [("24h", "The old secret works until"), ("0", "no longer works")]
)
def test_a_rotation_is_told_with_the_time_that_the_old_secret_has(
    tenant: Tenant, overlap: str, said: str
) -> None:
    old = tenant.key
    new = rotate(tenant, tenant.project.api_keys.get(), overlap)

    (told,) = sent(tenant)
    key = tenant.project.api_keys.get()
    assert key.old_until
    assert said in told.body
    if overlap == "24h":
        assert f"works until: {key.old_until:%Y-%m-%d %H:%M} UTC" in told.body
    assert key.hint in told.body
    assert old[8:-4] not in told.body
    assert new[8:-4] not in told.body


def test_each_of_two_rotations_is_told_with_its_own_secret(tenant: Tenant) -> None:
    key = tenant.project.api_keys.get()
    shown = [rotate(tenant, key, "1h") for _ in range(2)]

    bodies = "".join(told.body for told in sent(tenant))
    assert all(f"{one[:8]}…{one[-4:]}" in bodies for one in shown)


def test_the_successor_of_a_leaked_key_is_told(tenant: Tenant) -> None:
    sign_in_owner(tenant).post(
        keys_page(tenant, f"{tenant.project.api_keys.get().pk}/leaked/"), {"confirmed": "yes"}
    )

    (told,) = sent(tenant)
    assert tenant.project.api_keys.get(revoked_at=None).hint in told.body


def test_the_first_key_of_a_project_is_told_to_nobody_and_the_second_is(tenant: Tenant) -> None:
    project = create_project(tenant.project.account, "staging", "", owner_of(tenant))
    first_key(Newcomer(owner_of(tenant), tenant.project.account, project))
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
    new = issue_key(tenant.project, KeyRules("lost", ("all",)), owner_of(tenant))
    new.key.save(force_insert=True)


def test_a_name_cannot_pass_for_lines_of_ours(tenant: Tenant) -> None:
    create(tenant, name="laptop\n\nSign in at example.org")

    (told,) = sent(tenant)
    assert "Key: laptop Sign in at example.org (mpg-" in told.body


def test_everybody_reads_it_in_the_language_of_their_console(tenant: Tenant) -> None:
    second = member_of(tenant.project.account, Role.OWNER)
    sign_in(second).post("/language/", {"language": "zh-hans"})

    create(tenant)

    by_reader = {told.to[0]: told for told in sent(tenant)}
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
    (told,) = sent(tenant)
    assert "已更换密文" in told.subject
    assert "旧密文有效期至" in told.body


# Mail servers and processes that fail.


def test_the_page_does_not_wait_for_the_mail_server(tenant: Tenant, server: type[MailServer]) -> None:
    server.refused.add("everybody")

    assert create(tenant)
    assert mail.outbox == []


def test_a_mail_that_is_refused_is_sent_later_and_holds_up_nobody(
    tenant: Tenant, server: type[MailServer]
) -> None:
    second = member_of(tenant.project.account, Role.OWNER)
    create(tenant)

    server.refused.add(tenant.email)
    assert readers(sent(tenant)) == [second.email]
    server.refused.clear()
    assert sent(tenant) == []
    time_passes(tenant, notifications.AGAIN_AFTER)

    assert readers(sent(tenant)) == [tenant.email]


def test_a_mail_that_nobody_takes_is_given_up(tenant: Tenant, server: type[MailServer]) -> None:
    create(tenant)
    server.refused.add("everybody")
    tries = 0
    while orders(tenant).filter(created_at__gt=timezone.now() - notifications.TRIED_FOR).exists():
        due = orders(tenant).get().due_at
        sent(tenant)
        tries += orders(tenant).get().due_at != due
        time_passes(tenant, timedelta(minutes=30))

    server.refused.clear()
    assert 5 < tries < 15
    assert sent(tenant) == []


class Killed(BaseException):
    """What no `except` of ours stops."""


@pytest.mark.parametrize("takes_it_before", [False, True])
def test_a_worker_that_is_killed_loses_no_mail(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, takes_it_before: bool
) -> None:
    create(tenant)
    with monkeypatch.context() as patched:
        patched.setattr(notifications, "mail_about_key", dying(notifications.mail_about_key, takes_it_before))
        with pytest.raises(Killed):
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
        raise Killed

    return written


def test_who_makes_key_after_key_fills_nobodys_mailbox(tenant: Tenant, stranger: Tenant) -> None:
    rotated = key_of(tenant, create(tenant) and KEY["name"])

    for _ in range(notifications.MOST_AN_HOUR + 5):
        rotate(tenant, rotated, "0")
    create(stranger)

    assert orders(tenant).count() == notifications.MOST_AN_HOUR
    assert len(sent(stranger)) == 1


def test_two_workers_do_not_send_the_same(tenant: Tenant) -> None:
    create(tenant)
    (mine,) = theirs = list(orders(tenant))

    assert [notifications._send(one) for one in [mine, *theirs]] == [True, False]


def test_who_is_no_owner_any_more_is_not_written_to(tenant: Tenant) -> None:
    second = member_of(tenant.project.account, Role.OWNER)
    create(tenant)

    Membership.objects.filter(user=second).update(role=Role.ADMIN)

    assert readers(sent(tenant)) == [tenant.email]


def test_where_no_mails_are_sent_nobody_is_written_to_later_either(tenant: Tenant, settings: Any) -> None:
    settings.HAS_MAIL = False
    create(tenant)
    settings.HAS_MAIL = True

    assert sent(tenant) == []


# The end of a key.


def test_owners_are_reminded_once_a_week_before_a_key_ends(tenant: Tenant) -> None:
    second = member_of(tenant.project.account, Role.OWNER)
    create(tenant, expiry="30")
    sent(tenant)

    time_passes(tenant, timedelta(days=22, hours=23))
    assert reminded(tenant) == []
    time_passes(tenant, timedelta(hours=1))
    mails = reminded(tenant)

    key = key_of(tenant)
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
        notifications.tell_owners(key_of(tenant), notifications.KeyNews.ENDING)

    assert len(sent(tenant)) == 1


def test_an_expiry_that_is_moved_is_told_anew(tenant: Tenant) -> None:
    create(tenant, expiry="30")
    sent(tenant)
    time_passes(tenant, timedelta(days=25))
    assert len(reminded(tenant)) == 1

    ApiKey.objects.filter(pk=key_of(tenant).pk).update(expires_at=timezone.now() + timedelta(days=20))
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

    ApiKey.objects.filter(pk=key_of(tenant).pk).update(**change)

    assert reminded(tenant) == []


def test_a_key_that_was_made_for_a_few_days_is_not_announced(tenant: Tenant) -> None:
    soon = timezone.now() + timedelta(days=6)
    issue_key(tenant.project, KeyRules("fair", ("read",)), owner_of(tenant), soon)
    assert len(sent(tenant)) == 1

    assert reminded(tenant) == []


def test_keys_of_another_account_are_left_alone(tenant: Tenant, stranger: Tenant) -> None:
    for one in (tenant, stranger):
        create(one, expiry="30")
        sent(one)
        time_passes(one, timedelta(days=25))

    assert readers(reminded(tenant)) == [tenant.email]
    assert not orders(stranger).filter(news="ending").exists()


def test_what_was_told_long_ago_is_forgotten(tenant: Tenant) -> None:
    create(tenant)
    sent(tenant)
    time_passes(tenant, notifications.KEPT)

    clear_key_mails()

    assert not orders(tenant).exists()
