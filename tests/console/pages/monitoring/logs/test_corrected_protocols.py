"""Refused calls of mem0's and OpenAI's clients and of MCP, corrected in their own protocol."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.logged_calls import command_in, load_log_page, refused_row, run
from tests.support.tasks.request_log import store_rows
from tests.support.waiting import look_until

MCP = {"Accept": "application/json, text/event-stream"}


def send(tenant: Tenant, path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    headers = {"Authorization": f"Bearer {tenant.key}", **(headers or {})}
    httpx.post(f"{tenant.url}{path}", json=body, headers=headers, trust_env=False, verify=False, timeout=120)


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
    tenant: Tenant, path: str, body: dict[str, Any], advice: str, kept: list[str]
) -> None:
    send(tenant, path, body)

    page = load_log_page(tenant, refused_row(tenant).request_id)

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
    tenant: Tenant,
    name: str,
    arguments: dict[str, Any],
    headers: dict[str, str],
    advice: str,
    kept: list[str],
) -> None:
    send(tenant, "/mcp", tool(name, **arguments), MCP | headers)

    page = load_log_page(tenant, refused_row(tenant).request_id)

    assert advice in page
    command = command_in(page, tenant)
    assert all(text in command for text in kept)
    answer = run(command)
    assert answer["result"]["isError"] is False, (command, answer)


def test_a_user_in_a_header_is_not_asked_for_in_the_body(tenant: Tenant) -> None:
    body = {"messages": TALK, "temperature": 9}
    send(tenant, "/v1/chat/completions", body, {"X-Engram-User": "kim", "X-Engram-Agent": "guide"})

    page = load_log_page(tenant, refused_row(tenant).request_id)

    assert "Change temperature from 9 to 2." in page
    assert "Add user" not in page
    command = command_in(page, tenant)
    assert "X-Engram-User: kim" in command
    assert "error" not in run(command)


def test_an_agent_in_a_header_is_called_again_too(tenant: Tenant) -> None:
    send(tenant, "/v1/chat/completions", {"messages": TALK, "n": 3}, {"X-Engram-Agent": "guide"})

    command = command_in(load_log_page(tenant, refused_row(tenant).request_id), tenant)

    assert "X-Engram-Agent: guide" in command
    assert "error" not in run(command)


def test_who_is_named_beside_the_header_of_a_refused_call_is_noted_too(tenant: Tenant) -> None:
    body = {"messages": TALK, "temperature": 9, "user": "lee"}
    send(tenant, "/v1/chat/completions", body, {"X-Engram-User": "kim"})

    assert refused_row(tenant).subjects == ["end_user:kim", "end_user:lee"]


def test_what_was_answered_is_shown_as_curl_that_works(tenant: Tenant, api: Api) -> None:
    send(tenant, "/mcp", tool("get_user_profile", current=1, size=5), MCP | {"X-Engram-User": "kim"})
    look_until(lambda: "get_user_profile" in str(all_endpoints(tenant)), bool)

    with tenant_scope(tenant.project):
        row = RequestLog.objects.within(tenant.project).get(endpoint="mcp/get_user_profile")
    page = load_log_page(tenant, row.request_id)

    answer = run(command_in(page, tenant, "as-curl"))
    assert answer["result"]["structuredContent"]["code"] == 0


def all_endpoints(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.project):
        return list(RequestLog.objects.within(tenant.project).values_list("endpoint", flat=True))


ENDPOINTS = (
    "mcp/add_message mcp/add_kb_document mcp/search_memory mcp/none mem0/search mem0/add mem0/list mem0/update "
    "mem0/batch_update openai/chat/completions openai/models"
).split()


@pytest.mark.parametrize(
    "sent",
    ["{}", '{"messages": 7, "file": [1], "filters": [], "metadata": 3, "memories": [[], 7, {}]}', "no JSON"],
)
def test_a_page_is_shown_whatever_was_sent(tenant: Tenant, sent: str) -> None:
    odd = {"code": 40000, "http_status": 400, "request_body": sent}
    rows = [
        odd | {"request_id": f"odd-{number}", "endpoint": endpoint}
        for number, endpoint in enumerate(ENDPOINTS)
    ]
    rows += [
        odd | {"request_id": f"busy-{number}", "endpoint": endpoint, "code": 40300, "http_status": 429}
        for number, endpoint in enumerate(("mcp/add_message", "mem0/update", "openai/chat/completions"))
    ]
    store_rows(tenant, *rows)
    client = sign_in_owner(tenant)

    assert all(load_log_page(tenant, str(row["request_id"]), client) for row in rows)


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
    tenant: Tenant, method: str, path: str, body: dict[str, Any], advice: str
) -> None:
    key = {"Authorization": f"Bearer {tenant.key}"}
    with httpx.Client(
        base_url=f"{tenant.url}/api/v1/", headers=key, trust_env=False, verify=False, timeout=120
    ) as http:
        ids = {
            "session": http.post("session", json={}).json()["data"]["id"],
            "space": http.post("learning_spaces", json={}).json()["data"]["id"],
        }
        assert http.request(method, path.format(**ids), json=body).status_code == 400

    page = load_log_page(tenant, refused_row(tenant).request_id)

    assert advice in page
    command = command_in(page, tenant)
    assert f"-X {method}" in command
    assert f"/api/v1/{path.format(**ids)}" in command


def test_names_in_addresses_are_not_kept(tenant: Tenant) -> None:
    key = {"Authorization": f"Bearer {tenant.key}"}
    httpx.get(
        f"{tenant.url}/api/v1/user/kim/resources", headers=key, trust_env=False, verify=False, timeout=120
    )
    httpx.get(
        f"{tenant.url}/api/v1/session?user=kim", headers=key, trust_env=False, verify=False, timeout=120
    )

    look_until(lambda: all_endpoints(tenant), lambda endpoints: len(endpoints) == 2)

    with tenant_scope(tenant.project):
        assert set(RequestLog.objects.within(tenant.project).values_list("path", flat=True)) == {""}
