"""Deletion: what is named goes, for good, and nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError

from memories.models import Conversation, Feedback, MemCube, Memory, Message
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.expect import UNKNOWN_ID, accepted, refused
from tests.support.waiting import wait_until_somebody_waits


def forget(api: Api, **body: Any) -> None:
    assert accepted(api.call("delete/memory", body)) == {"success": True}


def ids(api: Api, user: str) -> list[str]:
    listed = api.listed(user)
    return [item["id"] for name in ("memory_detail_list", "preference_detail_list") for item in listed[name]]


@pytest.fixture
def kim(api: Api, user: str) -> str:
    """A user with one fact and one preference."""
    api.add(user, "I live in Porto.", info={"scene": "chat"})
    api.add(user, "I like sushi.")
    return user


def test_a_named_memory_goes_and_the_others_stay(api: Api, kim: str) -> None:
    gone, kept = ids(api, kim)

    forget(api, memory_ids=[gone])

    assert ids(api, kim) == [kept]
    assert "Porto" not in repr(api.search(kim, "Where does the user live?", relativity=0))


def test_the_same_memory_may_be_named_twice(api: Api, kim: str) -> None:
    forget(api, memory_ids=[ids(api, kim)[0]] * 2)


def test_a_memory_that_is_gone_cannot_be_deleted_again(api: Api, kim: str) -> None:
    gone = ids(api, kim)[0]
    forget(api, memory_ids=[gone])

    refused(api.call("delete/memory", {"memory_ids": [gone]}), 40307, gone)


@pytest.mark.parametrize("unknown", [UNKNOWN_ID, "memory-1", "' OR 1=1 --"])
def test_with_one_unknown_id_nothing_is_deleted(api: Api, kim: str, unknown: str) -> None:
    before = ids(api, kim)

    refused(api.call("delete/memory", {"memory_ids": [*before, unknown]}), 40307, unknown)

    assert ids(api, kim) == before


def test_a_users_deletion_takes_memories_messages_and_feedback(api: Api, developer: Tenant, kim: str) -> None:
    api.wait_until_done(
        api.data("add/feedback", {"user_id": kim, "feedback_content": "I prefer tea."})["task_id"]
    )

    with tenant_scope(developer.project):
        cube = MemCube.objects.within(developer.project).get(owner_id=kim)

    forget(api, user_id=kim)

    assert ids(api, kim) == []
    assert "Porto" not in repr(api.search(kim, "Where does the user live?", relativity=0))
    with tenant_scope(developer.project):
        assert not MemCube.objects.within(developer.project).filter(owner_id=kim).exists()
        assert not Memory.objects.within(cube).exists()
        assert not Conversation.objects.within(developer.project).filter(cube=cube).exists()
        assert not Message.objects.within(developer.project).filter(conversation__cube=cube).exists()
        assert not Feedback.objects.within(developer.project).filter(cube=cube).exists()


def test_a_deleted_user_is_unknown_until_it_writes_again(api: Api, kim: str) -> None:
    forget(api, user_id=kim)
    refused(api.call("delete/memory", {"user_id": kim}), 40308, kim)

    api.add(kim, "I live in Oslo.")

    assert "Oslo" in repr(api.listed(kim))
    forget(api, user_id=kim)


def test_work_that_is_still_to_do_brings_nothing_back(api: Api, user: str) -> None:
    tasks = [
        api.add(user, f"I visited {city}.", async_mode=True)["task_id"] for city in ("Rome", "Oslo", "Lima")
    ]

    forget(api, user_id=user)

    assert {api.wait_until_done(task) for task in tasks} == {"completed"}
    assert ids(api, user) == []


def test_somebody_who_only_gave_feedback_can_be_deleted(api: Api, user: str) -> None:
    body = {"user_id": user, "feedback_content": "User wants to delete memories about hotels."}
    api.wait_until_done(api.data("add/feedback", body)["task_id"])

    forget(api, user_id=user)


def test_another_users_memories_stay(api: Api, kim: str) -> None:
    api.add(f"{kim}-friend", "I live in Porto.")

    forget(api, user_id=kim)

    assert len(ids(api, f"{kim}-friend")) == 1


def test_what_only_a_deleted_user_made_public_goes_too(tenant: Tenant) -> None:
    with tenant.api() as api:
        api.add("kim", "The office is in Harbour Street.", allow_public=True)
        forget(api, user_id="kim")

        assert api.facts("lee", "Where is the office?", relativity=0) == []


def test_an_agents_own_memories_are_deleted_by_its_id(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    api.add(None, "I live in Lisbon.", agent_id=user)  # type: ignore[arg-type]

    forget(api, agent_id=user)

    assert api.data("get/memory", {"agent_id": user})["total"] == 0
    assert len(ids(api, user)) == 1


@pytest.mark.parametrize(("kind", "kept"), [("preference", "Porto"), ("detail_factual", "sushi")])
def test_one_kind_can_be_deleted_alone(api: Api, kim: str, kind: str, kept: str) -> None:
    forget(api, user_id=kim, memory_type=kind)

    listed = repr(api.listed(kim))
    assert len(ids(api, kim)) == 1
    assert kept in listed


def test_a_filter_deletes_what_it_lets_through(api: Api, kim: str) -> None:
    mark = {"and": [{"scene": f"only-{kim}"}]}
    api.add(kim, "My sister is called Ana.", info={"scene": f"only-{kim}"})

    forget(api, filter=mark)

    assert "Ana" not in repr(api.listed(kim))
    assert len(ids(api, kim)) == 2


def test_a_filter_for_private_memories_leaves_public_ones(tenant: Tenant) -> None:
    with tenant.api() as api:
        api.add("kim", "The office is in Harbour Street.", allow_public=True, info={"scene": "work"})
        forget(api, filter={"user": {"and": [{"scene": "work"}]}})

        assert ids(api, "kim") == []
        assert len(api.facts("lee", "Where is the office?", relativity=0)) == 1


def test_user_ids_beside_memory_ids_are_ignored_as_a_client_sends_them(api: Api, kim: str) -> None:
    forget(api, user_ids=["somebody-else"], memory_ids=ids(api, kim))

    assert ids(api, kim) == []


@pytest.mark.parametrize("names", ["memory_ids", "filter", "memory_type"])
def test_a_deletion_of_memories_and_the_erasure_of_their_user_do_not_block_each_other(
    api: Api, developer: Tenant, kim: str, names: str
) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "memory_ids": {"memory_ids": ids(api, kim)},
        "filter": {"filter": {"and": [{"scene": "chat"}]}},
        "memory_type": {"user_id": kim, "memory_type": "preference"},
    }
    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(developer.project):  # as an erasure does, which takes the memories after their cube
            cube = MemCube.objects.within(developer.project).select_for_update().get(owner_id=kim)
            deleting = beside.submit(api.call, "delete/memory", bodies[names])
            wait_until_somebody_waits()
            mine = Memory.objects.within(cube)
            assert mine.select_for_update(of=("self",), nowait=True).values_list("pk", flat=True)
        assert accepted(deleting.result()) == {"success": True}


def test_a_deletion_that_another_transaction_blocks_and_is_blocked_by_is_done_all_the_same(
    api: Api, developer: Tenant, kim: str
) -> None:
    api.add(f"{kim}-2", "I live in Bonn.")
    both = [*ids(api, kim), *ids(api, f"{kim}-2")]
    with tenant_scope(developer.project):
        cubes = MemCube.objects.within(developer.project).filter(owner_id__in=[kim, f"{kim}-2"])
        first, last = cubes.order_by("pk").values_list("pk", flat=True)
    with ThreadPoolExecutor(1) as beside:
        # The request, which waits longer, is the one that is broken off; seldom, on a slow machine, it is this one.
        with suppress(OperationalError), tenant_scope(developer.project):
            assert MemCube.objects.within(developer.project).select_for_update().get(pk=last)
            deleting = beside.submit(api.call, "delete/memory", {"memory_ids": both})
            wait_until_somebody_waits()
            assert MemCube.objects.within(developer.project).select_for_update().get(pk=first)
        assert accepted(deleting.result()) == {"success": True}

    assert ids(api, kim) == ids(api, f"{kim}-2") == []
