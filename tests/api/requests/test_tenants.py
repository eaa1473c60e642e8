"""Another developer's key gets for every id exactly what a made-up id gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from tenancy.keys.keys import create_key
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.tenants import make_tenant

SECRET = "I live in Porto."


@dataclass(frozen=True)
class Owner:
    """Who holds something, and the ids of it."""

    tenant: Tenant
    user: str
    memory: str
    task: str


@pytest.fixture(scope="module")
def owner(stack: Stack) -> Owner:
    tenant = make_tenant(stack)
    user = f"kim-{uuid4().hex[:8]}"
    with tenant.api() as api:
        task = api.add(user, SECRET, info={"scene": user}, agent_id=user, app_id=user)["task_id"]
        memory = api.listed(user)["memory_detail_list"][0]["id"]
    return Owner(tenant, user, memory, task)


def asks(user: str, memory: str, task: str) -> list[tuple[str, dict[str, Any]]]:
    """Every endpoint with every id it takes."""
    subject = {"user_id": user}
    of_agent = {"agent_id": user}
    unkept = {"add_message_on_answer": False}
    narrowed = {"filter": {"or": [{"scene": user}, {"agent_id": user}, {"app_id": user}]}}
    return [
        ("search/memory", {**subject, "query": SECRET, "relativity": 0}),
        ("search/memory", {**of_agent, "query": SECRET, "relativity": 0}),
        ("search/memory", {"user_id": "me", "query": SECRET, "relativity": 0, **of_agent, **narrowed}),
        ("search/memory", {"user_id": "me", "query": SECRET, "relativity": 0, "conversation_id": "talk"}),
        ("chat", {**subject, "query": SECRET, "conversation_id": "talk", "relativity": 0, **unkept}),
        ("get/memory", subject),
        ("get/memory", of_agent),
        ("get/memory", {**subject, **narrowed}),
        ("get/message", {**subject, "conversation_id": "talk"}),
        ("get/status", {"task_id": task}),
        ("get/status", {"task_id": task.upper()}),
        ("update/memory", {"memory_id": memory, "content": "The user lives in Oslo."}),
        ("delete/memory", {"memory_ids": [memory]}),
        ("delete/memory", {"memory_ids": [memory], "user_ids": [user]}),
        ("delete/memory", subject),
        ("delete/memory", of_agent),
        ("delete/memory", {**subject, "memory_type": "detail_factual"}),
        ("delete/memory", narrowed),
    ]


def without_names(answer: httpx.Response, *names: str) -> tuple[int, str, list[str]]:
    """Status, body and names of headers, with the ids that were asked for taken out of the words."""
    text = answer.text
    for name in names:
        text = text.replace(name.upper(), "?").replace(name, "?")
    return answer.status_code, text, sorted(answer.headers)


@pytest.mark.parametrize("number", range(len(asks("", "", ""))))
def test_what_is_anothers_is_answered_like_what_never_was(
    strangers_api: Api, owner: Owner, number: int
) -> None:
    theirs = (owner.user, owner.memory, owner.task)
    made_up = (f"kim-{uuid4().hex[:8]}", str(uuid4()), str(uuid4()))

    path, foreign = asks(*theirs)[number]
    _, absent = asks(*made_up)[number]

    answers = strangers_api.call(path, foreign), strangers_api.call(path, absent)
    assert without_names(answers[0], *theirs) == without_names(answers[1], *made_up)
    assert "Porto" not in answers[0].text


def test_nothing_that_strangers_did_touched_the_owners_memories(stranger: Tenant, owner: Owner) -> None:
    with stranger.api() as strangers_api:
        strangers_api.add(owner.user, "I live in Oslo.", allow_public=True)
        for path, body in asks(owner.user, owner.memory, owner.task):
            strangers_api.call(path, body)

    with owner.tenant.api() as api:
        listed = api.listed(owner.user)["memory_detail_list"]
        assert [memory["id"] for memory in listed] == [owner.memory]
        assert api.status(owner.task) == "completed"
        assert not any("Oslo" in fact for fact in api.facts(owner.user, "Oslo", relativity=0))


def test_two_developers_have_users_of_the_same_name(strangers_api: Api, api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    strangers_api.add(user, "I live in Oslo.")

    assert "Oslo" not in repr(api.listed(user))
    assert "Porto" not in repr(strangers_api.listed(user))
    strangers_api.data("delete/memory", {"user_id": user})
    assert "Porto" in repr(api.listed(user))


def test_a_key_of_another_project_of_the_account_reaches_nothing_either(owner: Owner) -> None:
    second = Project.objects.create(account=owner.tenant.project.account, name=uuid4().hex[:8])
    with owner.tenant.api(create_key(second, "second").plaintext) as api:
        assert api.listed(owner.user)["total"] == 0
        assert api.call("get/status", {"task_id": owner.task}).json()["code"] == 50131
        assert api.call("delete/memory", {"memory_ids": [owner.memory]}).json()["code"] in {40306, 40307}
