"""The request log as a chart, as a file, as calls to copy, and refused calls corrected."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from console.embedded.stack import Stack
from console.pages.monitoring.logs import download
from tenancy.models import Role
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import as_setting
from tenancy.requests.histogram import MOST_STEPS, choose_step
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.console.downloads import read_streamed
from tests.support.tasks.request_log import listed_requests, logged_row, store_rows, wait_for_log_row
from tests.support.tenants import make_tenant


def load_page(tenant: Tenant, query: str = "", client: Client | None = None) -> str:
    answer = (client or sign_in_owner(tenant)).get(f"/p/{tenant.project_id}/logs/{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


@dataclass(frozen=True)
class Caller:
    """Whose calls are refused: each test looks at its own."""

    tenant: Tenant
    api: Api
    owner: Client

    def send(self, path: str, content: str) -> str:
        """The id of a request that is in the log."""
        answer = self.api.post(path, content=content, headers={"Content-Type": "application/json"})
        assert answer.json()["code"] != 0
        return wait_for_log_row(self.tenant.project, answer.headers["X-Request-Id"]).request_id

    def load_page(self, request_id: str) -> str:
        return load_page(self.tenant, f"{request_id}/", self.owner)


@pytest.fixture(scope="module")
def caller(stack: Stack) -> Iterator[Caller]:
    tenant = make_tenant(stack)
    with tenant.api() as api:
        yield Caller(tenant, api, sign_in_owner(tenant))


def columns(page: str) -> list[tuple[str, list[int]]]:
    """The chart's table: address of each column that has one, and its figures."""
    addresses = re.findall(r'<tr>\s*<td><a href="([^"]*from=[^"]*)">.*?</tr>', page, re.DOTALL)
    rows = re.findall(r"<tr>\s*<td><a href=\"[^\"]*from=.*?</tr>", page, re.DOTALL)
    cells = [re.findall(r'<td class="right num"[^>]*>([\d,]+)', row) for row in rows]
    return [(address, [int(cell) for cell in row]) for address, row in zip(addresses, cells, strict=True)]


def test_a_bar_counts_by_outcome_and_leads_to_its_requests(tenant: Tenant) -> None:
    hour = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    store_rows(
        tenant,
        {"request_id": "fine", "created_at": hour + timedelta(minutes=1)},
        {
            "request_id": "refused",
            "created_at": hour + timedelta(minutes=2),
            "code": 40002,
            "http_status": 400,
        },
        {
            "request_id": "broken",
            "created_at": hour + timedelta(minutes=3),
            "code": 50000,
            "http_status": 500,
        },
        {"request_id": "later", "created_at": hour + timedelta(hours=2)},
        {"request_id": "long-ago", "created_at": hour - timedelta(days=3)},
    )
    client = sign_in_owner(tenant)

    (first, second) = columns(load_page(tenant, "", client))

    assert (first[1], second[1]) == ([1, 1, 1, 3], [1, 0, 0, 1])
    assert sorted(listed_requests(client, tenant, first[0].partition("?")[2])) == [
        "broken",
        "fine",
        "refused",
    ]
    narrowed = load_page(tenant, "?" + first[0].partition("?")[2], client)
    assert "Whole time" in narrowed
    assert [figures for _, figures in columns(narrowed)] == [[1, 0, 0, 1], [0, 1, 1, 2]]  # of 2 minutes each
    assert listed_requests(client, tenant, first[0].partition("?")[2] + "&code=40002") == ["refused"]


def test_a_span_that_is_none_narrows_nothing(tenant: Tenant) -> None:
    store_rows(tenant, {"request_id": "only"})
    client, day = sign_in_owner(tenant), "2026-01-02T00:00Z"

    for query in ("from=yesterday&to=x", f"from={day}", f"from={day}&to=2026-01-01T00:00Z"):
        assert listed_requests(client, tenant, query) == ["only"], query


