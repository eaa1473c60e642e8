"""Messages become memories once, however often the work is begun, and whatever happens to it on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import override_settings

from memories import engine, tasks
from memories.engine import get_embedder
from memories.ingest.refine import refine_messages
from memories.lifecycle.erase_subject import erase_subject
from memories.models import MemCube, Memory, Message, Recall, Task
from memories.retrieval.cache.snapshots import snapshots
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import search_memories
from memories.values import TaskState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant, message
from tests.support.servers.model_server import ModelServer, as_json
from tests.support.tasks.claims import run_at_once
from tests.support.tasks.crashes import SimulatedFailure, dying_at, dying_at_change
from tests.support.tasks.refine_tasks import BEFORE, KIM, begin, say, take
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def picture(project: Project) -> list[Any]:
    """Everything the project remembers, without ids and times of writing."""
    with tenant_scope(project):
        cubes = MemCube.objects.within(project)
        memories = Memory.objects.within(cubes).select_related("superseded_by", "cube")
        return sorted(_about(memory) for memory in memories)


def _about(memory: Memory) -> tuple[Any, ...]:
    replaced_by = memory.superseded_by.text if memory.superseded_by else ""
    sources = sorted((source.message.said_at, source.message.position) for source in memory.sources.all())
    older = [(version.number, version.text) for version in memory.versions.all()]
    states = (memory.kind, memory.slot, memory.status, memory.is_raw, memory.version, str(memory.tags))
    times = (str(memory.event_time), str(memory.valid_from), str(memory.valid_until))
    has_vector = memory.embedding is not None
    return (memory.cube.owner_id, memory.text, *states, *times, replaced_by, sources, older, has_vector)


def versions(project: Project) -> set[tuple[Any, ...]]:
    """The same at a glance: which rows there are, and when they were written last."""
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project))
        return set(rows.values_list("pk", "updated_at", "version"))


@pytest.fixture
def undisturbed(stranger: Tenant) -> list[Any]:
    project = stranger.project
    tasks.execute_task(take(begin(project)))
    return picture(project)


def test_work_that_dies_at_any_statement_leaves_no_trace_and_is_done_later(
    tenant: Tenant, undisturbed: list[Any]
) -> None:
    project = tenant.project
    task = begin(project)
    before = versions(project)
    change = deaths = 0

    while Task.objects.within(project).get(pk=task.pk).state != TaskState.COMPLETED:
        change += 1
        assert versions(project) == before
        with dying_at_change(change, SimulatedFailure):
            try:
                refine_messages(take(task))
            except SimulatedFailure:
                deaths += 1

    assert deaths == change - 1 > 5
    assert picture(project) == undisturbed


def test_two_workers_at_the_same_task_make_each_memory_once(tenant: Tenant, undisturbed: list[Any]) -> None:
    project = tenant.project
    task = begin(project)
    claims = [take(task), take(task)]

    assert run_at_once(refine_messages, claims) == ["lost", "done"]
    assert picture(project) == undisturbed


@contextmanager
def before_embedding(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> Iterator[None]:
    """Something happens while the model is at work."""
    engine = type(get_embedder())
    embed = engine.embed_passages

    def probed(self: Any, texts: Any) -> Any:
        happens()
        return embed(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "embed_passages", probed)
        yield


def test_a_user_who_is_deleted_meanwhile_does_not_come_back(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tenant.project
    task = take(begin(project))

    with before_embedding(monkeypatch, cache(lambda: erase_subject(project, KIM))):
        refine_messages(task)

    assert picture(project) == []
    assert Task.objects.within(project).get(pk=task.pk).state == TaskState.COMPLETED


def test_a_user_who_was_deleted_before_does_not_come_back(tenant: Tenant) -> None:
    project = tenant.project
    task = begin(project)
    erase_subject(project, KIM)

    tasks.run_next_task(str(task.pk))

    assert picture(project) == []
    assert Task.objects.within(project).get(pk=task.pk).public_status == "completed"


_watched: list[bool] = []
_calls: list[str] = []


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if _watched and event in {"socket.connect", "socket.getaddrinfo"} and connection.in_atomic_block:
        _calls.append(f"{event} {arguments}")


sys.addaudithook(_listen)


def test_nothing_slow_happens_inside_a_transaction(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the network nor the model: a transaction holds locks that others wait for."""
    inside: list[bool] = []
    _watched.append(True)
    try:
        with before_embedding(monkeypatch, lambda: inside.append(connection.in_atomic_block)):
            tasks.execute_task(take(begin(tenant.project)))
    finally:
        _watched.clear()

    assert inside
    assert not any(inside)
    assert _calls == []


