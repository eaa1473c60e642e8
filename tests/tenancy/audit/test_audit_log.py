"""The audit log: append-only, chained without a gap, verified from end to end, without secrets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connections, transaction
from django.utils import timezone

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tenancy.audit.log import MASK, export_events, mask_secrets, record_event, trim_log, verify_chain
from tenancy.audit.request_context import OPERATOR, STRIPE, act_as
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import Account, AuditEvent, Role
from tenancy.people.members import Roles, change_roles, delete_login
from tests.support.accounts.people import add_member, get_owner
from tests.support.api_client import Tenant
from tests.support.tasks.deletions import delete_and_wait

Raw = psycopg.Connection[tuple[Any, ...]]


def note(account: Account, action: str = "project.edited", **detail: Any) -> None:
    record_event(account, None, action, account, detail=detail)


def entries(account: Account) -> list[AuditEvent]:
    with tenant_scope(account):
        return list(AuditEvent.objects.within(account).order_by("number"))


@pytest.fixture
def account(tenant: Tenant) -> Account:
    """With three entries."""
    account: Account = tenant.project.account
    for number in range(3):
        note(account, number=number)
    return account


@pytest.fixture
def application(stack: Stack) -> Iterator[Raw]:
    """The application's own role, as anyone who broke into it would have it."""
    with psycopg.connect(stack.environment["DATABASE_URL"]) as connection:
        yield connection


@pytest.fixture
def administrator(stack: Stack) -> Iterator[Raw]:
    """Anyone who owns the database can do anything, but not unseen."""
    admin = Postgres(DataFolder(stack.path)).admin_url
    with psycopg.connect(admin, dbname="engram", autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        yield connection


def enter(raw: Raw, account: Account) -> None:
    raw.execute(
        "SELECT set_config('engram.account_id', %s, true), set_config('engram.scope', 'account', true),"
        " set_config('engram.audit', 'chaining', true)",
        [str(account.pk)],
    )


def test_entries_are_numbered_and_chained(account: Account) -> None:
    chain = entries(account)

    assert [event.number for event in chain] == [1, 2, 3]
    assert bytes(chain[0].previous) == b""
    assert [bytes(event.previous) for event in chain[1:]] == [bytes(event.hash) for event in chain[:-1]]
    assert verify_chain(account.pk).holds


def test_anybody_can_check_an_export_with_sha256_alone(account: Account) -> None:
    previous = ""
    for line in export_events(account.pk):
        assert line["previous"] == previous
        assert hashlib.sha256(f"{previous}\n{line['entry']}".encode()).hexdigest() == line["hash"]
        assert json.loads(line["entry"])["number"] == line["number"]
        previous = line["hash"]
    assert previous


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tenancy_auditevent SET action = 'x' WHERE account_id = %s",
        "UPDATE tenancy_auditevent SET number = number + 100 WHERE account_id = %s",
        "UPDATE tenancy_auditevent SET detail = '{}' WHERE account_id = %s",
        "DELETE FROM tenancy_auditevent WHERE account_id = %s",
        "UPDATE tenancy_audithead SET number = 0 WHERE account_id = %s",
        "DELETE FROM tenancy_audithead WHERE account_id = %s",
        "SELECT tenancy_audit_append(entry) FROM tenancy_auditevent entry WHERE account_id = %s",
    ],
)
def test_the_application_can_change_and_delete_nothing(
    account: Account, application: Raw, statement: str
) -> None:
    enter(application, account)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(statement, [account.pk])

    application.rollback()
    assert verify_chain(account.pk).holds


def test_the_application_cannot_empty_the_log(application: Raw) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute("TRUNCATE tenancy_auditevent")


def test_nobody_numbers_an_entry_but_the_database(account: Account, application: Raw) -> None:
    enter(application, account)
    application.execute(
        "INSERT INTO tenancy_auditevent (id, account_id, actor_kind, action, object_kind, object_id, detail,"
        " created_at, number, hash) VALUES (gen_random_uuid(), %s, 'member', 'x', '', '', '{}', now(), 77, 'x')",
        [account.pk],
    )
    application.commit()

    assert [event.number for event in entries(account)] == [1, 2, 3, 4]
    assert verify_chain(account.pk).holds


@pytest.mark.parametrize(
    ("statement", "broken_at"),
    [
        ("UPDATE tenancy_auditevent SET detail = '{\"number\": 9}' WHERE account_id = %s AND number = 2", 2),
        ("UPDATE tenancy_auditevent SET actor_id = 1 WHERE account_id = %s AND number = 1", 1),
        ("DELETE FROM tenancy_auditevent WHERE account_id = %s AND number = 2", 3),
        ("DELETE FROM tenancy_auditevent WHERE account_id = %s AND number = 1", 2),
        ("DELETE FROM tenancy_auditevent WHERE account_id = %s AND number = 3", 3),
        ("DELETE FROM tenancy_auditevent WHERE account_id = %s", 3),
        ("DELETE FROM tenancy_audithead WHERE account_id = %s", 1),
    ],
)
def test_what_an_administrator_changes_is_found(
    account: Account, administrator: Raw, statement: str, broken_at: int
) -> None:
    administrator.execute(statement, [account.pk])

    verdict = verify_chain(account.pk)

    assert (verdict.holds, verdict.broken_at) == (False, broken_at)


