"""What a quota is beside calls: tokens of chats, work that fails later, mails, and moves between plans."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from itertools import pairwise
from math import inf
from threading import Event
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection, connections
from django.db.models import IntegerField
from django.test import override_settings

from console.http.sync_handler import SyncHandler
from memories.jobs.refund_failed_tasks import refund_failed, refund_task
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.alert_mail import send_alert_mails
from tenancy.metering.alerts import send_quota_alerts
from tenancy.metering.meters import Meter
from tenancy.metering.usage import (
    Grouping,
    Standing,
    UsageFilter,
    get_today,
    list_meter_standings,
    sum_usage,
)
from tenancy.models import Account, Plan, RequestLog
from tenancy.models.usage import QuotaMonth
from tests.support.accounts.people import sign_in_owner
from tests.support.accounts.plans import give_plan, standing
from tests.support.api_client import Api, Tenant
from tests.support.clients.parallel_calls import ASK, SAY, at_once
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import filled_base, new_base
from tests.support.servers.loops import run
from tests.support.waiting import (
    let_keys_expire,
    let_loop_run,
    look_until,
    wait_until,
    wait_until_somebody_waits,
)

CHAT = {"user_id": "kim", "conversation_id": "talk", "query": "Where do I live?"}


def test_a_chat_pays_for_the_tokens_it_used_not_for_those_it_might_have(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_chat_input_tokens=100, monthly_chat_output_tokens=1_000)
    api.add("kim", "I live in Porto.")

    accepted(api.call("chat", {**CHAT, "max_tokens": 1_000}))

    used = {meter: standing(tenant, meter) for meter in (Meter.CHAT, Meter.CHAT_INPUT, Meter.CHAT_OUTPUT)}
    assert used[Meter.CHAT].used == 1
    assert used[Meter.CHAT_INPUT].used == len(CHAT["query"]) // 4
    assert 0 < used[Meter.CHAT_OUTPUT].used < 500
    assert used[Meter.CHAT_OUTPUT].left == 1_000 - used[Meter.CHAT_OUTPUT].used


def test_a_chat_that_asks_for_more_than_is_left_is_told_which_tokens_are_short(
    api: Api, tenant: Tenant
) -> None:
    give_plan(tenant, monthly_chat_input_tokens=30, monthly_chat_output_tokens=100, monthly_chats=50)

    too_long = api.call("chat", {**CHAT, "query": "tea " * 200, "max_tokens": 10})
    too_much = api.call("chat", {**CHAT, "max_tokens": 101})
    streamed = api.call("chat", {**CHAT, "max_tokens": 101, "stream": True})

    refused(too_long, 40301, status=400)
    refused(too_much, 40302, status=400)
    refused(streamed, 40302, status=400)
    for meter in (Meter.CHAT, Meter.CHAT_INPUT, Meter.CHAT_OUTPUT):
        assert (standing(tenant, meter).used, standing(tenant, meter).held) == (0, 0)


def test_a_streamed_chat_is_paid_for_at_its_end(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_chats=1)
    api.add("kim", "I live in Porto.")

    text = api.call("chat", {**CHAT, "stream": True}).text

    assert '"type":"end"' in text
    assert standing(tenant, Meter.CHAT).used == 1
    assert standing(tenant, Meter.CHAT_OUTPUT).used > 0
    refused(api.call("chat", CHAT), 40304, status=429)


@pytest.mark.parametrize("path", ["/api/openmem/v1/chat", "/v1/chat/completions"])
def test_who_hangs_up_before_a_streamed_chat_begins_holds_and_pays_nothing(
    api: Api, tenant: Tenant, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a thread that nobody uses again nothing would close it.
    monkeypatch.setitem(connections.databases["default"], "CONN_MAX_AGE", 0)
    give_plan(tenant, monthly_chats=5, monthly_chat_input_tokens=1_000, monthly_chat_output_tokens=9_000)
    accepted(api.call("chat", CHAT))
    body = {**CHAT, "messages": [{"role": "user", "content": CHAT["query"]}], "user": "kim", "stream": True}
    wanted = ("messages", "user", "stream") if path.startswith("/v1") else (*CHAT, "stream")
    hang_up, gone = Event(), Event()

    with ThreadPoolExecutor(1) as pool, tenant_scope(tenant.project):
        month = QuotaMonth.objects.within(tenant.project.account).filter(meter=Meter.CHAT_INPUT)
        list(month.select_for_update())  # the call waits for its tokens
        sent = {name: body[name] for name in wanted}
        pool.submit(run, hang_up_on(tenant, path, sent, hang_up, gone))
        wait_until_somebody_waits()
        hang_up.set()
        gone.wait()

    # Not `standing`, which folds: the call is settled in this moment.
    account = tenant.project.account
    wait_until(lambda: all(meter_standing.held == 0 for meter_standing in list_meter_standings(account)))
    assert [standing(tenant, meter).held for meter in (Meter.CHAT_INPUT, Meter.CHAT_OUTPUT)] == [0, 0]
    assert standing(tenant, Meter.CHAT).used == 1
    (row,) = look_until(lambda: free_calls(tenant), bool)
    notes = {step["stage"]: step["note"] for step in row.trace}
    assert notes["model"] == {"ended": "not asked: the client hung up before"}


def free_calls(tenant: Tenant) -> list[RequestLog]:
    with tenant_scope(tenant.project):
        return list(RequestLog.objects.within(tenant.project).filter(charged=0))


async def hang_up_on(tenant: Tenant, path: str, body: dict[str, Any], hang_up: Event, gone: Event) -> None:
    """A call, as the web server hands it on, whose client hangs up when it is to; sets `gone` when that is known."""
    sent, ended = json.dumps(body).encode(), asyncio.Event()
    requests = iter([{"type": "http.request", "body": sent}])

    async def receive() -> dict[str, Any]:
        if (request := next(requests, None)) is not None:
            return request
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        raise AssertionError(f"{message} was sent to a client that had hung up")

    headers = {
        "host": "localhost",
        "authorization": f"Token {tenant.key}",
        "content-type": "application/json",
        "content-length": str(len(sent)),
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    answering = asyncio.create_task(SyncHandler()(scope, receive, send))
    await asyncio.to_thread(hang_up.wait)
    ended.set()
    for _ in range(20):
        await let_loop_run()
    gone.set()
    await answering


def bury(task_id: str, state: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memories_task SET state = %s WHERE id = %s", [state, task_id])


@pytest.mark.parametrize("state", ["dead", "failed"])
def test_a_message_that_could_not_be_refined_is_given_back_once(api: Api, tenant: Tenant, state: str) -> None:
    kept, lost = (api.add("kim", "I live in Porto.")["task_id"] for _ in range(2))
    assert standing(tenant, Meter.ADD).used == 2

    bury(lost, state)
    refund_task(lost)
    refund_failed()
    refund_task(kept)

    assert standing(tenant, Meter.ADD).used == 1
    wanted = UsageFilter(get_today(), get_today(), meter=Meter.ADD)
    by_user = sum_usage(tenant.project.account, wanted, [Grouping.SUBJECT])
    assert by_user[("end_user:kim",)].used == 1


def test_what_was_given_back_can_be_used_again(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_adds=1)
    lost = api.add("kim", "I live in Porto.")["task_id"]
    refused(api.call("add/message", SAY), 40304, status=429)

    bury(lost, "dead")
    refund_task(lost)

    assert standing(tenant, Meter.ADD).left == 1
    accepted(api.call("add/message", SAY))


# Mails.


def tell(tenant: Tenant) -> list[Standing]:
    alerts: list[Standing] = []
    account = Account.objects.select_related("plan").get(pk=tenant.project.account_id)
    send_quota_alerts(account, lambda _, standing, percent: alerts.append(standing))
    return alerts


def test_who_runs_an_account_is_told_once_at_each_threshold(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=10)
    percents = []

    for _ in range(11):
        api.call("search/memory", ASK)
        percents += [alert.percent for alert in tell(tenant)]

    assert percents == [50, 80, 100]


def test_of_thresholds_passed_at_once_the_highest_is_told(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=4)
    at_once(tenant, "search/memory", [ASK] * 6)

    assert [alert.percent for alert in tell(tenant)] == [100]
    assert tell(tenant) == []


def test_a_mail_that_could_not_be_sent_is_sent_later(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    at_once(tenant, "search/memory", [ASK])
    account = Account.objects.select_related("plan").get(pk=tenant.project.account_id)

    def no_server(*_: Any) -> None:
        raise ConnectionRefusedError

    send_quota_alerts(account, no_server)

    assert len(tell(tenant)) == 1


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", HAS_MAIL=True)
def test_the_mail_goes_to_owners_and_admins_and_says_what_is_left(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=2)
    at_once(tenant, "search/memory", [ASK])
    account = Account.objects.select_related("plan").get(pk=tenant.project.account_id)
    mail.outbox = []

    send_alert_mails(account, standing(tenant, Meter.SEARCH), 50)

    (sent,) = mail.outbox
    assert sent.to == [tenant.email]
    assert "50%" in sent.subject
    assert "1 of 2" in sent.body
    assert f"/a/{account.pk}/usage/" in sent.body


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", HAS_MAIL=True)
def test_the_mail_is_in_the_language_of_its_readers_console(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=2)
    at_once(tenant, "search/memory", [ASK])
    sign_in_owner(tenant).post("/language/", {"language": "zh-hans"})
    mail.outbox = []

    send_alert_mails(tenant.project.account, standing(tenant, Meter.SEARCH), 50)

    (sent,) = mail.outbox
    assert "本月配额已使用 50%" in sent.subject
    assert "已用：1 / 2" in sent.body


# Plans.


def test_a_smaller_plan_deletes_nothing_and_takes_nothing_more(api: Api, tenant: Tenant) -> None:
    base = filled_base(api, {"a.md": b"# Parking\n\nThe company pays for parking."})
    new_base(api, "Second")
    give_plan(tenant, knowledge_bases=1)
    let_keys_expire()

    upload = {"knowledgebase_id": base, "file": [{"content": "https://example.org/a.md"}]}
    refused(api.call("add/knowledgebase-file", upload), 40304, "delete 1 first", status=400)
    refused(api.call("create/knowledgebase", {"knowledgebase_name": "Third"}), 40304, status=400)
    result = api.search("kim", "Who pays for parking?", knowledgebase_ids=[base], relativity=0)
    assert result["memory_detail_list"]


def test_a_larger_plan_works_within_a_second(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    accepted(api.call("search/memory", ASK))
    refused(api.call("search/memory", ASK), 40304, status=429)

    give_plan(tenant, monthly_searches=2)
    let_keys_expire()

    accepted(api.call("search/memory", ASK))


def test_what_was_used_without_a_limit_counts_under_the_next_plan(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=None)
    for _ in range(3):
        accepted(api.call("search/memory", ASK))
    assert standing(tenant, Meter.SEARCH).used == 3

    give_plan(tenant, monthly_searches=4)
    let_keys_expire()

    assert standing(tenant, Meter.SEARCH).left == 1
    accepted(api.call("search/memory", ASK))
    refused(api.call("search/memory", ASK), 40304, status=429)


def test_an_operator_can_give_more_for_a_month(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    accepted(api.call("search/memory", ASK))
    refused(api.call("search/memory", ASK), 40304, status=429)

    call_command("grant_quota", email=tenant.email, meter="search/memory", amount=1, stdout=StringIO())

    assert api.call("search/memory", ASK).headers["X-Quota-Remaining"] == "0"
    refused(api.call("search/memory", ASK), 40304, "2 of 2", status=429)
    assert standing(tenant, Meter.SEARCH).allowed == 2


def test_every_listed_plan_allows_at_least_what_the_one_below_it_does() -> None:
    plans = list(Plan.objects.filter(is_listed=True))

    for column in (field.attname for field in Plan._meta.fields if isinstance(field, IntegerField)):
        allowed = [inf if (most := getattr(plan, column)) is None else most for plan in plans]
        assert all(lower <= higher for lower, higher in pairwise(allowed)), (column, allowed)


def test_listed_plans_have_the_knowledge_bases_and_tokens_of_the_price_list() -> None:
    plans = list(Plan.objects.filter(is_listed=True))

    assert [plan.code for plan in plans] == ["free", "starter", "pro", "enterprise"]
    assert [(plan.knowledge_bases, plan.knowledge_base_gigabytes) for plan in plans[:3]] == [
        (10, 1),
        (30, 10),
        (100, 100),
    ]
    assert {plan.tokens_per_minute for plan in plans} == {400_000}
