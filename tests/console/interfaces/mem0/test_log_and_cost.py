"""Calls of mem0's clients stand in the log under names of their own, are counted, erased, and cost few queries."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.models import Conversation, MemCube, Message
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import wait_until

KIM = {"filters": {"user_id": "kim"}}


@pytest.mark.parametrize(
    ("method", "path", "body", "name", "meter"),
    [
        ("GET", "/v1/ping/", None, "mem0/ping", "other"),
        ("POST", "/v3/memories/add/", {"messages": "Hi.", "user_id": "kim"}, "mem0/add", "add"),
        ("POST", "/v1/memories/", {"messages": "Hi.", "user_id": "kim"}, "mem0/add", "add"),
        ("POST", "/v3/memories/search/", {"query": "x", **KIM}, "mem0/search", "search"),
        ("POST", "/v3/memories/", KIM, "mem0/list", "other"),
        ("GET", "/v1/memories/?user_id=kim", None, "mem0/list", "other"),
        ("DELETE", "/v1/memories/?user_id=kim", None, "mem0/delete_all", "other"),
        ("GET", "/v1/memories/0198b6a2-0000-7000-8000-00000000dead/", None, "mem0/get", "other"),
        ("PUT", "/v1/memories/0198b6a2-0000-7000-8000-00000000dead/", {"text": "x"}, "mem0/update", "other"),
        ("GET", "/v1/entities/", None, "mem0/entities", "other"),
        ("GET", "/v1/events/", None, "mem0/events", "other"),
        ("POST", "/v1/exports/", {}, "mem0/exports", "other"),
    ],
)
def test_a_call_stands_in_the_log_under_its_own_name(
    developer: Tenant, method: str, path: str, body: Any, name: str, meter: str
) -> None:
    with Mem0(developer) as mem0:
        answer = mem0.request(method, path, json=body)

    row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
    assert (row.endpoint, row.origin, row.http_status) == (name, "mem0", answer.status_code)


def test_a_source_is_the_origin_in_the_log(developer: Tenant) -> None:
    with Mem0(developer) as mem0:
        body = {"messages": "Hi.", "user_id": "kim", "source": "STRANDS"}
        answers = [
            mem0.post("/v3/memories/add/", json=body),
            mem0.get("/v1/ping/", headers={"X-Mem0-Source": "CLI"}),
            mem0.get("/v1/ping/", params={"source": "N8N"}),
        ]

    rows = [wait_for_log_row(developer.project, answer.headers["X-Request-Id"]) for answer in answers]
    assert [row.origin for row in rows] == ["STRANDS", "CLI", "N8N"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/memories/add/", {"messages": "Hi.", "filters": {"user_id": "{user}"}}),
        ("POST", "/v3/memories/", {"filters": {"AND": [{"OR": [{"user_id": {"in": ["{user}"]}}]}]}}),
        ("POST", "/v3/memories/", {"filters": {"user_id": "{user}", "tenant": "x"}}),
        ("GET", "/v1/memories/?user_id={user}", None),
        ("GET", "/v2/entities/user/{user}/profile/", None),
    ],
)
def test_the_log_row_of_a_person_whom_a_call_names_is_erased_with_them(
    developer: Tenant, user: str, method: str, path: str, body: Any
) -> None:
    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: named(item) for key, item in value.items()}
        if isinstance(value, list):
            return [named(item) for item in value]
        return value.replace("{user}", user) if isinstance(value, str) else value

    with Mem0(developer) as mem0:
        mem0.store("I live in Porto.", user)
        answer = mem0.request(method, named(path), json=named(body))
        row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
        assert f"end_user:{user}" in row.subjects
        mem0.ok("DELETE", f"/v2/entities/user/{user}/")

    with tenant_scope(developer.project):
        held = RequestLog.objects.within(developer.project).get(pk=row.pk)
        assert user not in f"{held.request_body}{held.response_body}{held.subjects}{held.subject_id}"


def test_a_run_is_deleted_with_what_was_said_in_it(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        mem0.store("The code is 4711.", "kim", run_id="r1", agent_id="bot")
        mem0.store("Something else.", "kim", agent_id="bot")
        with tenant_scope(tenant.project):
            assert Message.objects.within(tenant.project).count() == 2
        mem0.ok("DELETE", "/v2/entities/run/r1/")

        with tenant_scope(tenant.project):
            assert [message.text for message in Message.objects.within(tenant.project)] == ["Something else."]
        mem0.ok("DELETE", "/v2/entities/agent/bot/")

    with tenant_scope(tenant.project):
        assert not Message.objects.within(tenant.project).exists()
        assert not Conversation.objects.within(tenant.project).exists()
        assert MemCube.objects.within(tenant.project).filter(owner_id="kim").exists()


def test_a_repeated_call_with_a_key_is_answered_as_before(mem0: Mem0, user: str) -> None:
    body = {"messages": "Hi there.", "user_id": user, "infer": False}
    headers = {"Idempotency-Key": user}

    first, second = (mem0.post("/v3/memories/add/", json=body, headers=headers) for _ in range(2))

    assert first.json() == second.json()
    assert second.headers["Idempotent-Replayed"] == "true"


def test_a_key_of_one_deletion_is_none_for_another(mem0: Mem0, user: str) -> None:
    headers = {"Idempotency-Key": user}
    stored = [mem0.store("Hi there.", name) for name in (user, f"{user}-2")]
    paths = [f"/v1/memories/?user_id={name}" for name in (user, f"{user}-2")]

    mem0.ok("DELETE", paths[0], headers=headers)
    assert mem0.refusal("DELETE", paths[1], headers=headers)[0] == 400
    assert mem0.listed({"user_id": f"{user}-2"}) == ["Hi there."]

    again = {"Idempotency-Key": f"{user}-again"}
    answer = mem0.ok("DELETE", f"/v1/memories/{stored[1]['id']}/", headers=again)
    assert mem0.ok("DELETE", f"/v1/memories/{stored[1]['id']}/", headers=again) == answer


def test_lists_ask_the_database_as_often_for_many_as_for_few(tenant: Tenant) -> None:
    client = Client(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Token {tenant.key}")
    anybody = {"OR": [{"user_id": "*"}, {"agent_id": "*"}]}

    def asked() -> dict[str, int]:
        """Without look-ups of the key, of which there is one a second."""
        counts = {}
        for name, method, path, body in (
            ("list", "post", "/v3/memories/", {"filters": anybody}),
            ("search", "post", "/v3/memories/search/", {"query": "tea", "filters": anybody, "threshold": 0}),
            ("old list", "get", "/v1/memories/?user_id=*", None),
            ("entities", "get", "/v1/entities/", None),
            ("events", "get", "/v1/events/", None),
        ):
            with CaptureQueriesContext(connection) as queries:
                options = {"data": body, "content_type": "application/json"} if body else {}
                answer = getattr(client, method)(path, **options)
            assert answer.status_code == 200, answer.content
            counts[name] = sum("tenancy_apikey" not in query["sql"] for query in queries)
        return counts

    with Mem0(tenant) as mem0:
        mem0.store("I drink tea.", "kim", agent_id="a", run_id="r")
        asked()
        few = asked()
        for number in range(12):
            mem0.store(f"Tea {number}.", f"kim-{number}", agent_id=f"a-{number}", run_id=f"r-{number}")
        wait_until(lambda: mem0.ok("GET", "/v1/events/")["count"] == 13)

    many = asked()
    assert all(many[name] <= few[name] for name in few), (few, many)
