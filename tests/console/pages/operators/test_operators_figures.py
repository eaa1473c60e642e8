"""Operators: figures over all accounts, and what they cost."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, RequestLog
from tenancy.requests.latency import Route, load_all_route_timings, load_route_timings
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.console.operators import failed_task, operator_client
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import wait_until

# A scope, and in it what is used and what is stored: for each account of a list.
QUERIES_AN_ACCOUNT = 7
MOST = 25


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked, CaptureQueriesContext(connections["sweep"]) as swept:
        answer = client.get(path)
    assert answer.status_code == 200
    return len(asked) + len(swept)


def log(tenant: Tenant, milliseconds: float, **fields: object) -> str:
    row = {"endpoint": "search/memory", "code": 0, "http_status": 200, "created_at": timezone.now()} | fields
    request_id = uuid4().hex
    with tenant_scope(tenant.project):
        RequestLog.objects.create(
            id=uuid7(),
            account_id=tenant.project.account_id,
            project=tenant.project,
            request_id=request_id,
            method="POST",
            milliseconds=milliseconds,
            request_body="I live in Lisbon.",
            **row,
        )
    return request_id


# How long calls take.


def test_percentiles_are_right_to_five_per_cent(tenant: Tenant) -> None:
    for milliseconds in range(1, 101):
        log(tenant, float(milliseconds), http_status=503 if milliseconds == 100 else 200)
    log(tenant, 90_000.0, created_at=timezone.now() - timedelta(hours=2))

    (route,) = load_route_timings(tenant.project.account, timezone.now() - timedelta(hours=1)).routes

    assert (route.count, route.slowest, route.broken) == (100, 100.0, 1)
    assert route.median == pytest.approx(50, rel=0.05)
    assert route.p95 == pytest.approx(95, rel=0.05)
    assert route.p99 == pytest.approx(99, rel=0.05)


def test_a_route_without_calls_takes_no_time() -> None:
    assert Route("search/memory").p95 == 0.0


def test_the_slowest_requests_are_named_by_their_ids_alone(tenant: Tenant, stranger: Tenant) -> None:
    mine = log(tenant, 70_000.0, code=50004, http_status=503)
    theirs = log(stranger, 60_000.0)
    operator = operator_client()

    page = operator.get(f"/admin/slow/?account={tenant.project.account_id}&range=1h").content.decode()

    assert mine in page
    assert theirs not in page
    assert "50004" in page
    assert "Lisbon" not in page


def test_over_all_accounts_those_are_read_whose_keys_were_used(
    tenant: Tenant, stranger: Tenant, api: Api, strangers_api: Api
) -> None:
    api.search("kim", "Where do I live?")
    strangers_api.search("kim", "Where do I live?")
    mine, theirs = log(tenant, 700_000.0), log(stranger, 600_000.0)
    operator = operator_client()

    def is_shown() -> bool:
        page = operator.get("/admin/slow/?range=15m").content.decode()
        return mine in page and theirs in page

    wait_until(is_shown)  # keys are marked a moment after the answer
    too_late = load_all_route_timings(timezone.now() - timedelta(minutes=15), seconds=0)
    assert (too_late.accounts, too_late.is_cut) == (0, True)


def test_what_an_address_asks_and_cannot_have_is_left_out(tenant: Tenant) -> None:
    operator = operator_client()

    for query in (f"account={tenant.project.account_id}&range=9y&endpoint=%00", "account=x&range=7d"):
        assert operator.get(f"/admin/slow/?{query}").status_code == 200, query


def test_slow_requests_of_an_account_that_is_not_there_are_not_found() -> None:
    assert operator_client().get(f"/admin/slow/?account={uuid4()}").status_code == 404


# What is stored, and how things are.


def test_storage_tells_sizes_of_tables_days_and_disks() -> None:
    page = operator_client().get("/admin/storage/").content.decode()

    assert "tenancy_requestlog" in page
    assert re.search(r"tenancy_requestlog_\d{8}|tenancy_requestlog_earlier", page)
    assert "Data folder" in page


def test_health_tells_what_only_operators_may_know() -> None:
    page = operator_client().get("/admin/health/").content.decode()

    for word in ("PostgreSQL", "pgvector", "Valkey", "Django", "migrations", "broker", "parsers"):
        assert word in page
    assert re.search(r"celery@", page), "a worker answers"
    release = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(rf'<dt>Engram</dt><dd class="num">\s*{re.escape(release)}</dd>', page)


def test_a_list_of_accounts_tells_what_is_used_and_stored(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=4)
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
        for _ in range(3):
            api.search("kim", "Where do I live?")

    page = operator_client().get("/admin/tenancy/account/", {"q": tenant.project_id}).content.decode()

    cells = [
        " ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<td.*?</td>", page, re.S)
    ]
    assert cells[2:4] == ["1", "1"]
    assert cells[5] == "75% Searches"
    assert int(cells[4]) >= 3
    assert int(cells[6]) >= 1


# What pages cost.


def some_accounts(count: int) -> str:
    """New ones with a word in their names that finds them all."""
    plan, word = Account.objects.select_related("plan").latest("created_at").plan, uuid4().hex
    for number in range(count):
        Account.objects.create(name=f"{word} {number}", plan=plan)
    return word


def test_a_list_of_accounts_asks_so_much_for_each_and_no_more() -> None:
    operator = operator_client()
    few, many = some_accounts(2), some_accounts(7)
    operator.get("/admin/tenancy/account/")

    asked = [count_queries(operator, f"/admin/tenancy/account/?q={word}") for word in (few, many)]

    assert asked[1] - asked[0] <= 5 * QUERIES_AN_ACCOUNT
    assert asked[0] - 2 * QUERIES_AN_ACCOUNT <= MOST


def test_pages_ask_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    operator = operator_client()
    account = tenant.project.account_id
    paths = [f"/admin/tenancy/account/?q={account}", f"/admin/tenancy/account/{account}/change/"]
    paths += ["/admin/queues/", f"/admin/slow/?account={account}"]
    api.search("kim", "Where do I live?")
    failed_task(tenant.project)
    for path in paths:
        operator.get(path)
    few = [count_queries(operator, path) for path in paths]

    for number in range(3):
        api.add(f"user {number}", "I live in Lisbon. I like tea. My name is Kim.")
        failed_task(tenant.project, error_code=f"code {number}")
        tenant.project.account.projects.create(name=f"project {number}")

    for path, before in zip(paths, few, strict=True):
        assert count_queries(operator, path) <= min(before + 1, MOST + QUERIES_AN_ACCOUNT), path


def test_a_list_of_accounts_goes_on_where_it_ended() -> None:
    word = some_accounts(30)
    operator = operator_client()

    first = operator.get("/admin/tenancy/account/", {"q": word}).content.decode()
    (older,) = re.findall(r'href="([^"]+)" rel="next"', first)
    second = operator.get(unescape(older)).content.decode()

    def shown(page: str) -> list[int]:
        return [int(number) for number in re.findall(rf"{word} (\d+)", page)]

    assert shown(first) + shown(second) == list(range(29, -1, -1))