@pytest.mark.parametrize("days", [0.0001, 0.01, 1, 7, 30, 365, 36_500])
def test_no_span_has_more_columns_than_fit(days: float) -> None:
    span = timedelta(days=days)

    assert span / choose_step(span) <= MOST_STEPS


def test_far_spans_are_drawn(tenant: Tenant) -> None:
    store_rows(tenant, {"request_id": "only"})

    page = load_page(tenant, "?from=0001-01-02T00:00:00Z&to=9999-12-30T00:00:00Z")

    assert "only" in page


def test_downloads_hold_what_the_filters_find(tenant: Tenant, stranger: Tenant, monkeypatch: Any) -> None:
    monkeypatch.setattr(download, "PAGE", 2)
    at = datetime(2026, 11, 20, 3, 42, 21, 812_345, UTC)
    rows = (
        {"request_id": f"r{n}", "created_at": at + timedelta(minutes=n), "code": 40002 if n % 2 else 0}
        for n in range(7)
    )
    store_rows(tenant, *rows, {"request_id": "odd", "request_body": "=cmd()", "created_at": at})
    store_rows(stranger, {"request_id": "foreign"})
    client, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/logs/download"

    lines = [json.loads(line) for line in read_streamed(client.get(f"{place}/jsonl/")).splitlines()]
    refused = read_streamed(client.get(f"{place}/csv/?code=40002")).decode()
    table = list(csv.DictReader(io.StringIO(read_streamed(client.get(f"{place}/csv/")).decode())))

    assert [line["request_id"] for line in lines[:6]] == [f"r{n}" for n in range(6, 0, -1)]
    assert {line["request_id"] for line in lines[6:]} == {"r0", "odd"}
    assert lines[-1]["time"] == "2026-11-20T03:42:21.812Z"
    assert [row["request_id"] for row in csv.DictReader(io.StringIO(refused))] == ["r5", "r3", "r1"]
    assert next(row for row in table if row["request_id"] == "odd")["request_body"] == "'=cmd()"
    assert client.get(f"{place}/xml/").status_code == 404


def test_a_download_is_bounded(tenant: Tenant, monkeypatch: Any) -> None:
    monkeypatch.setattr(download, "PAGE", 2)
    monkeypatch.setattr(download, "MOST_ROWS", 4)
    store_rows(tenant, *({"request_id": f"r{n}"} for n in range(9)))

    answer = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/logs/download/jsonl/")

    assert len(read_streamed(answer).splitlines()) == 4


def test_viewers_of_metadata_download_no_bodies(tenant: Tenant) -> None:
    change_settings(tenant.project, "privacy", as_setting(metadata_only=True), get_owner(tenant))
    store_rows(tenant, {"request_id": "one", "request_body": '{"query": "secret"}'})
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    text = read_streamed(viewer.get(f"/p/{tenant.project_id}/logs/download/jsonl/?q=secret")).decode()

    assert json.loads(text)["request_id"] == "one"
    assert "body" not in text
    assert "secret" not in text
    assert "as curl" not in load_page(tenant, "one/", viewer)


