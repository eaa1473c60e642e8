"""What asking models costs, and who pays: every answer is counted once, for the project whose work it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connections, transaction
from django.db.models import F
from django.utils import timezone

from memories import engine
from memories.engine.metering import metering_usage, metering_usage_later, record_usage
from memories.engine.protocols import ProviderUnavailable
from memories.ingest.accept_messages import add_messages
from memories.ingest.refine import refine_messages
from memories.jobs import outbox
from memories.models import MemCube, Memory, Task
from memories.values import NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.model_usage import ModelUse, Spent, record_model_usage, sum_model_usage
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.servers.model_server import ModelServer, as_json, memories, proposal, used
from tests.support.waiting import look_until

THEN = datetime(2025, 7, 1, 12, tzinfo=UTC)
READING = Spent("extraction", "some-model", 100, 10)


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def lately(tenant: Tenant, project: Project | None = None) -> list[ModelUse]:
    today = datetime.now(UTC).date()
    days = (today - timedelta(days=1), today + timedelta(days=1))
    with tenant_scope(tenant.project.account):
        return sum_model_usage(tenant.project.account, *days, project.pk if project else None)


def test_the_account_sees_what_its_projects_spent_by_purpose_and_model(
    tenant: Tenant, stranger: Tenant
) -> None:
    second = Project.objects.create(account=tenant.project.account, name="second")
    guess = Spent("rewriting", "some-model", 7, 3, is_estimated=True)
    record_model_usage(Scope.of_project(tenant.project), [READING, guess, READING])
    record_model_usage(Scope.of_project(second), [READING, Spent("extraction", "other-model", 1, 0)])
    record_model_usage(Scope.of_project(stranger.project), [Spent("extraction", "some-model", 5_000, 5_000)])

    rewriting = ModelUse("rewriting", "some-model", 1, 1, 7, 3)
    other = ModelUse("extraction", "other-model", 1, 0, 1, 0)
    assert lately(tenant) == [ModelUse("extraction", "some-model", 3, 0, 300, 30), rewriting, other]
    assert lately(tenant, tenant.project) == [ModelUse("extraction", "some-model", 2, 0, 200, 20), rewriting]
    assert lately(tenant, second) == [ModelUse("extraction", "some-model", 1, 0, 100, 10), other]
    assert lately(tenant, stranger.project) == []
    long_ago = THEN.date()
    with tenant_scope(tenant.project.account):
        assert sum_model_usage(tenant.project.account, long_ago, long_ago + timedelta(days=30)) == []


def test_what_is_spent_is_counted_even_if_the_work_comes_to_nothing(tenant: Tenant) -> None:
    def work() -> None:
        with metering_usage(Scope.of_project(tenant.project)):
            record_usage(READING)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()

    assert [row.prompt_tokens for row in lately(tenant)] == [100]


def test_requests_are_counted_after_their_answer(tenant: Tenant) -> None:
    with metering_usage_later(Scope.of_project(tenant.project)):
        record_usage(READING)

    rows = look_until(lambda: lately(tenant), bool)
    assert [row.calls for row in rows] == [1]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    running = ModelServer()
    yield running
    running.close()


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, Any], dict[str, Any]], None]]:
    """Other engines for this process, as settings would choose them."""

    def change(setting: dict[str, Any], values: dict[str, Any]) -> None:
        for name, value in values.items():
            monkeypatch.setitem(setting, name, value)
        engine.get_embedder.cache_clear()

    yield change
    monkeypatch.undo()
    engine.get_embedder.cache_clear()


def start_task(project: Project, text: str) -> Task:
    """A running task whose message the stack's own worker does not see."""
    message = NewMessage("user", text, text, THEN, THEN.isoformat())
    with transaction.atomic():
        task = add_messages(project, NewMessages((Subject(OwnerKind.END_USER, "kim"),), "talk", (message,)))
        row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
        later = timezone.now() + timedelta(hours=1)
        Task.objects.within(project).filter(pk=task.pk).update(
            state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=later
        )
    mine: Task = row.get()
    return mine


def test_while_the_embedder_is_away_the_model_is_asked_and_paid_once(
    tenant: Tenant, server: ModelServer, choose: Callable[[dict[str, Any], dict[str, Any]], None]
) -> None:
    model = ModelServer(lambda body: memories(proposal("The user lives in Lisbon.", 0), usage=used(50, 5)))
    server.answer = lambda body: as_json({}, 503)
    task = start_task(tenant.project, "Lisbon is my home.")
    choose(settings.LLM, {"BASE_URL": model.url, "MODEL": "some-model"})
    at_home = dict(settings.EMBEDDING)
    choose(settings.EMBEDDING, {"ENGINE": "remote", "BASE_URL": server.url, "MODEL": "tiny", "DIMENSIONS": 8})
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            refine_messages(task)

    choose(settings.EMBEDDING, at_home)
    refine_messages(task)
    model.close()

    with tenant_scope(tenant.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get(is_raw=False)
        assert (memory.text, memory.extracted_by) == ("The user lives in Lisbon.", "some-model (extract-2)")
    assert len(model.asked) == 1
    assert [(row.calls, row.prompt_tokens, row.completion_tokens) for row in lately(tenant)] == [(1, 50, 5)]
