"""What an account may use in a month: exact to the last call, shared by its projects, and nothing for a failure."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from django.db import connection, connections

from tenancy.errors import CallQuotaExceeded
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import create_key, recognise_key
from tenancy.metering import quota
from tenancy.metering.meters import Meter
from tenancy.metering.rollup import fold_usage
from tenancy.metering.usage import Grouping, UsageFilter, UsageSums, get_today, sum_usage
from tenancy.models import Project
from tenancy.models.usage import QuotaMonth
from tests.support.accounts.plans import give_plan, standing
from tests.support.api_client import Api, Tenant
from tests.support.clients.parallel_calls import ASK, SAY, at_once
from tests.support.expect import accepted, refused
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import LIMIT


def codes(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.json()["code"] for answer in answers)


def test_of_many_calls_at_once_as_many_succeed_as_are_left(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=15, most_requests_per_second=5_000)

    answers = at_once(tenant, "search/memory", [ASK] * 40)

    assert codes(answers) == {0: 15, 40304: 25}
    late = next(answer for answer in answers if answer.status_code != 200)
    refused(late, 40304, "15 of 15", status=429)
    assert 1 <= int(late.headers["Retry-After"]) <= 31 * 24 * 3600
    there = standing(tenant, Meter.SEARCH)
    assert (there.used, there.held, there.left) == (15, 0, 0)


def test_what_is_stored_is_what_was_paid_for(tenant: Tenant) -> None:
    give_plan(tenant, monthly_adds=6, most_requests_per_second=5_000)

    answers = at_once(tenant, "add/message", [{**SAY, "user_id": f"user {n % 3}"} for n in range(30)])
    with tenant.api() as api:
        stored = sum(
            len(
                api.data(
                    "get/message",
                    {"user_id": f"user {n}", "conversation_id": "talk", "message_limit_number": 50},
                )["message_detail_list"]
            )
            for n in range(3)
        )

    assert codes(answers) == {0: 6, 40304: 24}
    assert stored == 6
    assert standing(tenant, Meter.ADD).used == 6


TAKE = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from django.db import connections
from tenancy.metering import quota
from tenancy.errors import CallQuotaExceeded
from tenancy.keys.keys import recognise_key
from tenancy.metering.meters import Meter

def take(number):
    held = quota.open_hold(recognise_key(sys.argv[1]))
    try:
        quota.reserve_quota(held, {Meter.SEARCH: 1})
        quota.settle_hold(held) if number % 5 else quota.release_hold(held)
        return "settled" if number % 5 else "back"
    except CallQuotaExceeded:
        return "refused"

def run(part):
    try:
        return [take(number) for number in part]
    finally:
        connections.close_all()

sys.stdin.readline()
with ThreadPoolExecutor(10) as threads:
    parts = [range(start, 50, 10) for start in range(10)]
    print(" ".join(one for part in threads.map(run, parts) for one in part))
"""


def test_processes_that_know_nothing_of_each_other_take_no_more_than_there_is(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=45)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE, tenant.key],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]

    for process in processes:  # at the same time: nobody waits for the other's end
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=120)[0].split() for process in processes]

    came_of = Counter(word for words in outputs for word in words)
    assert sum(came_of.values()) == 100
    assert came_of["settled"] == standing(tenant, Meter.SEARCH).used == 45
    assert standing(tenant, Meter.SEARCH).held == 0


def test_a_search_is_counted_told_and_free_when_it_fails(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=100)

    left = [api.call("search/memory", ASK).headers.get("X-Quota-Remaining") for _ in range(3)]
    refused(api.call("search/memory", {**ASK, "relativity": 7}), 40012)

    assert left == [str(100 - number) for number in (1, 2, 3)]
    assert (standing(tenant, Meter.SEARCH).used, standing(tenant, Meter.SEARCH).held) == (3, 0)


def test_a_month_that_the_database_lost_is_begun_anew(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=100)
    accepted(api.call("search/memory", ASK))
    account = tenant.project.account
    with tenant_scope(Scope.of_account(account)):
        QuotaMonth.objects.within(account).delete()

    left = [api.call("search/memory", ASK).headers["X-Quota-Remaining"] for _ in range(2)]

    assert left[1] == "98"