@pytest.mark.parametrize(
    ("path", "sent", "advice"),
    [
        ("search/memory", {"user_id": "kim"}, 'Add query, for example "'),
        ("search/memory", {"userId": "kim", "query": "Where?"}, "Rename userId to user_id."),
        (
            "search/memory",
            {"user_id": "kim", "query": "q", "relativity": 7},
            "Change relativity from 7 to 1.",
        ),
        (
            "add/message",
            {"user_id": "k", "conversation_id": "c", "messages": []},
            "Add messages, for example",
        ),
        ("get/memory", {"user_id": "kim", "size": 5_000}, "Change size from 5000 to 50."),
        ("chat", {"user_id": 5, "conversation_id": "c", "query": "q"}, 'Change user_id from 5 to "5".'),
        ("search/memory", '{"user_id": "kim",', "The body is not a JSON object."),
        ("search/memory", '["it\'s a list"]', "The body is not a JSON object."),
        (
            "search/memory",
            {"user_id": "k", "query": "q", "knowledgebase_ids": ["no"]},
            "Remove knowledgebase_ids.",
        ),
    ],
)
def test_a_refused_call_is_corrected_and_the_corrected_one_passes(
    caller: Caller, path: str, sent: Any, advice: str
) -> None:
    text, tenant = sent if isinstance(sent, str) else json.dumps(sent), caller.tenant

    page = caller.load_page(caller.send(path, text))

    assert advice in page
    assert html.escape(text).split('"')[0][:5] in html.escape(page)
    command = re.sub("<[^>]+>", "", re.search(r'id="corrected-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)[1])  # type: ignore[index]
    command = command.replace("YOUR_API_KEY", tenant.key).replace(_host(command), tenant.url)
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert json.loads(ran.stdout)["code"] == 0, (command, ran.stdout, ran.stderr)


def test_a_member_with_the_chinese_console_reads_a_refusal_in_chinese(tenant: Tenant, api: Api) -> None:
    sent = {"user_id": "kim", "query": "q", "filter": {"and": "x"}}
    answer = api.post("search/memory", json=sent)
    assert answer.json()["message"].endswith("filter.and must be a list of conditions")
    wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])
    client = sign_in_owner(tenant)
    client.post("/language/", {"language": "zh-hans", "next": "/me/"})

    page = load_page(tenant, f"{answer.headers['X-Request-Id']}/", client)

    assert "40000 · 请求参数无效" in page
    assert "filter.and 必须是条件列表" in page
    assert "检查所指参数的名称、类型和格式。" in page
    assert "must be a list" in page  # the answer itself is shown as it was sent


def _host(command: str) -> str:
    return re.search(r"http://[^/ ]+", command)[0]  # type: ignore[index]


# Of the last one curl would send the file, if it were asked to.
@pytest.mark.parametrize("sent", ["user_id=kim&query='quoted'", "@/etc/hostname"])
def test_a_body_that_is_no_json_is_shown_as_it_was_sent(caller: Caller, sent: str) -> None:
    page = caller.load_page(caller.send("search/memory", sent))

    assert re.sub("<[^>]+>", "", page).count(sent) >= 1
    curl = re.sub("<[^>]+>", "", re.search(r'id="as-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)[1])  # type: ignore[index]
    words = shlex.split(curl.replace("\\\n", " "))
    assert words[words.index(sent) - 1] == "--data-raw"


@pytest.mark.parametrize(
    "sent",
    [
        '{"user_id": "\\ud800", "query": "half"}',
        '{"user_id": "kim", "user_id": "lee", "query": "twice"}',
        "[" * 15_000,
        '{"query":' * 2_000,
        '{"user_id": "kim", "query": "q", "x": ' + "[" * 500 + "]" * 500 + "}",
        '{"user_id": "kim", "query": "q", "memory_limit_number": ' + "9" * 400 + "}",
        '{"user_id": "kim", "query": "q", "relativity": NaN}',
    ],
    ids=["half", "twice", "lists", "objects", "deep", "digits", "nan"],
)
def test_a_request_is_shown_whatever_was_sent(caller: Caller, sent: str) -> None:
    request_id = caller.send("search/memory", sent)
    row = wait_for_log_row(caller.tenant.project, request_id)
    statuses = {40300: 429, 40002: 400}
    rows: list[dict[str, Any]] = [
        {"request_id": uuid4().hex, "request_body": row.request_body, "code": code, "http_status": status}
        for code, status in statuses.items()
    ]
    store_rows(caller.tenant, *rows)

    for shown_id in (request_id, *(str(entry["request_id"]) for entry in rows)):
        shown = re.sub("<[^>]+>", "", caller.load_page(shown_id))
        assert sent[:200] in shown or "memory_limit_number" in shown


def test_a_body_that_names_half_a_character_loses_nobodys_log(
    tenant: Tenant, stranger: Tenant, api: Api
) -> None:
    with stranger.api() as other:
        answers = [
            (who, caller.post("search/memory", content=sent, headers={"Content-Type": "application/json"}))
            for _ in range(5)
            for who, caller, sent in (
                (tenant, api, b'{"user_id": "\\ud800", "query": "q"}'),
                (stranger, other, b'{"user_id": "kim", "query": "q"}'),
            )
        ]

    for who, answer in answers:
        assert wait_for_log_row(who.project, answer.headers["X-Request-Id"]).endpoint == "search/memory"


def test_a_call_whose_body_no_longer_mattered_is_not_shown_as_an_empty_one(tenant: Tenant, api: Api) -> None:
    """Beyond the quota a call is refused before its body is read."""
    give_plan(tenant, monthly_searches=1)
    api.search("kim", "Where do I live?")
    answer = api.call("search/memory", {"user_id": "kim", "query": "Where do I live?"})
    assert answer.json()["code"] == 40304

    row = wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])

    assert row.request_body == ""
    page = load_page(tenant, f"{row.request_id}/")
    assert "body not stored" in page
    assert "Send it again" not in page


