"""Deletion is real: of what a deleted user said, not a byte stays; of others, not a byte changes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connections

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from memories.lifecycle.erase_subject import erase_subject
from memories.models import MemCube, Memory
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.knowledge.search_everything import find_places, list_rows
from tests.support.waiting import let_time_pass, look_until, wait_until_somebody_waits

KEPT = [
    "memories_memcube",
    "memories_conversation",
    "memories_message",
    "memories_intake",
    "memories_memory",
    "memories_memorysource",
    "memories_memoryversion",
    "memories_task",
]


@pytest.fixture
def admin(stack: Stack) -> Iterator[str]:
    yield Postgres(DataFolder(stack.path)).admin_url
    connections.close_all()


@pytest.fixture
def canary() -> str:
    return f"Q{uuid4().hex[:12]}"


def live(api: Api, user: str, canary: str) -> None:
    """A life in words of which each holds the canary: said, replaced, corrected, searched for, listed."""
    fields = {"agent_id": f"agent-{canary}", "app_id": f"app-{canary}", "tags": [canary]}
    api.add(user, f"I live in {canary}town.", f"I like {canary} tea.", info={"note": canary}, **fields)
    api.add(
        user,
        message("user", f"I moved to {canary}ville in June 2025.", role_name=canary),
        message("assistant", f"Is {canary}ville far from {canary}town?"),
        conversation_id=f"talk-{canary}",
        allow_public=True,
    )
    feedback = {
        "user_id": user,
        "conversation_id": f"talk-{canary}",
        "feedback_content": f"I live in {canary}city now.",
    }
    api.wait_until_done(api.data("add/feedback", feedback)["task_id"])
    api.search(user, f"Who is {canary}?")
    api.listed(user)
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"user_id": user, "messages": [{"role": "user", "content": f"I love {canary}."}]}
    api.wait_until_done(api.call("add/message", body, headers=headers).json()["data"]["task_id"])


def wait_until_gone(admin: str, word: str) -> list[str]:
    """Request logs are written a moment after their answers."""
    return look_until(lambda: find_places(admin, word), lambda places: not places, otherwise="still there")


def test_nothing_of_a_deleted_user_stays_and_the_neighbours_are_as_they_were(
    tenant: Tenant, stranger: Tenant, api: Api, admin: str, canary: str
) -> None:
    with stranger.api() as theirs:
        live(theirs, "kim", "Neighbour")
    live(api, "lee", "Neighbour")
    live(api, "kim", canary)
    assert len(find_places(admin, canary)) > 10
    private = ["memories_message", "memories_conversation"]
    elsewhere = {table: list_rows(admin, table, stranger.project_id) for table in KEPT}
    before = {table: list_rows(admin, table, tenant.project_id) for table in private}

    api.data("delete/memory", {"user_id": "kim"})

    assert {table: list_rows(admin, table, stranger.project_id) for table in KEPT} == elsewhere
    assert all(elsewhere.values())
    for table in private:
        now = list_rows(admin, table, tenant.project_id)
        assert set(now) < set(before[table])
        assert any("Neighbour" in row for row in now)
    assert any("Neighbour" in fact for fact in api.facts("lee", "Where does the user live?"))
    assert wait_until_gone(admin, canary) == []
    assert api.search("kim", canary)["memory_detail_list"] == []


def test_a_deleted_memory_is_gone_with_its_vector_words_and_versions(
    api: Api, admin: str, canary: str
) -> None:
    api.add("kim", f"I live in {canary}town.")
    api.add("kim", "I moved to Rome in June 2025.")
    old = next(m for m in api.listed("kim")["memory_detail_list"] if canary in m["memory_value"])

    api.data("delete/memory", {"memory_ids": [old["id"]]})

    assert find_places(admin, canary, tables="memories_memory") == []  # its versions and sources, too
    assert not any(canary in fact for fact in api.facts("kim", f"{canary}town"))


def test_who_is_deleted_while_speaking_does_not_come_back(tenant: Tenant, api: Api, admin: str) -> None:
    word = f"W{uuid4().hex[:12]}"

    def speak(number: int) -> None:
        with tenant.api() as mine:
            mine.add("kim", f"I have a cat called {word}{number}.", async_mode=True)

    with ThreadPoolExecutor(4) as clients:
        spoken = [clients.submit(speak, number) for number in range(8)]
        for _ in range(4):
            delete_if_known(api)
        for future in spoken:
            future.result()
    delete_if_known(api)
    let_time_pass(1.5, "nothing is to be written late")

    assert find_places(admin, word) == []
    assert api.listed("kim")["total"] == 0


def delete_if_known(api: Api) -> None:
    assert api.call("delete/memory", {"user_id": "kim"}).json()["code"] in {0, 40308}


def test_who_speaks_again_during_their_deletion_is_remembered_from_then_on(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Rome.")

    with ThreadPoolExecutor(1) as client:
        with tenant_scope(tenant.project):
            erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))
            spoken = client.submit(api.add, "kim", "I have a cat called Rex.")
            wait_until_somebody_waits()
        assert spoken.result()["status"] == "completed"

    with tenant_scope(tenant.project):
        memories = Memory.objects.within(MemCube.objects.within(tenant.project))
        assert [(memory.is_raw, "Rex" in memory.text) for memory in memories] == [(False, True)]
