"""An account goes with all that it holds, by a job that may die at any time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, connections

from console.data.erasure import delete_rows
from console.data.erasure.delete_account import delete_account, run_account_deletion
from console.data.erasure.erase_tasks import continue_deletions
from knowledgebase.bases.bases import lock_base
from knowledgebase.models import KnowledgeBase
from knowledgebase.removal import removal
from knowledgebase.removal.removal import erase_batch_of_any_base
from memories.consolidation.cube_locks import lock_cube
from memories.jobs import outbox
from memories.jobs.claims import claim_task
from memories.models import MemCube, Memory, Message, Task
from memories.tasks import get_worker_name
from memories.values import TaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, ApiKey, Project
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.documents.policies import create_base_with_passages
from tests.support.tasks.crashes import SimulatedKill
from tests.support.waiting import LIMIT, let_keys_expire, wait_until, wait_until_somebody_waits


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No notification is sent: what the task does, a test does itself."""
    monkeypatch.setattr(outbox._announcer, "notify", lambda *_: None)


@pytest.fixture
def full(tenant: Tenant, api: Api) -> Account:
    """Two projects, one with memories, and a base that they share."""
    api.add("kim", "I live in Lisbon.", "I like green tea.")
    account = tenant.project.account
    account.projects.create(name="staging")
    create_base_with_passages(tenant.project, [f"Rule {number} holds." for number in range(12)])
    return account


def claimed(account: Account) -> Task:
    """As a worker takes it, before the sweeper of the installation gives it to another."""
    task = claim_task(outbox.list_account_tasks(account.pk).get().pk, get_worker_name())
    assert task is not None
    return task


def rows_left(account: UUID) -> dict[str, int]:
    left = {}
    with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
        for model in (Project, ApiKey, Memory, Message, MemCube, KnowledgeBase, Task):
            table = model._meta.db_table
            cursor.execute(f"SELECT count(*) FROM {table} WHERE account_id = %s", [account])
            left[table] = cursor.fetchone()[0]
    return {name: number for name, number in left.items() if number}


def is_gone(account: Account) -> bool:
    return not Account.objects.filter(pk=account.pk).exists()


def test_everything_goes_and_another_account_keeps_its_own(
    full: Account, tenant: Tenant, stranger: Tenant, strangers_api: Api
) -> None:
    strangers_api.add("kim", "I live in Madrid.")
    theirs = create_base_with_passages(stranger.project, ["Their rule."])

    answer = sign_in_owner(tenant).post(f"/a/{full.pk}/delete/", {"typed": full.name})

    assert answer.status_code == 302
    wait_until(lambda: is_gone(full))
    assert rows_left(full.pk) == {}
    with tenant_scope(stranger.project.account):
        assert Memory.objects.within(theirs.cube_id).count() == 1
    assert "Madrid" in strangers_api.facts("kim", "Where do I live?")[0]


def test_keys_and_pages_stop_with_the_order_itself(
    full: Account, tenant: Tenant, api: Api, quiet: None
) -> None:
    owner, colleague = sign_in_owner(tenant), sign_in(add_member(full, "developer"))

    owner.post(f"/a/{full.pk}/delete/", {"typed": full.name})

    assert Account.objects.get(pk=full.pk).deleting_at is not None
    for member in (owner, colleague):
        for page in (f"/p/{tenant.project_id}/memories/", f"/a/{full.pk}/", f"/a/{full.pk}/delete/"):
            assert member.get(page).status_code == 404, page
    let_keys_expire()
    assert api.call("search/memory", {"user_id": "kim", "query": "x"}).status_code == 401


def dying_after(statements: int) -> Any:
    left = statements

    def die(execute: Any, *call: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise SimulatedKill
        return execute(*call)

    return connection.execute_wrapper(die)


def test_a_worker_that_dies_again_and_again_changes_nothing_of_the_end(
    full: Account, tenant: Tenant, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (delete_rows, removal):
        monkeypatch.setattr(module, "BATCH", 5)
    delete_account(full, get_owner(tenant))
    task, kills = claimed(full), 0

    for statements in count(5, 11):
        try:
            with dying_after(statements):
                run_account_deletion(task)
        except SimulatedKill:
            kills += 1
        else:
            break

    assert kills > 5
    assert is_gone(full)
    assert rows_left(full.pk) == {}


def test_an_account_whose_deletion_died_or_is_gone_is_taken_up_again(
    full: Account, tenant: Tenant, quiet: None
) -> None:
    delete_account(full, get_owner(tenant))
    delete_account(full, get_owner(tenant))  # a second click
    outbox.list_account_tasks(full.pk).update(state=TaskState.DEAD)

    continue_deletions()
    assert outbox.list_account_tasks(full.pk).get().state == TaskState.QUEUED
    outbox.list_account_tasks(full.pk).delete()
    continue_deletions()

    run_account_deletion(claimed(full))
    assert is_gone(full)


def test_a_worker_whose_task_another_one_took_deletes_nothing_more(
    full: Account, tenant: Tenant, quiet: None
) -> None:
    delete_account(full, get_owner(tenant))
    first = claimed(full)
    outbox.end_lease(first)
    second = claimed(full)

    with pytest.raises(outbox.LeaseLost):
        run_account_deletion(first)

    assert rows_left(full.pk)["memories_memory"] > 0
    run_account_deletion(second)
    assert is_gone(full)


def test_a_base_that_a_worker_is_at_is_waited_for_before_its_cube_is_locked(tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, ["Their rule."])
    account = tenant.project.account_id

    def erase() -> None:
        try:
            is_more = True
            while is_more:
                with tenant_scope(Scope(account, None)):
                    is_more = erase_batch_of_any_base(account)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(tenant.project.account):  # as every worker does it: the base, then its cube
            lock_base(base)
            erased = hands.submit(erase)
            wait_until_somebody_waits()
            lock_cube(base.cube_id)
        erased.result(LIMIT)

    assert "knowledgebase_knowledgebase" not in rows_left(account)