def test_a_call_that_met_a_limit_is_to_be_sent_again(tenant: Tenant) -> None:
    store_rows(
        tenant,
        {
            "request_id": "limit",
            "code": 40300,
            "http_status": 429,
            "request_body": '{"user_id": "k", "query": "q"}',
        },
        {
            "request_id": "task",
            "code": 50131,
            "http_status": 400,
            "endpoint": "get/status",
            "request_body": "{}",
        },
        {
            "request_id": "other",
            "endpoint": "mcp/search",
            "request_body": "{}",
            "code": 40002,
            "http_status": 400,
        },
        {
            "request_id": "cut",
            "request_body": '{"query": "' + "x" * 19_989,
            "code": 40002,
            "http_status": 400,
        },
    )

    store_rows(
        tenant,
        {
            "request_id": "wide",
            "endpoint": "delete/memory",
            "code": 40000,
            "http_status": 400,
            "request_body": '{"user_id": "kim", "before": "2026-01-01"}',
        },
    )

    assert "Send it again" in load_page(tenant, "limit/")
    assert "Corrected call" not in load_page(tenant, "wide/")  # without `before` it would delete everything
    client = sign_in_owner(tenant)
    for name in ("other", "cut"):
        page = load_page(tenant, f"{name}/", client)
        assert "Corrected call" not in page
        assert "as curl" not in page


def test_a_request_leads_to_its_memories_its_end_user_and_its_key(
    tenant: Tenant, stranger: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Porto.", conversation_id="moving")
    (fact,) = api.search("kim", "Where do I live?")["memory_detail_list"]
    added = logged_row(tenant.project, "add/message")
    searched = logged_row(tenant.project, "search/memory")

    client = sign_in_owner(tenant)
    for row in (added, searched):
        page = load_page(tenant, f"{row.request_id}/", client)
        assert f"/p/{tenant.project_id}/memories/{fact['id']}/" in page, row.endpoint
        assert f'href="/p/{tenant.project_id}/users/kim/"' in page
        assert f"/p/{tenant.project_id}/logs/?key={row.api_key_id}" in page
    assert f"/p/{tenant.project_id}/conversations/?q=moving" in load_page(tenant, f"{added.request_id}/")
    # Somebody else's id is one that nothing is known of.
    store_rows(stranger, {"request_id": "theirs", "response_body": fact["id"]})
    assert fact["id"] + "/" not in load_page(stranger, "theirs/")


def test_whose_page_is_not_there_leads_to_their_other_requests(tenant: Tenant) -> None:
    store_rows(tenant, {"request_id": "refused", "code": 40002, "subjects": ["end_user:k/&", "session:17"]})

    page = load_page(tenant, "refused/")

    assert "/logs/?subject=k%2F%26" in page
    assert "/logs/?subject=17" in page
