"""Whose call it is stands in headers too: what is repeated, logged and erased goes by whom the call is about."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest

from memories.models import Message
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, StoredAnswer
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import LIMIT, wait_until

QUESTION = "Where do I live?"


def ask(tenant: Tenant, headers: dict[str, str], **options: Any) -> httpx.Response:
    talk = [{"role": "user", "content": QUESTION}]
    return httpx.post(
        f"{tenant.url}/v1/chat/completions",
        json={"model": "engram", "messages": talk, **options},
        headers={"Authorization": f"Bearer {tenant.key}", **headers},
        trust_env=False,
        verify=False,
        timeout=LIMIT,
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"X-Engram-User": "bob"},
        {"X-Engram-Agent": "planner"},
        {"X-Engram-Conversation": "another"},
        {"X-Engram-Recall": "off"},
        {"X-Engram-Remember": "on"},
    ],
)
def test_the_same_key_and_body_with_other_headers_is_another_request(
    tenant: Tenant, api: Api, changed: dict[str, str]
) -> None:
    api.add("anna", "I live in Porto.")
    headers = {"Idempotency-Key": uuid4().hex, "X-Engram-User": "anna", "X-Engram-Remember": "off"}

    first, repeated = ask(tenant, headers), ask(tenant, headers)
    other = ask(tenant, headers | changed)

    assert "Porto" in first.text
    assert repeated.json() == first.json()
    assert repeated.headers["Idempotent-Replayed"] == "true"
    assert other.status_code == 400
    assert "another request" in other.json()["error"]["message"]
    assert "Porto" not in other.text


@pytest.mark.parametrize("named", [{"agent_id": "planner"}, {"user_id": "carol"}, {"user_ids": ["carol"]}])
def test_who_is_deleted_leaves_no_words_though_the_body_names_somebody_else(
    tenant: Tenant, api: Api, named: dict[str, Any]
) -> None:
    api.add("anna", "I live in Porto.")
    headers = {"Idempotency-Key": uuid4().hex, "X-Engram-User": "anna"}
    answer = ask(tenant, headers, **named)
    refused = ask(tenant, {"X-Engram-User": "anna"}, n=2, **named)
    rows = [
        wait_for_log_row(tenant.project, response.headers["X-Request-Id"]) for response in (answer, refused)
    ]
    assert "Porto" in answer.text
    assert [row.subject_id for row in rows] == ["anna", "anna"]

    api.data("delete/memory", {"user_id": "anna"})

    assert ask(tenant, headers, **named).status_code == 400
    with tenant_scope(tenant.project):
        stored = StoredAnswer.objects.within(tenant.project).values_list("body", flat=True)
        logged = RequestLog.objects.within(tenant.project).filter(pk__in=[row.pk for row in rows])
        assert list(stored) == [None]
        assert not any(QUESTION in row.request_body or "Porto" in row.response_body for row in logged)


def test_a_user_whose_name_a_header_says_in_utf_8_is_that_user(tenant: Tenant, api: Api) -> None:
    api.add("张三", "I live in Porto.")
    endpoint = f"{tenant.url}/v1/chat/completions"
    body = {"model": "engram", "messages": [{"role": "user", "content": QUESTION}]}
    headers = {"Authorization": f"Bearer {tenant.key}".encode(), "X-Engram-User": "张三".encode()}

    answer = httpx.post(endpoint, json=body, headers=headers, trust_env=False, verify=False, timeout=LIMIT)

    assert "Porto" in answer.text
    wait_until(lambda: any("Where do I live" in text for text in said_by(tenant, "张三")))


def said_by(tenant: Tenant, user: str) -> list[str]:
    with tenant_scope(tenant.project):
        mine = Message.objects.within(tenant.project).filter(conversation__cube__owner_id=user)
        return list(mine.values_list("text", flat=True))
