"""Refused calls of mem0's and OpenAI's clients and of MCP, corrected in their own protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.test import Client

from console.embedded.stack import Stack
from tenancy.models import RequestLog
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.logged_calls import command_in, load_log_page, run
from tests.support.tasks.request_log import logged_row, store_rows, wait_for_log_row
from tests.support.tenants import make_tenant

MCP = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def tenant(stack: Stack) -> Tenant:
    """One for all: each test looks at its own request."""
    return make_tenant(stack)


@pytest.fixture(scope="module")
def owner(tenant: Tenant) -> Client:
    return sign_in_owner(tenant)


@pytest.fixture(scope="module")
def http(tenant: Tenant) -> Iterator[httpx.Client]:
    key = {"Authorization": f"Bearer {tenant.key}"}
    with httpx.Client(base_url=tenant.url, headers=key, trust_env=False, verify=False, timeout=120) as client:
        yield client


Send = Callable[..., RequestLog]


@pytest.fixture
def send(tenant: Tenant, http: httpx.Client) -> Send:
    """The call's row in the log."""

    def send_and_find(
        path: str, body: dict[str, Any], headers: dict[str, str] | None = None, method: str = "POST"
    ) -> RequestLog:
        answer = http.request(method, path, json=body, headers=headers)
        return wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])

    return send_and_find


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    call = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}


TALK = [{"role": "user", "content": "I live in Porto."}]


@pytest.mark.parametrize(
    ("path", "body", "advice", "kept"),
    [
        (
            "/v3/memories/search/",
            {"query": "Where?", "filters": {"user_id": "kim"}, "threshold": 7},
            "Change threshold from 7 to 1.",
            ["/v3/memories/search/", '"user_id": "kim"'],
        ),
        (
            "/v3/memories/search/",
            {"query": "Where?", "user_id": "kim"},
            "Move user_id into filters.",
            ['"filters": {', '"user_id": "kim"'],
        ),
        ("/v3/memories/search/", {"filters": {"user_id": "kim"}}, "Add query, for example", ["kim"]),
        (
            "/v1/memories/search/",
            {"query": "it's where?", "user_id": "kim", "threshold": "high"},
            "Change threshold from",
            ["/v1/memories/search/", "kim"],
        ),
        ("/v3/memories/add/", {"messages": TALK}, "Add user_id, for example", ["/v3/memories/add/"]),
        (
            "/v3/memories/add/",
            {"messages": TALK, "user_id": "kim", "immutable": "yes"},
            "Change immutable from",
            ["I live in Porto."],
        ),
        ("/v3/memories/", {"filters": {"user_id": "kim"}, "page_size": 9_000}, "Change page_size", ["kim"]),
        ("/v1/chat/completions", {"messages": TALK}, "Add user, for example", ["Bearer", "I live in Porto."]),
        (
            "/v1/chat/completions",
            {"messages": TALK, "user": "kim", "temperature": 9},
            "Change temperature from 9 to 2.",
            ["/v1/chat/completions", '"user": "kim"'],
        ),
        (
            "/v1/chat/completions",
            {"messages": TALK, "user": "kim", "n": 3},
            "Change n from 3 to 1.",
            ['"user": "kim"'],
        ),
    ],
)  # fmt: skip
def test_a_call_of_another_protocol_is_corrected_in_it(
    tenant: Tenant, owner: Client, send: Send, path: str, body: dict[str, Any], advice: str, kept: list[str]
) -> None:
    page = load_log_page(tenant, send(path, body).request_id, owner)

    assert advice in page
    command = command_in(page, tenant)
    assert all(text in command for text in kept)
    answer = run(command)
    assert "error" not in answer, (command, answer)
    assert "detail" not in answer, (command, answer)


@pytest.mark.parametrize(
    ("name", "arguments", "headers", "advice", "kept"),
    [
        (
            "search_memory",
            {
                "query": "Where?",
                "conversation_first_message": "Hi",
                "filter": {"and": "x"},
            },
            {"X-Engram-User": "kim"},
            "Remove filter.",
            ["X-Engram-User: kim", '"name": "search_memory"', '"query": "Where?"'],
        ),
        (
            "add_message",
            {"messages": [{"role": "person", "content": "Hi"}], "conversation_first_message": "Hi"},
            {"X-Engram-User": "kim"},
            "Change messages",
            ['"tools/call"', "add_message"],
        ),
        (
            "search_memory",
            {"query": "Where?", "conversation_first_message": "Hi"},
            {"X-Engram-User": "k" * 130},
            "Change user_id from",
            ["X-Engram-User: kkk"],
        ),
    ],
)
def test_a_tools_call_is_corrected_as_json_rpc(
    stranger: Tenant,
    http: httpx.Client,
    name: str,
    arguments: dict[str, Any],
    headers: dict[str, str],
    advice: str,
    kept: list[str],
) -> None:
    """Of a tenant of its own: an answer of MCP does not name its request."""
    key = {"Authorization": f"Bearer {stranger.key}"}
    http.post("/mcp", json=tool(name, **arguments), headers=MCP | key | headers)

    page = load_log_page(stranger, logged_row(stranger.project, f"mcp/{name}").request_id)

    assert advice in page
    command = command_in(page, stranger)
    assert all(text in command for text in kept)
    answer = run(command)
    assert answer["result"]["isError"] is False, (command, answer)


