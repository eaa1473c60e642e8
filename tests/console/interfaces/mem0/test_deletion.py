"""What mem0's clients delete, change in batches, rate and list, over the raw wire."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.test import Client

from console.interfaces.mem0 import memories
from console.interfaces.mem0.memories import find_personal
from memories.feedback.ratings import Rating, rate_memory
from memories.models import MemCube, Memory
from tenancy.errors import MemoryBeingRefined, NotFound
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0

NOBODY = "0198b6a2-0000-7000-8000-00000000dead"


def test_a_deleted_memory_is_gone_for_every_route(mem0: Mem0, user: str) -> None:
    path = f"/v1/memories/{mem0.store('I sail.', user)['id']}/"

    assert mem0.ok("DELETE", path)["message"]

    assert mem0.refusal("DELETE", path)[0] == 404
    assert mem0.refusal("GET", path)[0] == 404
    assert mem0.refusal("PUT", path, {"text": "x"})[0] == 404
    assert mem0.refusal("GET", f"{path}history/")[0] == 404
    assert mem0.listed({"user_id": user}) == []


def test_what_a_memory_replaced_goes_with_it_when_asked(mem0: Mem0, user: str) -> None:
    for city in ("Porto", "Oslo"):
        body = {"messages": f"I live in {city}.", "user_id": user, "async_mode": False}
        mem0.ok("POST", "/v3/memories/add/", body)
    (row,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": user}})["results"]
    assert "Oslo" in row["memory"]

    answer = mem0.ok("DELETE", f"/v1/memories/{row['id']}/?delete_linked=true")

    assert answer["cascade_count"] == 1
    assert mem0.listed({"user_id": user}) == []


def test_a_history_begins_with_the_addition(mem0: Mem0, user: str) -> None:
    stored = mem0.store("I live in Porto.", user)
    mem0.ok("PUT", f"/v1/memories/{stored['id']}/", {"text": "I live in Oslo."})
    mem0.ok("PUT", f"/v1/memories/{stored['id']}/", {"text": "I live in Rome."})

    rows = mem0.ok("GET", f"/v1/memories/{stored['id']}/history/")

    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in rows] == [
        ("ADD", None, "I live in Porto."),
        ("UPDATE", "I live in Porto.", "I live in Oslo."),
        ("UPDATE", "I live in Oslo.", "I live in Rome."),
    ]
    assert rows[0]["input"] == [{"role": "user", "content": "I live in Porto."}]
    assert len({row["id"] for row in rows}) == 3
    assert {row["memory_id"] for row in rows} == {stored["id"]}
    assert all(row["created_at"] and row["user_id"] == user for row in rows)


def test_a_batch_changes_all_or_nothing(mem0: Mem0, user: str) -> None:
    ids = [mem0.store(f"Item {number}.", user)["id"] for number in range(3)]
    changes = [{"memory_id": memory_id, "text": f"Thing {number}."} for number, memory_id in enumerate(ids)]
    strange = {"memory_id": str(uuid4()), "text": "x"}

    assert mem0.refusal("PUT", "/v1/batch/", {"memories": [*changes, strange]})[0] == 404
    assert sorted(mem0.listed({"user_id": user})) == ["Item 0.", "Item 1.", "Item 2."]
    assert mem0.ok("PUT", "/v1/batch/", {"memories": changes})["message"] == "Successfully updated 3 memories"
    assert sorted(mem0.listed({"user_id": user})) == ["Thing 0.", "Thing 1.", "Thing 2."]

    assert mem0.refusal("DELETE", "/v1/batch/", {"memories": [*changes, strange]})[0] == 404
    assert len(mem0.listed({"user_id": user})) == 3
    assert "3" in mem0.ok("DELETE", "/v1/batch/", {"memories": changes})["message"]
    assert mem0.listed({"user_id": user}) == []


def test_a_refused_batch_names_the_item_that_is_wrong_and_changes_nothing(mem0: Mem0, user: str) -> None:
    kept, other = (mem0.store(f"Item {number}.", user)["id"] for number in range(2))
    wrong: list[tuple[dict[str, Any], int, str]] = [
        ({"text": 7}, 400, "memories[1].text: must be a text"),
        ({}, 400, "memories[1].text, memories[1].metadata"),
        ({"text": "x", "metadata": [1]}, 400, "memories[1].metadata: must be an object"),
        ({"expiration_date": "2026-02-30"}, 400, "memories[1].expiration_date: there is no such day"),
        ({"timestamp": "soon"}, 400, "memories[1].timestamp: "),
        ({"memory_id": NOBODY, "text": "x"}, 404, "memories[1].memory_id: memory "),
    ]

    for item, status, named in wrong:
        body = {"memories": [{"memory_id": kept, "text": "Thing."}, {"memory_id": other, **item}]}
        refused, message = mem0.refusal("PUT", "/v1/batch/", body)
        assert (refused, named in message) == (status, True), message

    assert sorted(mem0.listed({"user_id": user})) == ["Item 0.", "Item 1."]


@pytest.mark.parametrize(
    "query",
    [
        {"user_id": "{user}"},
        {"filters": "{{'user_id': '{user}'}}"},
        {"filters": '{{"user_id": "{user}"}}'},
        {"user_id": "{user}", "metadata": '{{"keep": false}}'},
        {
            "filters": "{{'AND': [{{'user_id': '{user}'}}, {{'metadata': {{'keep': False}}}}]}}",
            "source": "CLI",
        },
    ],
)
def test_all_of_one_user_is_deleted_and_of_nobody_else(mem0: Mem0, user: str, query: dict[str, str]) -> None:
    mem0.store("Mine.", user, metadata={"keep": False})
    mem0.store("Theirs.", f"{user}-2", metadata={"keep": False})
    params = {name: value.format(user=user) for name, value in query.items()}

    answer = mem0.ok("DELETE", "/v1/memories/", params=params)

    assert mem0.ok("GET", f"/v1/event/{answer['event_id']}/")["status"] == "SUCCEEDED"
    assert mem0.listed({"user_id": user}) == []
    assert mem0.listed({"user_id": f"{user}-2"}) == ["Theirs."]
    assert mem0.ok("DELETE", "/v1/memories/", params=params)["message"]


NOT_UNDERSTOOD = [
    "",
    "?",
    "?source=CLI",
    "?filters={}",
    "?filters={'user_id'",
    "?filters=__import__('os')",
    "?filters={'user_id': {1, 2}}",
    "?user_id=kim&filters=nonsense",
    "?user_id=kim&filters={'user': 'x'}",
    "?user_id=kim&tenant=x",
    "?metadata={}",
    "?user_id=kim&metadata=[1]",
    "?filters={'NOT': {'user_id': 'kim'}}",
    "?user_id=",
    "?user_id=kim&user_id=lee",
    "?filters={'user_id': '\\x00'}",
    '?user_id=kim&metadata={"a": "\\u0000"}',
    '?user_id=kim&metadata={"a": NaN}',
    "?user_id=kim&metadata={'a': 1e999}",
    '?user_id=kim&metadata={"a": ' + "[" * 900 + "]" * 900 + "}",
    "?user_id=kim&filters=" + "(" * 500,
]


def test_a_deletion_that_is_not_understood_deletes_nothing(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        mem0.store("Kept.", "kim")

        for query in NOT_UNDERSTOOD:
            assert mem0.refusal("DELETE", f"/v1/memories/{query}")[0] == 400, query

        assert mem0.listed({"user_id": "kim"}) == ["Kept."]


@pytest.mark.parametrize("kind", ["user", "agent", "app", "run"])
def test_an_entity_is_listed_and_deleted_with_all_it_holds(tenant: Tenant, kind: str) -> None:
    name = "a/b@c d%2Fe?ü"
    other = {"user_id": "kim"} if kind != "user" else {"agent_id": "kim"}
    with Mem0(tenant) as mem0:
        mem0.store("Its own.", **{f"{kind}_id": name})
        mem0.store("Both of them.", **{f"{kind}_id": name}, **other)
        mem0.store("Not its.", **other)

        listed = mem0.ok("GET", "/v1/entities/")
        (entity,) = [row for row in listed["results"] if row["type"] == kind]
        assert (entity["name"], entity["total_memories"]) == (name, 2)
        assert listed[f"total_{kind}s"] == 1
        path = f"/v2/entities/{kind}/{quote(name, safe='')}/"
        assert mem0.ok("GET", path) == [entity]

        answer = mem0.ok("DELETE", path)

        assert answer["message"]
        assert mem0.ok("GET", f"/v1/event/{answer['event_id']}/")["event_type"] == "DELETE_USER"
        assert mem0.refusal("DELETE", path)[0] == 404
        assert mem0.refusal("GET", path)[0] == 404
        assert mem0.listed({f"{kind}_id": name}) == []
        if kind != "user":
            assert mem0.listed(other) == ["Not its."]


def test_without_a_page_all_entities_are_named_and_with_one_a_page(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        for number in range(3):
            mem0.store("Hello.", f"user-{number}")

        assert [entity["name"] for entity in mem0.ok("GET", "/v1/entities/")["results"]] == [
            "user-0",
            "user-1",
            "user-2",
        ]
        page = mem0.ok("GET", "/v1/entities/?page=2&page_size=2")
        assert [entity["name"] for entity in page["results"]] == ["user-2"]
        assert (page["count"], page["next"], bool(page["previous"])) == (3, None, True)


@pytest.mark.parametrize("feedback", ["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"])
def test_feedback_on_a_memory_is_taken_and_reverted(mem0: Mem0, user: str, feedback: str) -> None:
    stored = mem0.store("I sing.", user)
    body = {"memory_id": stored["id"], "feedback": feedback, "feedback_reason": "as I say"}

    answer = mem0.ok("POST", "/v1/feedback/", body)

    assert answer == {"id": stored["id"], "feedback": feedback, "feedback_reason": "as I say"}
    assert bool(mem0.listed({"user_id": user})) == (feedback != "VERY_NEGATIVE")
    mem0.ok("POST", "/v1/feedback/", {"memory_id": stored["id"], "feedback": None})
    assert mem0.listed({"user_id": user}) == ["I sing."]


def test_feedback_waits_for_no_memory_that_another_one_will_replace(
    developer: Tenant, mem0: Mem0, user: str
) -> None:
    stored = mem0.store("I sing.", user)
    with tenant_scope(developer.project):
        Memory.objects.within(MemCube.objects.within(developer.project)).filter(pk=stored["id"]).update(
            is_raw=True
        )

    status, sentence = mem0.refusal(
        "POST", "/v1/feedback/", {"memory_id": stored["id"], "feedback": "POSITIVE"}
    )

    assert status == MemoryBeingRefined.status
    assert stored["id"] in sentence


def test_feedback_on_what_is_deleted_at_that_moment_finds_nothing(
    developer: Tenant, mem0: Mem0, user: str
) -> None:
    memory = find_personal(developer.project, mem0.store("I sing.", user)["id"])
    mem0.ok("DELETE", f"/v1/memories/{memory.pk}/")

    with pytest.raises(NotFound), tenant_scope(developer.project):
        rate_memory(memory, Rating.POSITIVE, None)


def test_batches_that_name_the_same_owners_in_any_order_are_all_done(mem0: Mem0, user: str) -> None:
    rows = [{"memory_id": mem0.store("I sing.", f"{user}-{n}")["id"]} for n in range(4)]

    def change(number: int) -> int:
        body = {"memories": [{**row, "text": f"I sing song {number}."} for row in rows[:: (-1) ** number]]}
        return mem0.request("PUT", "/v1/batch/", json=body).status_code

    with ThreadPoolExecutor(4) as hands:
        assert set(hands.map(change, range(8))) == {200}


def test_a_batch_names_no_more_owners_than_can_be_locked_at_once(
    developer: Tenant, mem0: Mem0, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "MOST_OWNERS", 2)
    rows = [{"memory_id": mem0.store("I sing.", f"{user}-{n}")["id"], "text": "I dance."} for n in range(3)]

    def change(items: list[dict[str, str]]) -> Any:
        headers = {"Authorization": f"Token {developer.key}"}
        client = Client(SERVER_NAME="localhost", headers=headers)
        return client.put("/v1/batch/", {"memories": items}, "application/json")

    assert change(rows).status_code == 400
    assert mem0.listed({"user_id": f"{user}-0"}) == ["I sing."]
    assert change(rows[:2]).json() == {"message": "Successfully updated 2 memories"}


def test_pages_of_entities_go_on_from_one_kind_to_the_next(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        for user, agent in (("zoe", "writer"), ("Ana", "planner"), ("émile", "planner")):
            mem0.store("Hello.", user, agent_id=agent)
        mem0.store("Its own.", agent_id="planner")

        pages = [mem0.ok("GET", f"/v1/entities/?page={number}&page_size=2") for number in (1, 2, 3)]

        names = [
            [(entity["type"], entity["name"], entity["total_memories"]) for entity in page["results"]]
            for page in pages
        ]
        assert names == [
            [("user", "Ana", 1), ("user", "zoe", 1)],
            [("user", "émile", 1), ("agent", "planner", 3)],
            [("agent", "writer", 1)],
        ]
        assert {(page["count"], page["total_users"], page["total_agents"]) for page in pages} == {(5, 3, 2)}


def test_a_memory_of_the_other_contract_is_one_here(developer: Tenant, mem0: Mem0, user: str) -> None:
    with developer.api() as api:
        api.add(user, "I live in Porto.", tags=["home"], info={"a": 1}, agent_id="guide")
        (listed,) = api.listed(user)["memory_detail_list"]

        memory = mem0.ok("GET", f"/v1/memories/{listed['id']}/")

        assert (memory["user_id"], memory["agent_id"], memory["run_id"]) == (user, "guide", "talk")
        assert memory["metadata"] == {"a": 1}
        mem0.ok("DELETE", f"/v1/memories/{listed['id']}/")
        assert api.listed(user)["memory_detail_list"] == []
