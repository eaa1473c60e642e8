"""The request log: nobody's request costs another's row, and no row outlives an erasure."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from console.pages.monitoring.logs.filters import WantedLogs
from memories.lifecycle.erase_subject import erase_subject
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog
from tenancy.models.usage import SubjectUsage
from tenancy.requests.log import STANDS_BACK, store_log_rows, writer
from tenancy.requests.log_erasure import anonymise_usage, erase_from_logs
from tenancy.requests.log_search import search_log
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import let_time_pass, wait_until_somebody_waits


def call(api: Api, path: str, **body: Any) -> str:
    answer = api.call(path, body)
    accepted(answer)
    return answer.headers["X-Request-Id"]


def new_row(project: Project, request_id: str, **fields: Any) -> RequestLog:
    return RequestLog(
        **{"account_id": project.account_id, "project": project, "request_id": request_id}
        | {"endpoint": "search_memory", "method": "POST", "code": 0, "http_status": 200, "milliseconds": 1}
        | fields
    )


def test_a_method_with_a_long_name_is_refused_and_logged_cut(api: Api, developer: Tenant) -> None:
    answer = api.request("PROPFIND", "ping")

    refused(answer, 40000, status=405)
    assert wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).method == "PROPFIN"


def test_a_key_that_was_sent_where_none_belongs_cannot_be_read_in_the_log(
    api: Api, developer: Tenant
) -> None:
    key, shown = developer.key, f"{developer.key[:8]}…"

    in_body = call(api, "search/memory", user_id="kim", query=f"What is {key} for?", api_key=key)
    in_address = api.get(
        f"{developer.url}/api/v1/session", params={"api_key": key}, headers={"Authorization": f"Bearer {key}"}
    )

    for request_id in (in_body, in_address.headers["X-Request-Id"]):
        kept = wait_for_log_row(developer.project, request_id).request_body
        assert shown in kept
        assert key[8:] not in kept


@pytest.mark.parametrize(
    "query",
    [
        "user=a%00b",
        "user=%ED%A0%80",
        "filter_by_configs=%7B%22user_id%22%3A%22%5Cu0000%5Cud800%22%7D",
        "filter_by_configs=" + "%7B%22a%22%3A" * 500,
    ],
    ids=["nul", "surrogate", "json", "depth"],
)
def test_a_hostile_query_is_answered_and_logged(api: Api, developer: Tenant, query: str) -> None:
    answer = api.get(
        f"{developer.url}/api/v1/session?{query}", headers={"Authorization": f"Bearer {developer.key}"}
    )

    assert answer.status_code < 500
    assert (
        wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).http_status == answer.status_code
    )


def test_one_tenants_bad_row_costs_no_other_tenants(tenant: Tenant, stranger: Tenant) -> None:
    store_log_rows([new_row(tenant.project, "bad", endpoint="x" * 61), new_row(stranger.project, "good")])

    assert wait_for_log_row(stranger.project, "good")
    with tenant_scope(tenant.project):
        assert not RequestLog.objects.within(tenant.project).filter(request_id="bad").exists()


def test_a_row_that_an_erasure_keeps_waiting_for_too_long_is_stored_later(tenant: Tenant) -> None:
    with tenant_scope(tenant.project):  # until it ends, as an erasure does
        erase_from_logs(tenant.project, ["end_user:kim"])
        with ThreadPoolExecutor(1) as beside:
            logged_at = timezone.now() - 2 * STANDS_BACK
            row = new_row(tenant.project, "late", subjects=["end_user:ana"], created_at=logged_at)
            beside.submit(store_beside, row, patience="50ms").result()

    assert wait_for_log_row(tenant.project, "late").subjects == ["end_user:ana"]


def test_while_one_account_erases_a_user_the_requests_of_others_are_logged(
    tenant: Tenant, stranger: Tenant
) -> None:
    writer.put(new_row(tenant.project, "before", subjects=["end_user:ana"]))
    with tenant_scope(tenant.project):  # until it ends, as an erasure does
        erase_from_logs(tenant.project, ["end_user:kim"])
        words = {"request_body": "I live in Porto.", "subjects": ["end_user:kim"]}
        writer.put(new_row(tenant.project, "waiting", milliseconds=60_000.0, **words))
        writer.put(new_row(stranger.project, "beside", subjects=["end_user:ana"]))
        with ThreadPoolExecutor(1) as beside:
            assert beside.submit(find_row_beside, stranger.project, "beside").result().subjects == [
                "end_user:ana"
            ]

    assert wait_for_log_row(tenant.project, "before").subjects == ["end_user:ana"]
    assert wait_for_log_row(tenant.project, "waiting").request_body == ""


def find_row_beside(project: Project, request_id: str) -> RequestLog:
    try:
        return wait_for_log_row(project, request_id, 20)
    finally:
        connection.close()


def test_an_erasure_and_the_rows_of_whom_it_erases_do_not_wait_for_each_other(
    api: Api, developer: Tenant, user: str
) -> None:
    subject, late = f"end_user:{user}", 120_000.0  # the request began two minutes ago
    messages = [{"role": "user", "content": "I live in Porto."}]
    wait_for_log_row(
        developer.project, call(api, "add/message", user_id=user, messages=messages, async_mode=False)
    )
    erase_subject(developer.project, Subject(OwnerKind.END_USER, user))
    charge(developer.project, subject)  # by a call that ended later than the erasure

    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(developer.project):  # as an erasure does, which locks the log afterwards
            anonymise_usage(developer.project.account_id, developer.project.pk, [subject])
            row = new_row(developer.project, f"{user}-late", subjects=[subject], milliseconds=late)
            storing = beside.submit(store_beside, row)
            wait_until_somebody_waits()
            erase_from_logs(developer.project, [subject])
        storing.result()

    assert row.attempts == 0
    assert wait_for_log_row(developer.project, f"{user}-late").subjects == []


def charge(project: Project, subject: str) -> None:
    with tenant_scope(project):
        SubjectUsage.objects.create(
            account=project.account,
            project=project,
            subject=subject,
            meter="add",
            day=timezone.now().date(),
            used=1,
        )


def store_beside(row: RequestLog, patience: str = "10s") -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{patience}'")
        store_log_rows([row])
    finally:
        connection.close()


def test_group_talk_leaves_the_log_with_any_of_its_users(api: Api, developer: Tenant, user: str) -> None:
    messages = [{"role": "user", "content": "I live in Porto."}]
    request = call(api, "add/message", user_id=[f"{user}-friend", user], messages=messages, async_mode=False)
    assert "Porto" in wait_for_log_row(developer.project, request).request_body

    call(api, "delete/memory", user_id=user)

    row = wait_for_log_row(developer.project, request)
    assert (row.request_body, row.response_body, row.subject_id, row.subjects) == ("", "", "", [])


def test_group_talk_is_found_in_the_log_by_each_of_its_users(api: Api, developer: Tenant, user: str) -> None:
    messages = [{"role": "user", "content": "I live in Porto."}]
    users = [f"{user}-friend", user]
    request = call(api, "add/message", user_id=users, messages=messages)
    wait_for_log_row(developer.project, request)

    for user_id in users:
        with tenant_scope(developer.project):
            row = search_log(developer.project, WantedLogs("", user_id, "", "", "").as_search()).get()
        assert row.request_id == request


def test_another_kind_of_subject_with_the_same_id_keeps_its_rows(
    api: Api, developer: Tenant, user: str
) -> None:
    messages = [{"role": "user", "content": "I live in Porto."}]
    call(api, "add/message", user_id=user, messages=messages, async_mode=False)
    request = call(api, "add/message", agent_id=user, messages=messages, async_mode=False)

    call(api, "delete/memory", user_id=user)

    assert "Porto" in wait_for_log_row(developer.project, request).request_body


def test_the_row_of_an_erasure_does_not_name_whom_it_erased(api: Api, developer: Tenant, user: str) -> None:
    api.add(user, "I live in Porto.")
    done = call(api, "delete/memory", user_id=user)
    again = api.call("delete/memory", {"user_id": user}).headers["X-Request-Id"]

    for request in (done, again):
        row = wait_for_log_row(developer.project, request)
        assert user not in repr([row.request_body, row.response_body, row.subject_id, row.subjects])


@pytest.mark.parametrize(("milliseconds", "kept"), [(1.0, "I live in Porto."), (60_000.0, "")])
def test_a_row_that_waits_while_its_user_is_erased_is_stored_without_words(
    api: Api, developer: Tenant, user: str, milliseconds: float, kept: str
) -> None:
    """A request that began before the erasure, however late it ended; one that began afterwards keeps its body."""
    api.add(user, "I live in Porto.")
    erase_subject(developer.project, Subject(OwnerKind.END_USER, user))
    let_time_pass(0.01, "the erasure must be older than the row")
    words = {"request_body": "I live in Porto.", "subjects": [f"end_user:{user}"], "subject_id": user}

    store_log_rows([new_row(developer.project, user, milliseconds=milliseconds, **words)])

    assert wait_for_log_row(developer.project, user).request_body == kept


@pytest.mark.parametrize(
    "sent",
    [
        '{"user_id": "kim", "query": "tea"',
        "{'user_id': 'kim', 'query': 'tea'}",
        '{"user_id": "kim", "query": "tea",}',
        '[{"user_id": "kim"}]',
        '{"user_id": "kim", "query": NaN}',
        '{"user_id": "kim", "user_id": "kim"}',
        "user_id=kim&query=tea",
        "{“user_id”: “小明”}",
        '{"user_id": "kim" // who asks\n}',
    ],
)
def test_a_body_that_cannot_be_read_is_logged_as_it_was_sent(api: Api, developer: Tenant, sent: str) -> None:
    answer = api.post("search/memory", content=sent.encode(), headers={"Content-Type": "application/json"})

    refused(answer, 40000)
    assert wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).request_body == sent


def test_a_long_body_that_cannot_be_read_is_logged_cut(api: Api, developer: Tenant) -> None:
    sent = '{"user_id": "kim", "messages": "' + "x" * 30_000

    answer = api.post("add/message", content=sent.encode())

    assert wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).request_body == sent[:20_000]


def test_a_body_of_other_bytes_is_logged_as_far_as_it_is_text(api: Api, developer: Tenant) -> None:
    answer = api.post("search/memory", content=b'{"user_id": "k\x00\xffim"}')

    assert (
        wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).request_body
        == '{"user_id": "k\ufffd\ufffdim"}'
    )


@pytest.mark.parametrize(
    "sent",
    [
        '{"user_id": "USER", "query": "Porto"',
        "{'user_id': 'USER', 'query': 'Porto'}",
        '{"user_id": ["other", "USER"], "query": "Porto"',
        '{"bind_list": [{"user_id": "USER"}, {"note": "Porto"',
        '{"query": "Porto", "padding": "' + "x" * 600_000 + '", "user_id": "USER"',
    ],
    ids=["no end", "single quotes", "a list", "within a list", "far behind what is kept"],
)
def test_an_unreadable_body_goes_with_the_user_that_it_names(
    api: Api, developer: Tenant, user: str, sent: str
) -> None:
    api.add(user, "I live in Lagos.")
    answer = api.post("search/memory", content=sent.replace("USER", user).encode())
    request = answer.headers["X-Request-Id"]
    assert "Porto" in wait_for_log_row(developer.project, request).request_body

    call(api, "delete/memory", user_id=user)

    assert wait_for_log_row(developer.project, request).request_body == ""


def test_the_trace_says_which_times_could_not_be_read(api: Api, developer: Tenant, user: str) -> None:
    messages = [{"role": "user", "content": "Hi.", "chat_time": at} for at in ("2025-09-12", "the other day")]
    request = call(api, "add/message", user_id=user, messages=messages)

    notes = [
        stage["note"]
        for stage in wait_for_log_row(developer.project, request).trace
        if stage["stage"] == "store"
    ]

    assert notes[0]["unread_times"] == [{"field": "messages[1].chat_time", "dated_by": "neighbours"}]
