"""A memory changed by hand: search follows, the history keeps what it said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, RequestLog
from tests.support.api_client import Api, Tenant
from tests.support.expect import UNKNOWN_ID, accepted, refused
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import LIMIT, wait_until_somebody_waits

MANUAL = "The user lives in Coimbra, near the river."


def update(api: Api, memory: str, **fields: Any) -> None:
    assert accepted(api.call("update/memory", {"memory_id": memory, **fields})) == {"success": True}


def read(api: Api, memory: str) -> dict[str, Any]:
    answer: dict[str, Any] = accepted(api.get(f"get/memory/{memory}"))
    return answer


def fact(api: Api, user: str, *sentences: str) -> str:
    api.add(user, *sentences)
    return str(api.listed(user)["memory_detail_list"][0]["id"])


@pytest.fixture
def home(api: Api, user: str) -> str:
    """The id of a memory of where the user lives."""
    return fact(api, user, "I live in Porto.")


def test_a_new_text_is_found_and_the_old_one_is_not(api: Api, user: str, home: str) -> None:
    update(api, home, content=MANUAL, title=None, status=None)

    assert api.facts(user, "Who lives near the river in Coimbra?", relativity=0) == [MANUAL]
    assert "Porto" not in repr(api.listed(user)["memory_detail_list"][0]["memory_value"])


def test_the_history_says_what_it_was_and_that_the_api_changed_it(api: Api, home: str) -> None:
    update(api, home, content=MANUAL, title="Home")

    memory = read(api, home)
    assert (memory["title"], memory["version"]) == ("Home", 2)
    before = memory["history"][0]
    assert (before["content"], before["actor"]) == ("The user lives in Porto.", "api")
    assert "text, title" in before["reason"]


def test_what_is_archived_is_not_recalled_until_it_is_activated_again(api: Api, user: str, home: str) -> None:
    update(api, home, status="archived")
    assert read(api, home)["status"] == "archived"
    assert api.facts(user, "Where does the user live?", relativity=0) == []
    assert api.listed(user)["total"] == 0

    update(api, home, status="activated")
    assert len(api.facts(user, "Where does the user live?", relativity=0)) == 1


def test_what_is_activated_by_hand_holds_instead_of_what_came_since(api: Api, user: str, home: str) -> None:
    update(api, home, status="archived")
    api.add(user, "I live in Oslo.")

    update(api, home, status="activated")

    assert api.facts(user, "Where does the user live now?", relativity=0) == ["The user lives in Porto."]


def test_tags_and_info_are_replaced(api: Api, user: str, home: str) -> None:
    update(api, home, tags=["home"], info={"scene": "manual"})

    answer = api.search(
        user,
        "Where does the user live?",
        filter={"and": [{"scene": "manual"}, {"tags": {"contains": "home"}}]},
    )
    assert [item["id"] for item in answer["memory_detail_list"]] == [home]


def test_a_later_statement_replaces_what_was_changed_by_hand(api: Api, user: str, home: str) -> None:
    update(api, home, content="The user lives in Coimbra.")
    api.add(user, "I moved to Oslo.")

    assert "Coimbra" not in repr(api.listed(user))


def test_a_text_about_something_else_is_not_replaced_by_a_later_home(api: Api, user: str, home: str) -> None:
    update(api, home, content="The user plays the violin on Sundays.")
    api.add(user, "I moved to Oslo.")

    assert "violin" in repr(api.listed(user))


def test_what_changes_nothing_leaves_no_version(api: Api, home: str) -> None:
    update(api, home, content="The user lives in Porto.", status="activated")

    assert read(api, home)["version"] == 1


def test_a_text_that_another_memory_has_is_refused(api: Api, user: str, home: str) -> None:
    other = fact(api, user, "My sister works for a bank.")
    text = read(api, other)["content"]

    refused(api.call("update/memory", {"memory_id": home, "content": text}), 40000, other)

    assert read(api, home)["content"] == "The user lives in Porto."


def test_a_frozen_memory_is_never_changed(api: Api, developer: Tenant, home: str) -> None:
    with tenant_scope(developer.project):
        mine = Memory.objects.within(MemCube.objects.within(developer.project))
        mine.filter(pk=home).update(status="frozen")

    for fields in ({"content": MANUAL}, {"title": "Home"}, {"status": "archived"}, {"tags": ["home"]}):
        refused(api.call("update/memory", {"memory_id": home, **fields}), 40000, "frozen")

    memory = read(api, home)
    assert (memory["content"], memory["version"], memory["algorithm_updatable"]) == (
        "The user lives in Porto.",
        1,
        False,
    )


@pytest.mark.parametrize("unknown", [UNKNOWN_ID, "memory-1", "' OR 1=1 --"])
def test_an_unknown_memory_is_data_that_was_not_found(api: Api, unknown: str) -> None:
    refused(api.call("update/memory", {"memory_id": unknown, "title": "Home"}), 40001, unknown)


def test_anothers_memory_is_not_there(api: Api, strangers_api: Api, home: str) -> None:
    refused(strangers_api.call("update/memory", {"memory_id": home, "content": MANUAL}), 40001)

    assert read(api, home)["content"] == "The user lives in Porto."


def test_under_one_idempotency_key_it_happens_once(api: Api, home: str) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"memory_id": home, "content": MANUAL}
    accepted(api.call("update/memory", body, headers=headers))
    update(api, home, content="The user lives in Braga.")

    again = api.call("update/memory", body, headers=headers)

    assert accepted(again) == {"success": True}
    assert again.headers["Idempotent-Replayed"] == "true"
    assert read(api, home)["content"] == "The user lives in Braga."


def test_the_audit_names_the_fields_and_no_words(api: Api, developer: Tenant, home: str) -> None:
    update(api, home, content=MANUAL)

    with tenant_scope(developer.project):
        event = AuditEvent.objects.within(developer.project.account).get(object_id=home)
    assert (event.action, event.actor) == ("memory.updated", None)
    assert event.detail.keys() == {"fields"}
    assert {"text"} <= set(event.detail["fields"]) <= {"tags", "text", "title"}


def test_a_deleted_users_words_leave_the_log_of_changes_too(
    api: Api, developer: Tenant, user: str, home: str
) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"memory_id": home, "content": f"Their secret is {user}."}
    answers = [api.call("update/memory", body, headers=headers) for _ in range(2)]
    answers.append(api.call("update/memory", {"memory_id": home, "content": user, "status": "lost"}))
    read(api, home)
    answers.append(api.call("delete/memory", {"user_id": user}))

    assert [answer.json()["code"] for answer in answers] == [0, 0, 40000, 0]
    for answer in answers:
        wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
    with tenant_scope(developer.project):
        rows = RequestLog.objects.within(developer.project).filter(endpoint__contains="memory")
        assert rows.filter(endpoint="update/memory").exists()
        mentions = rows.filter(request_body__contains=user) | rows.filter(response_body__contains=user)
        assert not mentions.exclude(endpoint="delete/memory").exists()


def test_what_was_merged_into_another_memory_cannot_be_put_back(
    api: Api, developer: Tenant, home: str
) -> None:
    with tenant_scope(developer.project):
        mine = Memory.objects.within(MemCube.objects.within(developer.project))
        assert mine.filter(pk=home).update(status="merged") == 1

    refused(api.call("update/memory", {"memory_id": home, "status": "activated"}), 40000, "merged")


def test_a_memory_that_is_deleted_in_the_same_moment_was_not_found(
    api: Api, developer: Tenant, home: str
) -> None:
    with ThreadPoolExecutor(1) as other:
        with tenant_scope(developer.project):
            mine = Memory.objects.within(MemCube.objects.within(developer.project))
            mine.filter(pk=home).delete()
            answer = other.submit(api.call, "update/memory", {"memory_id": home, "title": "Home"})
            wait_until_somebody_waits()

        refused(answer.result(LIMIT), 40001, home)


def test_a_text_about_another_state_takes_nothing_over_when_it_is_put_back(
    api: Api, user: str, home: str
) -> None:
    update(api, home, status="archived")
    api.add(user, "I live in Oslo.")

    update(api, home, content="The user plays the violin on Sundays.", status="activated")

    assert {"Oslo", "violin"} <= set(
        " ".join(api.facts(user, "Oslo violin", relativity=0)).replace(".", "").split()
    )


def test_the_text_of_a_tools_schema_follows_the_tool_only(api: Api, user: str) -> None:
    tool = {"name": "get_weather", "description": "Current weather", "parameters": {"type": "object"}}
    api.add(user, {"role": "user", "content": "How is the weather?", "tools": [tool]})
    schema = api.listed(user)["tool_memory_detail_list"][0]

    refused(
        api.call("update/memory", {"memory_id": schema["id"], "content": "It sends mail."}), 40000, "schema"
    )
    update(api, schema["id"], title="Weather", tags=["tools"])

    memory = read(api, schema["id"])
    assert (memory["title"], "mail" in memory["content"]) == ("Weather", False)