def test_a_failure_in_the_middle_becomes_a_later_attempt(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = begin(tenant.project)

    with dying_at(20, SimulatedFailure):
        state = tasks.execute_task(take(task))

    assert state == TaskState.WAITING
    after = Task.objects.within(tenant.project).get(pk=task.pk)
    assert (after.error_code, after.lease_until) == ("SimulatedFailure", None)
    assert after.public_status == "running"


def test_who_asks_while_a_message_is_refined_is_told_what_was_just_said(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_most", 0)  # no room to fetch it before it goes
    query = SearchQuery(KIM, "What is my dog called?")
    for number in range(5):
        task = take(say(tenant.project, f"I have a dog called Rex {number}.", day=number))
        with ThreadPoolExecutor(1) as worker:
            refining = worker.submit(_execute, task)
            while not refining.done():
                hits = search_memories(tenant.project, query)
                assert any(f"Rex {number}" in hit.memory.text for hit in hits)


def _execute(task: Task) -> None:
    try:
        tasks.execute_task(task)
    finally:
        connections.close_all()


def test_who_asks_a_slow_model_for_the_order_is_told_what_was_just_said(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_most", 0)  # no room to fetch it before it goes
    tasks.execute_task(take(say(tenant.project, *BEFORE)))
    waiting = [say(tenant.project, "I have a dog called Rex.", day=1)]

    def order(body: Any) -> Any:
        """The model is slow: the message is refined before it answers."""
        while waiting:
            tasks.execute_task(take(waiting.pop()))
        connections.close_all()
        return as_json({"results": _in_order(body["documents"])})

    server = ModelServer(order)
    model = settings.RERANK | {"BASE_URL": server.url, "MODEL": "some-ranker"}
    query = SearchQuery(KIM, "What is my dog called?", relativity=0)
    engine.get_reranker.cache_clear()
    try:
        with override_settings(RERANK=model):
            hits = search_memories(tenant.project, query)
    finally:
        engine.get_reranker.cache_clear()
        server.close()

    assert any("Rex" in hit.memory.text for hit in hits)
    assert server.asked
    assert not waiting


def _in_order(documents: list[str]) -> list[dict[str, Any]]:
    return [{"index": at, "relevance_score": 1 - at / 100} for at in range(len(documents))]


def test_who_says_the_same_five_times_at_once_is_remembered_once(tenant: Tenant, api: Api) -> None:
    def add(_: int) -> str:
        with tenant.api() as mine:
            return str(mine.add("kim", "I am allergic to peanuts.", async_mode=True)["task_id"])

    with ThreadPoolExecutor(5) as clients:
        task_ids = list(clients.map(add, range(5)))
    for task_id in task_ids:
        assert api.wait_until_done(task_id) == "completed"

    with tenant_scope(tenant.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get()
        assert Message.objects.within(tenant.project).count() == memory.sources.count() == 5


def test_a_memory_knows_where_it_came_from_and_until_when_it_held(tenant: Tenant, api: Api) -> None:
    api.add("kim", message("user", "I live in Beijing.", chat_time="2024-03-01 10:00:00"))
    api.add(
        "kim",
        message("user", "What a day!", chat_time="2025-06-10 10:00:00"),
        message("user", "I moved to Shanghai.", chat_time="2025-06-10 10:00:01"),
    )

    with tenant_scope(tenant.project):
        memories = Memory.objects.within(MemCube.objects.within(tenant.project))
        new = memories.get(text__contains="Shanghai")
        old = memories.get(text__contains="Beijing")
        assert old.superseded_by == new
        assert old.valid_until == new.valid_from
        assert new.valid_until is None
        assert (old.version, [version.number for version in old.versions.all()]) == (2, [1])
        assert [source.message.text for source in new.sources.all()] == ["I moved to Shanghai."]
        assert [source.message.text for source in old.sources.all()] == ["I live in Beijing."]


@pytest.mark.parametrize("before", [0, 1], ids=["never counted", "counted before"])
def test_what_is_found_is_counted_though_a_memory_beside_it_is_being_refined(
    tenant: Tenant, api: Api, before: int
) -> None:
    """A raw memory is deleted a moment after it was found, when its successors are written."""
    api.add("kim", "I live in Lisbon.", "My sister lives in Porto.")
    doomed, staying = (row["id"] for row in api.listed("kim")["memory_detail_list"])
    for _ in range(before):
        api.search("kim", "Who lives where?")
        wait_until(lambda: counted(tenant.project) == {doomed: 1, staying: 1})

    with tenant_scope(tenant.project):
        Memory.objects.within(MemCube.objects.within(tenant.project)).filter(pk=doomed).delete()
        assert len(api.search("kim", "Who lives where?")["memory_detail_list"]) == 2
        wait_until(lambda: counted_elsewhere(tenant.project).get(staying) == before + 1)

    assert counted(tenant.project) == {staying: before + 1}


def counted_elsewhere(project: Project) -> dict[str, int]:
    """As another transaction sees it."""

    def count() -> dict[str, int]:
        try:
            return counted(project)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as beside:
        return beside.submit(count).result()


def counted(project: Project) -> dict[str, int]:
    with tenant_scope(project):
        memories = Memory.objects.within(MemCube.objects.within(project))
        rows = Recall.objects.within(memories).values_list("memory_id", "count")
        return {str(key): count for key, count in rows}