def test_many_who_write_at_once_leave_no_gap(account: Account) -> None:
    def write(number: int) -> None:
        with transaction.atomic():
            note(account, number=number)
            if number % 5 == 0:
                transaction.set_rollback(True)
        connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(40)))

    assert [event.number for event in entries(account)] == list(range(1, 3 + 32 + 1))
    assert verify_chain(account.pk).holds


def test_a_change_that_is_undone_leaves_no_entry(account: Account) -> None:
    with transaction.atomic():
        note(account)
        transaction.set_rollback(True)

    assert len(entries(account)) == 3


def test_an_entry_says_who_what_and_where(tenant: Tenant) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    member = add_member(account, Role.VIEWER)
    change_roles(account, member, Roles("developer"), owner)
    with act_as(STRIPE, "evt_1"):
        note(account, "plan.changed")
    with act_as(OPERATOR, "7"):
        note(account, "quota.granted")
    note(account, "memory.updated")

    first, *others = entries(account)

    assert (first.actor_id, first.actor_kind, first.action) == (owner.pk, "member", "member.roles_changed")
    assert first.detail["before"]["role"] == "viewer"
    assert first.detail["after"]["role"] == "developer"
    assert [(event.actor_kind, event.actor_label) for event in others] == [
        ("stripe", "evt_1"),
        ("operator", "7"),
        ("worker", ""),
    ]


def test_secrets_are_masked_however_deep_they_are() -> None:
    detail = {"before": {"api_key": "sk-1", "name": "x"}, "after": [{"secret": "y"}, {"password": ""}]}

    assert mask_secrets(detail) == {
        "before": {"api_key": MASK, "name": "x"},
        "after": [{"secret": MASK}, {"password": ""}],
    }


def test_the_program_that_changed_a_memory_is_named_by_its_key(tenant: Tenant) -> None:
    with tenant.api() as api:
        api.headers["X-Forwarded-For"] = "203.0.113.9"
        api.add("kim", "I live in Lisbon.")
        (fact,) = api.search("kim", "Where do I live?")["memory_detail_list"]
        api.data("update/memory", {"memory_id": fact["id"], "content": "Lives in Porto."})

    event = entries(tenant.project.account)[-1]
    key = tenant.project.api_keys.get()
    assert (event.actor_kind, event.actor_label, event.address) == ("key", str(key.pk), "203.0.113.9")
    assert event.request_id
    assert "Porto" not in json.dumps(event.detail)


def test_a_deleted_project_and_login_leave_the_chain_whole(tenant: Tenant) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    leaving = add_member(account, Role.DEVELOPER)
    other = account.projects.create(name="other")
    record_event(account, leaving, "key.created", create_key(other, "x").key, project=other)

    delete_and_wait(other, owner)
    delete_login(leaving)

    actions = [event.action for event in entries(account)]
    assert actions == ["key.created", "project.deleted", "project.erased", "member.left"]
    assert verify_chain(account.pk).holds


def test_retention_takes_the_oldest_and_what_is_left_verifies(account: Account, administrator: Raw) -> None:
    old = timezone.now() - timedelta(days=500)
    late = Account.objects.create(name="old one", plan=account.plan)
    for days in (0, 1, 480):
        with tenant_scope(late):
            AuditEvent.objects.create(
                account=late, action="x", object_kind="", object_id="", created_at=old + timedelta(days=days)
            )

    gone = trim_log(late.pk, timezone.now() - timedelta(days=365))
    young = trim_log(account.pk, timezone.now() + timedelta(days=1))

    assert (gone, young) == (2, 0)
    assert (verify_chain(late.pk).holds, verify_chain(late.pk).first) == (True, 3)
    note(late)
    assert verify_chain(late.pk).last == 4
    administrator.execute("DELETE FROM tenancy_auditevent WHERE account_id = %s AND number = 3", [late.pk])
    assert not verify_chain(late.pk).holds


def test_an_account_without_entries_verifies(stranger: Tenant) -> None:
    assert verify_chain(stranger.project.account_id).holds
    assert verify_chain(UUID(int=7)).holds


def test_nobody_reads_another_accounts_log(account: Account, stranger: Tenant) -> None:
    with tenant_scope(stranger.project.account):
        assert not AuditEvent.objects.within(account).exists()