def test_a_user_in_a_header_is_not_asked_for_in_the_body(tenant: Tenant, owner: Client, send: Send) -> None:
    body = {"messages": TALK, "temperature": 9}
    row = send("/v1/chat/completions", body, {"X-Engram-User": "kim", "X-Engram-Agent": "guide"})

    page = load_log_page(tenant, row.request_id, owner)

    assert "Change temperature from 9 to 2." in page
    assert "Add user" not in page
    command = command_in(page, tenant)
    assert "X-Engram-User: kim" in command
    assert "error" not in run(command)


def test_an_agent_in_a_header_is_called_again_too(tenant: Tenant, owner: Client, send: Send) -> None:
    row = send("/v1/chat/completions", {"messages": TALK, "n": 3}, {"X-Engram-Agent": "guide"})

    command = command_in(load_log_page(tenant, row.request_id, owner), tenant)

    assert "X-Engram-Agent: guide" in command
    assert "error" not in run(command)


def test_who_is_named_beside_the_header_of_a_refused_call_is_noted_too(send: Send) -> None:
    body = {"messages": TALK, "temperature": 9, "user": "lee"}

    row = send("/v1/chat/completions", body, {"X-Engram-User": "kim"})

    assert row.subjects == ["end_user:kim", "end_user:lee"]


def test_what_was_answered_is_shown_as_curl_that_works(
    tenant: Tenant, owner: Client, http: httpx.Client
) -> None:
    body, headers = tool("get_user_profile", current=1, size=5), MCP | {"X-Engram-User": "kim"}
    http.post("/mcp", json=body, headers=headers)

    page = load_log_page(tenant, logged_row(tenant.project, "mcp/get_user_profile").request_id, owner)

    answer = run(command_in(page, tenant, "as-curl"))
    assert answer["result"]["structuredContent"]["code"] == 0


ENDPOINTS = (
    "mcp/add_message mcp/add_kb_document mcp/search_memory mcp/none mem0/search mem0/add mem0/list mem0/update "
    "mem0/batch_update openai/chat/completions openai/models"
).split()


@pytest.mark.parametrize(
    "sent",
    ["{}", '{"messages": 7, "file": [1], "filters": [], "metadata": 3, "memories": [[], 7, {}]}', "no JSON"],
)
def test_a_page_is_shown_whatever_was_sent(tenant: Tenant, owner: Client, sent: str) -> None:
    odd = {"code": 40000, "http_status": 400, "request_body": sent}
    busy = odd | {"code": 40300, "http_status": 429}
    rows = [odd | {"request_id": uuid4().hex, "endpoint": endpoint} for endpoint in ENDPOINTS]
    # Of which nothing is corrected, whatever the endpoint.
    rows.append(busy | {"request_id": uuid4().hex, "endpoint": "mem0/update"})
    store_rows(tenant, *rows)

    assert all(load_log_page(tenant, str(row["request_id"]), owner) for row in rows)


@pytest.mark.parametrize(
    ("method", "path", "body", "advice"),
    [
        ("POST", "session/{session}/messages", {"blob": "Hi"}, "Change blob from"),
        ("POST", "session/{session}/messages", {"message": {"role": "user", "content": "Hi"}}, "Add blob"),
        ("PATCH", "session/{session}/configs", {"configs": "x"}, "Change configs from"),
        ("PATCH", "learning_spaces/{space}", {"meta": "x"}, "Change meta from"),
        ("POST", "learning_spaces/{space}/learn", {"session": "{session}"}, "Add session_id"),
    ],
)
def test_a_call_with_an_id_in_its_address_is_corrected_at_it(
    tenant: Tenant,
    owner: Client,
    send: Send,
    ids: dict[str, str],
    method: str,
    path: str,
    body: dict[str, Any],
    advice: str,
) -> None:
    address = f"/api/v1/{path.format(**ids)}"
    row = send(address, body, method=method)
    assert row.http_status == 400

    page = load_log_page(tenant, row.request_id, owner)

    assert advice in page
    command = command_in(page, tenant)
    assert f"-X {method}" in command
    assert address in command


@pytest.fixture(scope="module")
def ids(http: httpx.Client) -> dict[str, str]:
    made = {"session": "session", "space": "learning_spaces"}
    return {name: http.post(f"/api/v1/{path}", json={}).json()["data"]["id"] for name, path in made.items()}


def test_names_in_addresses_are_not_kept(tenant: Tenant, http: httpx.Client) -> None:
    answers = [http.get(f"/api/v1/{path}") for path in ("user/kim/resources", "session?user=kim")]

    rows = [wait_for_log_row(tenant.project, answer.headers["X-Request-Id"]) for answer in answers]

    assert [row.path for row in rows] == ["", ""]