def test_a_failed_search_says_what_is_left_too(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=100)
    accepted(api.call("search/memory", ASK))

    failed = api.call("search/memory", {**ASK, "relativity": 7})

    assert failed.headers["X-Quota-Remaining"] == "99"


FAILING: list[tuple[str, Any, int]] = [
    ("search/memory", {}, 40002),
    ("search/memory", {**ASK, "relativity": 7}, 40012),
    ("search/memory", {**ASK, "knowledgebase_ids": ["nobodys"]}, 50123),
    ("search/memory", {**ASK, "query": "tea " * 45_000}, 40305),
    ("search/memory", [1], 40000),
    ("add/message", {**SAY, "messages": []}, 40003),
    ("add/message", {**SAY, "user_id": "u" * 101}, 40010),
    ("add/message", {**SAY, "allow_knowledgebase_ids": ["nobodys"]}, 50123),
    ("add/knowledgebase-file", {"knowledgebase_id": "nobodys", "file": [{"content": "eA=="}]}, 50120),
    ("rerank", {"query": "tea"}, 40002),
    ("extract/memory", {"messages": []}, 40003),
]


def test_a_call_that_fails_costs_nothing(api: Api, tenant: Tenant) -> None:
    give_plan(
        tenant,
        monthly_searches=3,
        monthly_adds=3,
        monthly_file_uploads=3,
        monthly_rerankings=3,
        monthly_extractions=3,
    )

    for path, body, code in FAILING * 2:
        assert api.call(path, body).json()["code"] == code
    api.post("search/memory", content=b"{broken", headers={"Content-Type": "application/json"})
    accepted(api.call("search/memory", ASK))

    used = {meter: standing(tenant, meter) for meter in Meter}
    assert {meter: usage.used for meter, usage in used.items() if usage.used} == {Meter.SEARCH: 1}
    assert all(usage.held == 0 for usage in used.values())


def test_an_answer_says_what_is_left(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=2)

    left = [api.call("search/memory", ASK).headers["X-Quota-Remaining"] for _ in range(2)]

    assert left == ["1", "0"]
    refused(api.call("search/memory", ASK), 40304, status=429)


def test_what_the_plan_does_not_limit_is_counted_all_the_same(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=None)

    for _ in range(3):
        accepted(api.call("search/memory", ASK))
    api.call("get/memory", {"user_id": "kim"})

    assert standing(tenant, Meter.SEARCH).used == 3
    assert standing(tenant, Meter.SEARCH).left is None
    assert standing(tenant, Meter.OTHER).used == 1


def test_projects_share_what_their_account_may_use(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=10, most_requests_per_second=5_000)
    second = Project.objects.create(account=tenant.project.account, name="second")
    key = create_key(second, "second").plaintext

    ours = at_once(tenant, "search/memory", [ASK] * 8)
    theirs = at_once(tenant, "search/memory", [ASK] * 8, key)

    assert codes(ours) == {0: 8}
    assert codes(theirs) == {0: 2, 40304: 6}
    shares = sum_usage(
        tenant.project.account, UsageFilter(get_today(), get_today(), meter=Meter.SEARCH), [Grouping.PROJECT]
    )
    assert {project: usage.used for (project,), usage in shares.items()} == {
        tenant.project.pk: 8,
        second.pk: 2,
    }


