"""How memories of tools live on in their cube: versions, frozen ones, and what is not thought about twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.models import F
from django.utils import timezone

from memories import tasks
from memories.engine import get_embedder
from memories.ingest.accept_messages import add_messages
from memories.jobs import outbox
from memories.models import MemCube, Memory, Task
from memories.values import MemoryKind, MemoryStatus, NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant

KIM = Subject(OwnerKind.END_USER, "kim")
CALL = {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def schema(**changes: Any) -> NewMessage:
    tool = {"name": "get_weather", "description": "Tells the weather", "parameters": {"type": "object"}}
    return said("system", json.dumps(tool | changes))


def said(role: str, text: str = "", **extra: Any) -> NewMessage:
    return NewMessage(role, text, text, timezone.now(), "", extra)


def say(project: Project, *messages: NewMessage, conversation: str = "talk") -> Task:
    """Adds messages whose task waits until the test does it: the stack's own worker does not find it due."""
    with transaction.atomic():
        task = add_messages(project, NewMessages((KIM,), conversation, messages))
        Task.objects.within(project).filter(pk=task.pk).update(due_at=timezone.now() + timedelta(hours=1))
    return task


def refine(task: Task) -> None:
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    assert tasks.execute_task(row.get()) == TaskState.COMPLETED


def add(project: Project, *messages: NewMessage, conversation: str = "talk") -> None:
    refine(say(project, *messages, conversation=conversation))


def held(project: Project, kind: MemoryKind) -> list[Memory]:
    with tenant_scope(project):
        memories = Memory.objects.within(MemCube.objects.within(project)).filter(kind=kind)
        return list(memories.prefetch_related("versions").order_by("created_at"))


def freeze(project: Project) -> None:
    with tenant_scope(project):
        Memory.objects.within(MemCube.objects.within(project)).update(status=MemoryStatus.FROZEN)


def test_a_changed_schema_leaves_a_version_with_its_reason(tenant: Tenant) -> None:
    for description in ("Tells the weather", "Tells the weather of today"):
        add(tenant.project, schema(description=description))

    (tool,) = held(tenant.project, MemoryKind.TOOL_SCHEMA)
    (version,) = tool.versions.all()
    assert tool.text.startswith("Tool get_weather: Tells the weather of today.")
    assert version.text.startswith("Tool get_weather: Tells the weather.")
    assert (version.actor, version.reason) == ("worker", "the tool has another schema now")
    assert (tool.version, version.number) == (2, 1)


def test_a_run_that_went_on_leaves_a_version_and_knows_all_its_messages(tenant: Tenant) -> None:
    add(tenant.project, said("user", "Weather in Rome?"), said("assistant", tool_calls=[CALL]))
    add(tenant.project, said("tool", "Sunny", tool_call_id="1"))

    (run,) = held(tenant.project, MemoryKind.TOOL_TRAJECTORY)
    with tenant_scope(tenant.project):
        assert run.sources.count() == 3
    assert [version.reason for version in run.versions.all()] == ["the tools went on"]
    assert run.details["steps"][0]["status"] == "success"


def test_the_end_of_a_run_that_was_refined_first_is_not_lost(tenant: Tenant) -> None:
    earlier = say(tenant.project, said("user", "Weather in Rome?"), said("assistant", tool_calls=[CALL]))
    later = say(tenant.project, said("tool", "Sunny", tool_call_id="1"))

    refine(later)
    refine(earlier)

    (run,) = held(tenant.project, MemoryKind.TOOL_TRAJECTORY)
    assert run.text.endswith("it returned Sunny")


def test_frozen_tool_memories_are_never_rewritten(tenant: Tenant) -> None:
    add(tenant.project, schema(), said("user", "Weather in Rome?"), said("assistant", tool_calls=[CALL]))
    freeze(tenant.project)

    add(tenant.project, said("tool", "Sunny", tool_call_id="1"), schema(description="Something else"))

    (tool,) = held(tenant.project, MemoryKind.TOOL_SCHEMA)
    (run,) = held(tenant.project, MemoryKind.TOOL_TRAJECTORY)
    assert "Something else" not in tool.text
    assert run.text.endswith("no result came")
    assert (tool.version, run.version) == (1, 1)


def test_a_run_that_becomes_equal_to_an_earlier_one_is_counted_there(tenant: Tenant) -> None:
    whole = [said("user", "Weather in Rome?"), said("assistant", tool_calls=[CALL])]
    result = said("tool", "Sunny", tool_call_id="1")
    add(tenant.project, *whole, result, conversation="first")
    add(tenant.project, *whole, conversation="second")
    add(tenant.project, result, conversation="second")

    (run,) = held(tenant.project, MemoryKind.TOOL_TRAJECTORY)
    assert run.details["runs"] == 2


def test_tools_that_are_sent_with_every_request_are_not_embedded_again(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tenant.project, schema())
    embedded: list[str] = []
    _listen(monkeypatch, embedded.extend)

    add(tenant.project, schema(), said("user", "I like tea."))

    assert embedded
    assert not any("get_weather" in text for text in embedded)


def _listen(monkeypatch: pytest.MonkeyPatch, hear: Callable[[list[str]], None]) -> None:
    engine = type(get_embedder())
    embed = engine.embed_passages

    def heard(self: Any, texts: Any) -> Any:
        hear(list(texts))
        return embed(self, texts)

    monkeypatch.setattr(engine, "embed_passages", heard)


def test_arguments_that_no_database_takes_are_kept_readable(tenant: Tenant) -> None:
    function = {"name": "get_weather", "arguments": '{"city": "Ro\\u0000me\\ud800", "n": NaN}'}
    call = {"id": "1", "type": "function", "function": function}

    add(tenant.project, said("user", "Weather?"), said("assistant", tool_calls=[call]))

    (run,) = held(tenant.project, MemoryKind.TOOL_TRAJECTORY)
    assert run.details["steps"][0]["arguments"] == {"city": "Ro me ", "n": "nan"}
