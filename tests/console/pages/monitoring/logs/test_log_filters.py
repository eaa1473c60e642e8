"""The request log finds a request by what a person knows of it, and says its trace in words."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from console.embedded.stack import Stack
from console.pages.monitoring.logs.trace_words import describe_stage, describe_verdict
from tenancy.requests import log_search
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import listed_requests, store_rows, wait_for_log_row
from tests.support.tenants import make_tenant

MOST = 25


@pytest.fixture(scope="module")
def logged(stack: Stack) -> tuple[Client, Tenant]:
    """An owner whose project has some requests behind it."""
    tenant = make_tenant(stack)
    store_rows(
        tenant,
        {"request_id": "quick"},
        {"request_id": "slow", "milliseconds": 1_500.0, "endpoint": "chat"},
        {"request_id": "refused", "code": 40012, "http_status": 400},
        {"request_id": "mcp", "origin": "mcp", "endpoint": "mcp/search_memories"},
    )
    return sign_in_owner(tenant), tenant


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("code=40012", ["refused"]),
        ("code=forty", ["quick", "slow", "refused", "mcp"]),
        ("latency=1000", ["slow"]),
        ("latency=7", ["quick", "slow", "refused", "mcp"]),
        ("origin=mcp", ["mcp"]),
        ("endpoint=mcp/search_memories", ["mcp"]),
        ("endpoint=never/called", []),
        ("key=made-up", ["quick", "slow", "refused", "mcp"]),
        ("key=0193a5b0-0000-7000-8000-000000000000", []),
        ("origin=api&outcome=ok&latency=500", ["slow"]),
    ],
)
def test_each_filter_finds_what_it_names(
    logged: tuple[Client, Tenant], query: str, expected: list[str]
) -> None:
    assert sorted(listed_requests(*logged, query)) == sorted(expected)


def test_endpoints_that_were_called_can_be_chosen(tenant: Tenant, stranger: Tenant) -> None:
    names = ["chat", "update/memory", "mem0/memories", "mcp/add_memory", "v1/skills"]
    store_rows(tenant, *({"request_id": name.replace("/", "-"), "endpoint": name} for name in names))
    store_rows(stranger, {"request_id": "foreign", "endpoint": "foreign/endpoint"})

    page = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/logs/").content.decode()

    for name in names:
        assert f'<option value="{name}"' in page
    assert "foreign/endpoint" not in page


def test_a_rare_code_is_searched_for_in_a_bounded_window(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_search, "WINDOW", 3)
    now = timezone.now()
    many = ({"request_id": f"fine-{n}", "created_at": now - timedelta(minutes=n)} for n in range(8))
    rare = {"request_id": "rare", "code": 40012, "http_status": 400, "created_at": now - timedelta(hours=1)}
    store_rows(tenant, *many, rare)
    client = sign_in_owner(tenant)

    query, steps = "code=40012", 0
    while not (request_ids := listed_requests(client, tenant, query)) and steps < 5:
        page = client.get(f"/p/{tenant.project_id}/logs/?{query}").content.decode()
        older = re.search(r'href="[^"?]*\?([^"]*)">Search older requests', page)
        assert older, page
        query, steps = older[1].replace("&amp;", "&"), steps + 1

    assert request_ids == ["rare"]
    assert steps == 2
    assert listed_requests(client, tenant, "q=rare") == ["rare"]


def test_words_are_found_in_bodies_page_by_page_and_counted_above(tenant: Tenant) -> None:
    now = timezone.now()
    asked = ({"request_id": f"asked-{n}", "created_at": now - timedelta(minutes=n)} for n in range(60))
    rows = [row | {"request_body": '{"query": "Green tea"}'} for row in asked]
    store_rows(tenant, *rows, {"request_id": "other", "response_body": '{"found": "black coffee"}'})
    client = sign_in_owner(tenant)

    query, request_ids = "q=green+tea", []
    while query:
        request_ids += listed_requests(client, tenant, query)
        page = client.get(f"/p/{tenant.project_id}/logs/?{query}").content.decode()
        following = re.search(r'href="[^"?]*\?([^"]*)"[^>]*rel="next"', page)
        query = following[1].replace("&amp;", "&") if following else ""
        assert '<span class="count num">60</span>' in page

    assert request_ids == [f"asked-{n}" for n in range(60)]
    assert listed_requests(client, tenant, "q=BLACK") == ["other"]
    assert listed_requests(client, tenant, "q=green&origin=mcp") == []


def test_an_id_finds_its_request_alone_however_old(tenant: Tenant) -> None:
    long_ago = timezone.now() - timedelta(days=20)
    store_rows(
        tenant,
        {"request_id": "old-one", "created_at": long_ago},
        {"request_id": "about-it", "request_body": '{"query": "what became of old-one?"}'},
    )
    client = sign_in_owner(tenant)

    assert listed_requests(client, tenant, "q=old-one") == ["old-one"]
    assert listed_requests(client, tenant, "q=became+of+old") == ["about-it"]


def test_times_are_exact(tenant: Tenant) -> None:
    at = timezone.now().replace(hour=3, minute=42, second=21, microsecond=812_345)
    store_rows(tenant, {"request_id": "exact", "created_at": at})
    client = sign_in_owner(tenant)

    assert "03:42:21.8<" in client.get(f"/p/{tenant.project_id}/logs/").content.decode()
    assert "03:42:21.812 UTC" in client.get(f"/p/{tenant.project_id}/logs/exact/").content.decode()


def test_the_list_asks_no_more_for_many_rows_than_for_few(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/logs/?code=0&latency=100&q=x"
    client.get(path)
    counts = []
    for size in (1, 60):
        rows = ({"request_id": f"{size}-{n}", "endpoint": f"e{n}"} for n in range(size))
        store_rows(tenant, *rows)
        with CaptureQueriesContext(connection) as asked:
            assert client.get(path).status_code == 200
        counts.append(len(asked))

    assert counts[1] <= counts[0] <= MOST


def test_a_search_that_finds_nothing_says_at_which_gate_it_stopped(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I keep two cats in my flat.")
    answer = api.call("search/memory", {"user_id": "kim", "query": "tax law of Peru", "relativity": 0.98})
    request_id = answer.headers["X-Request-Id"]
    wait_for_log_row(tenant.project, request_id)

    page = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/logs/{request_id}/").content.decode()

    assert re.search(r"Nothing recalled: stopped at Relativity \(0\.\d\d &lt; 0\.98\)", page)
    assert "other_kind" not in page
    assert "below_threshold" not in page


CUT: dict[str, Any] = {
    "stage": "cut",
    "ms": 1,
    "note": {"threshold": 0.45, "below_threshold": 2, "repeats": 0, "over_limit": 0},
}
CUT_OF_MANY = {"stage": "cut", "ms": 1, "note": CUT["note"] | {"not_ranked": 5_000}}
RANK = {"stage": "rank", "ms": 1, "note": {"best": [0.031, None]}}


@pytest.mark.parametrize(
    ("trace", "verdict"),
    [
        ([{"stage": "candidates", "ms": 1, "note": {"candidates": 2}}, RANK, CUT], "(0.03 < 0.45)"),
        ([{"stage": "candidates", "ms": 1, "note": {"candidates": 3}}, RANK, CUT], ""),
        (
            [{"stage": "candidates", "ms": 1, "note": {"candidates": 5_002}}, RANK, CUT_OF_MANY],
            "(0.03 < 0.45)",
        ),
        ([{"stage": "candidates", "ms": 1, "note": {"candidates": 0}}, RANK, CUT], "nothing is remembered"),
        (
            [{"stage": "candidates", "ms": 1, "note": {"candidates": 0, "filtered_out": 4}}, RANK, CUT],
            "(4 excluded by the filter)",
        ),
        ([], ""),
        ([{"stage": "store", "ms": 1, "note": {"messages": 1}}], ""),
    ],
)
def test_a_verdict_names_the_gate(trace: list[dict[str, Any]], verdict: str) -> None:
    sentence = describe_verdict(trace)

    assert verdict in sentence
    assert bool(sentence) == bool(verdict)


def test_stages_are_described_in_both_languages() -> None:
    note = {"candidates": 1, "other_kind": 0, "no_longer_true": 2, "bases_searched_by": ["index"]}
    stage = {"stage": "candidates", "ms": 1, "note": note}

    assert describe_stage(stage) == (
        "Gather candidates",
        "1 candidate · 2 no longer true · bases searched by: index",
    )
    with translation.override("zh-hans"):
        assert describe_stage(stage)[1].startswith("1 条候选记忆 · 2 条已不再成立")
        assert "相关度" in describe_verdict([{"stage": "candidates", "note": {"candidates": 2}}, RANK, CUT])
        assert "5,000 条离问题太远" in describe_stage(CUT_OF_MANY)[1]
    assert "5,000 too far from the question to be ranked" in describe_stage(CUT_OF_MANY)[1]
    assert describe_stage({"stage": "new_stage", "ms": 1, "note": "as it is"}) == ("new_stage", "as it is")


def test_a_search_is_replayed_in_the_playground(tenant: Tenant) -> None:
    sent = '{"user_id": "kim", "query": "Where do I live?", "relativity": 0, "filter": {"tags": "home"}}'
    store_rows(
        tenant,
        {"request_id": "search", "request_body": sent},
        {"request_id": "broken", "request_body": "{not JSON", "code": 40000, "http_status": 400},
        {"request_id": "other", "request_body": sent, "endpoint": "add/message"},
    )
    client = sign_in_owner(tenant)
    pages = {
        name: client.get(f"/p/{tenant.project_id}/logs/{name}/").content.decode()
        for name in ("search", "broken", "other")
    }

    (address,) = re.findall(r'href="(/p/[^"]+/playground/\?[^"]+)"', pages["search"])
    assert "query=Where+do+I+live%3F" in address
    assert "relativity=0" in address
    replayed = client.get(address.replace("&amp;", "&"))
    assert replayed.status_code == 200
    assert "Where do I live?" in replayed.content.decode()
    assert "{not JSON" in pages["broken"]
    assert "Replay in the playground" not in pages["broken"] + pages["other"]
