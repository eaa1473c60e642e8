"""A page that the database does not answer in time says what happened and what to do, and nothing is half done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.waiting import LIMIT, let_time_pass

HTMX = {"HX-Request": "true"}
# With a table that each reads; the last cannot even know who asks.
PAGES = {
    "": "tenancy_requestlog",
    "memories/": "memories_memory",
    "users/": "memories_memcube",
    "conversations/": "memories_conversation",
    "tasks/": "memories_task",
    "knowledge/": "knowledgebase_",
    "skills/": "skills_",
    "logs/": "tenancy_requestlog",
    "quickstart/": "django_session",
}


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    client = sign_in_owner(tenant)
    client.raise_request_exception = False
    yield client
    connections.close_all()


@contextmanager
def limited(name: str, value: str) -> Iterator[None]:
    """This thread's connection, on which the client's requests run, with a lower limit of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, false)", [name, value])
    try:
        yield
    finally:
        connection.close()


@contextmanager
def slow_for(table: str) -> Iterator[None]:
    """The database needs longer than it may for each statement that reads this table."""

    def sleep_first(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if table in sql:
            execute("SELECT pg_sleep(20)", None, False, context)
        return execute(sql, params, many, context)

    with limited("statement_timeout", "300ms"), connection.execute_wrapper(sleep_first):
        yield


@contextmanager
def locked(tenant: Tenant) -> Iterator[None]:
    """All memories of the project are being changed by somebody else."""
    is_locked, is_over = Event(), Event()

    def lock() -> None:
        with tenant_scope(tenant.project):
            rows = Memory.objects.within(MemCube.objects.within(tenant.project)).select_for_update()
            assert list(rows)
            is_locked.set()
            assert is_over.wait(LIMIT)
        connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(lock)
        assert is_locked.wait(LIMIT)
        yield
        is_over.set()
        ended.result(LIMIT)


def test_a_page_that_takes_too_long_says_so(owner: Client, tenant: Tenant) -> None:
    for page, table in PAGES.items():
        with slow_for(table):
            answer = owner.get(f"/p/{tenant.project_id}/{page}")

        assert (answer.status_code, answer["Retry-After"]) == (503, "2"), page
        assert "This took too long" in answer.content.decode(), page
        assert answer.get("X-Request-Id", "") in answer.content.decode(), page


def test_a_page_that_works_too_long_between_two_statements_says_so(owner: Client, tenant: Tenant) -> None:
    """As on a machine that is much too busy: the database ends a transaction that is idle for ten seconds."""

    def pause_first(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "memories_memory" in sql:
            let_time_pass(0.5, "the transaction is idle meanwhile")
        return execute(sql, params, many, context)

    with limited("idle_in_transaction_session_timeout", "100ms"), connection.execute_wrapper(pause_first):
        answer = owner.get(f"/p/{tenant.project_id}/memories/")

    assert answer.status_code == 503
    assert "Nothing was partly saved" in answer.content.decode()


def test_a_deletion_of_all_that_match_says_that_counting_took_too_long_and_deletes_nothing(
    owner: Client, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.")
    path = f"/p/{tenant.project_id}/memories/bulk/delete/"
    with slow_for("memories_memory"):
        answer = owner.post(path, {"everything": "yes", "filter": "subject=kim"}, headers=HTMX)

    assert answer.status_code == 503
    toast = json.loads(answer["HX-Trigger"])["toast"]
    assert "choose less" in toast["text"]
    assert answer["X-Request-Id"] in toast["text"]
    assert api.listed("kim")["total"]
    assert owner.post(path, {"everything": "yes", "filter": "subject=kim"}, headers=HTMX).status_code == 200


def test_a_change_of_what_somebody_else_changes_at_the_moment_says_so(
    owner: Client, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    memory = api.listed("kim")["memory_detail_list"][0]["id"]
    path = f"/p/{tenant.project_id}/memories/{memory}/status/freeze/"
    with locked(tenant), limited("lock_timeout", "100ms"):
        answer = owner.post(path, headers=HTMX)
        page = owner.post(path, headers={"Accept-Language": "zh-Hans"})

    assert (answer.status_code, page.status_code) == (503, 503)
    assert "Try again in a moment" in json.loads(answer["HX-Trigger"])["toast"]["text"]
    assert "其他操作正在修改相同的数据" in page.content.decode()
    assert owner.post(path, headers=HTMX).status_code == 200
