"""What mem0's clients are refused, by which status, and that bad input of any kind is answered in their form."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from tenancy.keys.keys import create_key
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0

SAID = [{"role": "user", "content": "I sail."}]
KIM = {"filters": {"user_id": "kim"}}
NOBODY = "0198b6a2-0000-7000-8000-00000000dead"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "user_id"),
        ({"messages": SAID}, "user_id"),
        ({"user_id": "kim"}, "messages"),
        ({"messages": [], "user_id": "kim"}, "messages"),
        ({"messages": None, "user_id": "kim"}, "messages"),
        ({"messages": 5, "user_id": "kim"}, "messages"),
        ({"messages": ["x"], "user_id": "kim"}, "message"),
        ({"messages": [{"role": "wizard", "content": "x"}], "user_id": "kim"}, "role"),
        ({"messages": [{"role": "user", "content": " "}], "user_id": "kim"}, "content"),
        ({"messages": [{"role": "user"}], "user_id": "kim"}, "content"),
        ({"messages": [{"role": "user", "content": 5}], "user_id": "kim"}, "content"),
        ({"messages": [{"role": "user", "content": {"type": "video"}}], "user_id": "kim"}, "video"),
        (
            {
                "messages": {"content": {"type": "text", "text": "hi", "pdf_url": {"url": "x"}}},
                "user_id": "kim",
            },
            "text takes no pdf_url",
        ),
        ({"messages": SAID * 501, "user_id": "kim"}, "500"),
        ({"messages": SAID, "user_id": ""}, "user_id"),
        ({"messages": SAID, "user_id": 7}, "user_id"),
        ({"messages": SAID, "user_id": "*"}, "user_id"),
        ({"messages": SAID, "user_id": "kim", "custom_categories": ["x"]}, "custom_categories"),
        ({"messages": SAID, "user_id": "x" * 101}, "user_id"),
        ({"messages": SAID, "run_id": "x" * 101}, "run_id"),
        ({"messages": SAID, "filters": {"user": "kim"}}, "filters.user"),
        ({"messages": SAID, "filters": ["kim"]}, "filters"),
        ({"messages": SAID, "user_id": "kim", "metadata": [1]}, "metadata"),
        ({"messages": SAID, "user_id": "kim", "metadata": {"a": "x" * 20_000}}, "metadata"),
        ({"messages": SAID, "user_id": "kim", "infer": "no"}, "infer"),
        ({"messages": SAID, "user_id": "kim", "immutable": 1}, "immutable"),
        ({"messages": SAID, "user_id": "kim", "async_mode": 0}, "async_mode"),
        ({"messages": SAID, "user_id": "kim", "expiration_date": "31.12.2026"}, "expiration_date"),
        ({"messages": SAID, "user_id": "kim", "expiration_date": "2026-02-30"}, "expiration_date"),
        ({"messages": SAID, "user_id": "kim", "expiration_date": "2026-12-31T00:00:00"}, "expiration_date"),
        ({"messages": SAID, "user_id": "kim", "timestamp": "now"}, "timestamp"),
        ({"messages": SAID, "user_id": "kim", "timestamp": 1e30}, "timestamp"),
        ({"messages": SAID, "user_id": "kim", "timestamp": True}, "timestamp"),
        (
            {
                "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
                "user_id": "k",
                "infer": False,
            },
            "infer",
        ),
    ],
)
def test_an_addition_that_is_not_right_is_refused_by_name(mem0: Mem0, body: Any, named: str) -> None:
    status, sentence = mem0.refusal("POST", "/v3/memories/add/", body)

    assert (status, named in sentence) == (400, True), sentence


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({**KIM}, "query"),
        ({**KIM, "query": "  "}, "query"),
        ({**KIM, "query": ["x"]}, "query"),
        ({**KIM, "query": "x", "top_k": 0}, "top_k"),
        ({**KIM, "query": "x", "top_k": 1001}, "top_k"),
        ({**KIM, "query": "x", "top_k": 1.5}, "top_k"),
        ({**KIM, "query": "x", "limit": 0}, "limit"),
        ({**KIM, "query": "x", "threshold": 1.1}, "threshold"),
        ({**KIM, "query": "x", "threshold": "high"}, "threshold"),
        ({**KIM, "query": "x", "reference_date": "soon"}, "reference_date"),
        ({**KIM, "query": "x", "fields": 5}, "fields"),
        ({**KIM, "query": "x", "metadata": "x"}, "metadata"),
        ({**KIM, "query": "x", "show_expired": "perhaps"}, "show_expired"),
        ({"query": "x", "user_id": "kim"}, "user_id"),
        ({"query": "x", "user_id": "kim", **KIM}, "user_id"),
    ],
)
def test_a_search_that_is_not_right_is_refused_by_name(mem0: Mem0, body: Any, named: str) -> None:
    status, sentence = mem0.refusal("POST", "/v3/memories/search/", body)

    assert (status, named in sentence) == (400, True), sentence


@pytest.mark.parametrize("named", ["page_size", "limit", "top_k"])
def test_a_size_of_a_page_is_refused_under_the_name_that_it_was_sent_with(mem0: Mem0, named: str) -> None:
    status, sentence = mem0.refusal("POST", "/v3/memories/", {**KIM, named: 0})

    assert (status, f"{named}: must be" in sentence) == (400, True), sentence


@pytest.mark.parametrize("query", ["user_id=", "user_id=kim&agent_id=%20", "run_id=" + "x" * 101])
def test_an_id_that_nobody_has_is_refused_by_the_name_that_it_has_in_the_query(
    mem0: Mem0, query: str
) -> None:
    named = query.split("&")[-1].partition("=")[0]

    status, sentence = mem0.refusal("DELETE", f"/v1/memories/?{query}")

    assert (status, f": {named}" in sentence, "filters" in sentence) == (400, True, False), sentence


@pytest.mark.parametrize(
    "query", ["page=0", "page_size=0", "page_size=201", "page=x", "page=-1", "page_size=1e2"]
)
def test_a_page_that_there_cannot_be_is_refused(mem0: Mem0, query: str) -> None:
    assert mem0.refusal("POST", f"/v3/memories/?{query}", KIM)[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/memories/nonsense/", None, 400),
        ("GET", f"/v1/memories/{NOBODY}/", None, 404),
        ("GET", f"/v1/memories/{NOBODY}%2Fhistory/", None, 400),
        ("GET", "/v1/memories/%00/", None, 400),
        ("GET", "/v1/memories/%ff/", None, 400),
        ("PUT", f"/v1/memories/{NOBODY}/", {}, 404),
        ("PUT", "/v1/memories/nonsense/", {"text": "x"}, 400),
        ("GET", f"/v1/memories/{NOBODY}/history/", None, 404),
        ("DELETE", f"/v1/memories/{NOBODY}/?delete_linked=perhaps", None, 400),
        ("PUT", "/v1/batch/", {}, 400),
        ("PUT", "/v1/batch/", {"memories": []}, 400),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": "x", "text": "y"}]}, 400),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": NOBODY}]}, 400),
        ("DELETE", "/v1/batch/", {"memories": [{"memory_id": NOBODY}] * 1001}, 400),
        ("DELETE", "/v1/batch/", {"memories": ["x"]}, 400),
        ("DELETE", "/v1/batch/", None, 400),
        ("GET", "/v1/event/nonsense/", None, 400),
        ("GET", f"/v1/event/{NOBODY}/", None, 404),
        ("GET", "/v1/events/?page=0", None, 400),
        ("GET", "/v1/entities/?page_size=0", None, 400),
        ("DELETE", "/v2/entities/planet/mars/", None, 400),
        ("DELETE", "/v2/entities/user/nobody/", None, 404),
        ("DELETE", f"/v1/entities/user/{'x' * 101}/", None, 400),
        ("GET", "/v2/entities/agent/nobody/", None, 404),
        ("GET", "/v2/entities/user/nobody/profile/", None, 404),
        ("GET", "/v2/entities/agent/nobody/profile/", None, 400),
        ("POST", "/v1/feedback/", {"memory_id": "x", "feedback": "POSITIVE"}, 400),
        ("POST", "/v1/feedback/", {"memory_id": NOBODY, "feedback": "POSITIVE"}, 404),
        ("POST", "/v1/exports/", {"schema": {}, **KIM}, 404),
        ("POST", "/v1/exports/get/", {"memory_export_id": NOBODY}, 404),
        ("POST", "/v1/summary/", KIM, 400),
        ("GET", "/v2/profiles/settings/", None, 400),
        ("POST", "/v2/profiles/jobs/", {"operation": "trigger"}, 400),
        ("GET", f"/v2/profiles/jobs/{NOBODY}/", None, 400),
        ("GET", "/v1/stats/", None, 404),
        ("GET", "/v1/entities/filters/", None, 404),
        ("GET", "/v1/memories/events/", None, 404),
        ("GET", "/v1/memories/user/kim/", None, 404),
        ("POST", "/v1/users/", {}, 404),
        ("GET", "/api/v1/webhooks/projects/x/", None, 404),
        ("DELETE", "/api/v1/webhooks/7/", None, 404),
        ("GET", "/api/v1/orgs/organizations/", None, 403),
        ("POST", "/api/v1/orgs/organizations/x/projects/", {"name": "x"}, 403),
        ("GET", "/api/v1/orgs/organizations/x/projects/y/", None, 404),
        ("GET", "/api/v1/orgs/organizations/x/projects/y/members/", None, 403),
        ("PATCH", "/v1/ping/", {}, 405),
        ("DELETE", "/v3/memories/add/", None, 405),
        ("OPTIONS", "/v3/memories/search/", None, 405),
    ],
)
@pytest.mark.parametrize("prefix", ["", "/api/mem0"])
def test_what_is_not_there_or_not_right_has_the_status_that_clients_know(
    mem0: Mem0, prefix: str, method: str, path: str, body: Any, status: int
) -> None:
    assert mem0.refusal(method, f"{prefix}{path}", body)[0] == status


def test_feedback_of_another_kind_is_refused(mem0: Mem0, user: str) -> None:
    key = mem0.store("I sail.", user)["id"]

    for wrong in ("positive", "", 5, ["POSITIVE"]):
        assert mem0.refusal("POST", "/v1/feedback/", {"memory_id": key, "feedback": wrong})[0] == 400
    body = {"memory_id": key, "feedback": "NEGATIVE", "feedback_reason": 5}
    assert mem0.refusal("POST", "/v1/feedback/", body)[0] == 400


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"text": None},
        {"text": ""},
        {"text": 5},
        {"metadata": [1]},
        {"metadata": {"a": "x" * 20_000}},
        {"timestamp": "soon"},
        {"expiration_date": "soon"},
        {"expiration_date": 5},
        {"unknown": 1},
    ],
)
def test_a_change_that_is_not_right_changes_nothing(mem0: Mem0, user: str, change: dict[str, Any]) -> None:
    path = f"/v1/memories/{mem0.store('I sail.', user)['id']}/"
    before = mem0.ok("GET", path)

    assert mem0.refusal("PUT", path, change)[0] == 400

    assert mem0.ok("GET", path) == before


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/nope", "/v1/nope/", "/v2", "/v3/x/y", "/v1/models/x", "/api/mem0/v9/x"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_address_is_readable_for_mem0_and_openai_clients(
    mem0: Mem0, path: str, method: str
) -> None:
    answer = mem0.request(method, path)

    assert answer.status_code in {404, 405}
    assert answer.headers["X-Request-Id"]
    body = answer.json()
    assert isinstance(body["detail"], str)
    assert body["detail"] in body["error"]["message"]
    assert body["error"]["type"]
    assert isinstance(body["code"], int)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'"x"',
        b'{"a": NaN}',
        b'{"user_id": "a\\u0000"}',
        b'{"query": "x", "filters": {"user_id": "\\ud800"}}',
        b'{"filters": ' + b'{"AND": [' * 70 + b"]}" * 70 + b"}",
        b"\xff\xfe",
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        "/v3/memories/add/",
        "/v3/memories/search/",
        "/v3/memories/",
        "/v1/memories/",
        "/v1/feedback/",
        "/v1/batch/",
    ],
)
def test_a_body_that_is_no_body_is_refused(developer: Tenant, path: str, body: bytes) -> None:
    connection = http.client.HTTPConnection(urlsplit(developer.url).netloc, timeout=120)
    headers = {"Authorization": f"Token {developer.key}", "Content-Type": "application/json"}
    connection.request("PUT" if "batch" in path else "POST", path, body, headers)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()

    assert answer.status == 400
    assert isinstance(content["detail"], str)


def test_a_body_that_is_too_large_is_refused_in_the_clients_form(mem0: Mem0) -> None:
    large = {"messages": [{"role": "user", "content": "x" * 11_000_000}], "user_id": "kim"}

    for path in ("/v3/memories/add/", "/api/mem0/v3/memories/add/"):
        assert mem0.refusal("POST", path, large)[0] == 413


def test_a_key_without_a_scope_is_refused(tenant: Tenant) -> None:
    reader = create_key(tenant.project, "reader", scopes=["read"]).plaintext
    with Mem0(tenant) as owner, Mem0(tenant, key=reader) as mem0:
        stored = owner.store("I sail.", "kim")

        assert mem0.listed({"user_id": "kim"}) == ["I sail."]
        assert mem0.search("sail", {"user_id": "kim"})
        assert mem0.refusal("POST", "/v3/memories/add/", {"messages": SAID, "user_id": "kim"})[0] == 401
        assert mem0.refusal("PUT", f"/v1/memories/{stored['id']}/", {"text": "x"})[0] == 401
        for path in (f"/v1/memories/{stored['id']}/", "/v1/memories/?user_id=kim", "/v2/entities/user/kim/"):
            assert mem0.refusal("DELETE", path)[0] == 403


def test_too_many_requests_say_when_to_come_back(tenant: Tenant) -> None:
    give_plan(tenant, most_requests_per_second=1)

    with Mem0(tenant) as mem0:
        answers = [mem0.get("/v1/ping/") for _ in range(30)]

    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert limited[0].headers["Retry-After"].isdecimal()
    assert limited[0].headers["X-RateLimit-Limit"] == "1"
    assert limited[0].headers["X-RateLimit-Remaining"] == "0"
    assert int(limited[0].headers["X-RateLimit-Reset"]) > 1_700_000_000
    assert isinstance(limited[0].json()["detail"], str)
