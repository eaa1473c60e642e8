"""One memory by its id, with all that the clients read of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from memories.models import MemCube, Memory, MemorySource, MemoryVersion, Message
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.expect import UNKNOWN_ID, accepted, refused


def remember(api: Api, user: str) -> dict[str, Any]:
    """A user's fact, as the list shows it."""
    api.add(user, "I live in Porto.", info={"scene": "chat"}, agent_id="bot", conversation_id="talk")
    listed: dict[str, Any] = api.listed(user)["memory_detail_list"][0]
    return listed


@pytest.fixture(scope="module")
def memory(api: Api) -> dict[str, Any]:
    """Which is only read."""
    return remember(api, f"kim-{uuid4().hex[:8]}")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_memory_is_read_by_its_id(api: Api, memory: dict[str, Any], method: str) -> None:
    answer = accepted(api.request(method, f"get/memory/{memory['id']}"))

    assert (answer["id"], answer["memory_id"]) == (memory["id"], memory["id"])
    assert answer["content"] == answer["memory"] == memory["memory_value"]
    assert answer["user_id"].startswith("kim-")
    assert (answer["agent_id"], answer["conversation_id"]) == ("bot", "talk")
    assert (answer["memory_view"], answer["status"], answer["algorithm_updatable"]) == (
        "detail_factual",
        "activated",
        True,
    )
    assert answer["info"] == {"scene": "chat"}
    assert "T" in answer["created_at"]
    assert None not in answer.values()


def test_its_metadata_is_what_the_cli_shows_as_its_origin(api: Api, memory: dict[str, Any]) -> None:
    metadata = accepted(api.get(f"get/memory/{memory['id']}/"))["metadata"]

    wanted = {"sources", "key", "tags", "status", "memory_type", "created_at", "updated_at", "user_id"}
    assert wanted | {"session_id", "info", "background"} <= set(metadata)
    source = metadata["sources"][0]
    assert (source["type"], source["role"], source["content"]) == ("chat", "user", "I live in Porto.")
    assert {"chat_time", "lang"} <= set(source)


@pytest.mark.parametrize(
    "spelling", [str.upper, lambda key: key.replace("-", ""), lambda key: key.replace("-", "%2D")]
)
def test_an_id_may_be_spelt_as_uuids_may(api: Api, memory: dict[str, Any], spelling: Any) -> None:
    assert accepted(api.get(f"get/memory/{spelling(memory['id'])}"))["id"] == memory["id"]


def test_a_replaced_memory_tells_until_when_it_held_and_by_what_it_was_replaced(api: Api, user: str) -> None:
    memory = remember(api, user)
    api.add(user, "I moved to Oslo.")

    answer = accepted(api.get(f"get/memory/{memory['id']}"))

    assert answer["valid_until"]
    assert "Oslo" in accepted(api.get(f"get/memory/{answer['superseded_by']}"))["content"]
    assert [change["actor"] for change in answer["history"]] == ["worker"]


def test_a_preference_says_that_it_is_one(api: Api, user: str) -> None:
    api.add(user, "I like sushi.")
    key = api.listed(user)["preference_detail_list"][0]["id"]

    assert accepted(api.get(f"get/memory/{key}"))["memory_view"] == "preference"


@pytest.mark.parametrize("unknown", [UNKNOWN_ID, "memory-1", "' OR 1=1 --", "%00", "x" * 300, "张三"])
def test_an_unknown_id_is_data_that_was_not_found(api: Api, unknown: str) -> None:
    refused(api.get(f"get/memory/{unknown}"), 40001)


def test_anothers_memory_is_answered_like_one_that_never_was(
    strangers_api: Api, memory: dict[str, Any]
) -> None:
    made_up = str(uuid4())

    foreign = strangers_api.get(f"get/memory/{memory['id']}")
    absent = strangers_api.get(f"get/memory/{made_up}")

    assert foreign.status_code == absent.status_code == 400
    assert foreign.text.replace(memory["id"], "?") == absent.text.replace(made_up, "?")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods_are_not_for_this_address(api: Api, memory: dict[str, Any], method: str) -> None:
    refused(api.request(method, f"get/memory/{memory['id']}"), 40000, status=405)


def test_of_a_long_history_the_latest_is_told(api: Api, developer: Tenant, user: str) -> None:
    memory = remember(api, user)
    with tenant_scope(developer.project):
        held = Memory.objects.within(MemCube.objects.within(developer.project)).get(pk=memory["id"])
        spoken = held.sources.get().message
        tenant = {"account_id": held.account_id, "project_id": held.project_id}
        MemoryVersion.objects.bulk_create(
            MemoryVersion(**tenant, memory=held, number=number, text=f"{number}", actor="api", reason="test")
            for number in range(1, 121)
        )
        later = Message.objects.bulk_create(
            Message(
                **tenant,
                conversation_id=spoken.conversation_id,
                position=spoken.position + number,
                role="user",
                text=f"{number}",
                said_at=spoken.said_at + timedelta(seconds=number),
            )
            for number in range(1, 121)
        )
        MemorySource.objects.bulk_create(
            MemorySource(**tenant, memory=held, message=message) for message in later
        )

    answer = accepted(api.get(f"get/memory/{memory['id']}"))

    assert [change["version"] for change in answer["history"]] == list(range(120, 20, -1))
    assert [source["content"] for source in answer["metadata"]["sources"]] == [str(n) for n in range(21, 121)]