def test_another_account_is_not_touched(tenant: Tenant, strangers_api: Api, stranger: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    at_once(tenant, "search/memory", [ASK] * 3)

    accepted(strangers_api.call("search/memory", ASK))

    assert standing(stranger, Meter.SEARCH).used == 1


def test_a_write_that_is_repeated_under_one_key_is_paid_for_once(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_adds=2)

    answers = [api.call("add/message", SAY, headers={"Idempotency-Key": "once"}) for _ in range(4)]

    assert len({answer.json()["data"]["task_id"] for answer in answers}) == 1
    assert standing(tenant, Meter.ADD).used == 1


def test_the_call_that_used_the_last_of_a_quota_is_answered_again(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_adds=1, monthly_searches=0)
    key = {"Idempotency-Key": "last"}

    first, again = (api.call("add/message", SAY, headers=key) for _ in range(2))

    assert accepted(again)["task_id"] == accepted(first)["task_id"]
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(api.call("add/message", SAY | {"user_id": "another"}, headers=key), 40000, "Idempotency-Key")
    refused(api.call("add/message", SAY), 40304, status=429)
    refused(api.call("add/message", SAY, headers={"Idempotency-Key": "next"}), 40304, status=429)
    refused(api.call("search/memory", ASK, headers=key), 40304, status=429)
    assert standing(tenant, Meter.ADD).used == 1


def test_usage_says_whose_calls_they_were_until_they_are_erased(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.search("kim", "Where do I live?")
    api.search("lee", "Where do I live?")

    def by_user() -> dict[Any, int]:
        standing(tenant, Meter.SEARCH)
        wanted = UsageFilter(get_today(), get_today(), meter=Meter.SEARCH)
        return {
            key[0]: usage.used
            for key, usage in sum_usage(tenant.project.account, wanted, [Grouping.SUBJECT]).items()
        }

    assert by_user() == {"end_user:kim": 1, "end_user:lee": 1}
    accepted(api.call("delete/memory", {"user_id": "kim"}))

    assert by_user() == {"end_user:lee": 1}
    assert standing(tenant, Meter.SEARCH).used == 2


def test_what_is_rolled_up_while_usage_is_read_is_counted_once(api: Api, tenant: Tenant) -> None:
    api.search("kim", "Where do I live?")
    account = tenant.project.account
    wanted = UsageFilter(get_today(), get_today(), meter=Meter.SEARCH)

    def roll_up() -> None:
        fold_usage(account.pk)
        connections.close_all()  # this thread's

    def roll_up_afterwards(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if 'FROM "tenancy_' in sql:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(roll_up).result()
        return result

    with tenant_scope(Scope.of_account(account)), connection.execute_wrapper(roll_up_afterwards):
        sums = sum_usage(account, wanted, [Grouping.METER])

    assert sums == {(Meter.SEARCH,): UsageSums(used=1)}


def test_the_skill_contract_pays_from_the_same_quota(tenant: Tenant) -> None:
    give_plan(tenant, monthly_adds=1)
    headers = {"Authorization": f"Bearer {tenant.key}"}
    with httpx.Client(
        base_url=f"{tenant.url}/api/v1/", headers=headers, trust_env=False, timeout=LIMIT
    ) as client:
        session = client.post("session", json={}).json()["data"]["id"]
        body = {"format": "openai", "blob": {"role": "user", "content": "Hello."}}
        answers = [client.post(f"session/{session}/messages", json=body) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [201, 429, 429]
    assert int(answers[1].headers["Retry-After"]) >= 1
    assert standing(tenant, Meter.ADD).used == 1


# The month's turn, by the clock of who asks.


def test_a_new_month_begins_with_the_whole_quota(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    key = recognise_key(tenant.key)
    last_second = quota.open_hold(key, datetime(2031, 1, 31, 23, 59, 59, tzinfo=UTC))
    too_late = quota.open_hold(key, datetime(2031, 1, 31, 23, 59, 59, tzinfo=UTC))
    next_second = quota.open_hold(key, datetime(2031, 2, 1, tzinfo=UTC))

    quota.reserve_quota(last_second, {Meter.SEARCH: 1})
    with pytest.raises(CallQuotaExceeded):
        quota.reserve_quota(too_late, {Meter.SEARCH: 1})
    quota.reserve_quota(next_second, {Meter.SEARCH: 1})
    quota.settle_hold(next_second)
    quota.release_hold(last_second)  # in February, and yet January's

    quota.reserve_quota(too_late, {Meter.SEARCH: 1})
    quota.release_hold(too_late)


@pytest.mark.parametrize(
    ("day", "now", "seconds"),
    [
        ((2030, 12, 31), (2030, 12, 31, 23, 59, 0), 60),
        ((2028, 2, 10), (2028, 2, 10), 20 * 24 * 3600),
    ],
)
def test_the_reset_is_the_first_second_of_the_next_month(
    day: tuple[int, int, int], now: tuple[int, ...], seconds: float
) -> None:
    asked = datetime(*now, tzinfo=UTC)  # type: ignore[misc, arg-type]

    assert quota.get_seconds_until_reset(datetime(*day, tzinfo=UTC).date(), asked) == seconds
