"""Slow servers and endless documents of one account leave the workers to the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from knowledgebase.processing import parse_file, process
from memories import tasks
from memories.files import fetch
from memories.jobs import outbox
from memories.jobs.claims import call_next, claim_task
from memories.models import Task
from memories.values import TaskState
from tests.support.api_client import Tenant
from tests.support.documents.attachment_tasks import send as send_file
from tests.support.knowledge.files_at_work import (
    bring_one,
    fresh,
    get_latest_task,
    make_base,
    settle,
    take,
    texts,
)
from tests.support.servers.file_server import FileServer, send
from tests.support.waiting import LIMIT, look_until

POLICY = b"# Travel\n\nTrains are first class."


@pytest.fixture(autouse=True)
def _tidy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A slow server is silent for as long as the rest of a test takes, which a busy machine draws out."""
    monkeypatch.setattr(fetch, "SILENCE_SECONDS", LIMIT)
    yield
    connections.close_all()


class SlowServer:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.set()
        self.may_answer.wait(LIMIT)
        send(request, 200, POLICY)


def apart(work: Callable[[Task], TaskState], task: Task) -> TaskState:
    """In a thread, as another worker does it."""
    try:
        return work(task)
    finally:
        connections.close_all()


def make_due(task: Task, **fields: Any) -> None:
    """Announced, so that the sweeper leaves it to the test."""
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    row.update(due_at=timezone.now(), announced_at=timezone.now(), **fields)


def complete(task: Task) -> TaskState:
    """By this test, or by the stack's own worker where a late notification of the task comes to it first."""

    def look() -> TaskState:
        if (mine := claim_task(task.pk, "another")) is not None:
            return tasks.execute_task(mine)
        return TaskState(Task.every.using(outbox.SWEEP).get(pk=task.pk).state)

    return look_until(look, lambda state: state in {TaskState.COMPLETED, TaskState.FAILED})


@pytest.mark.parametrize("second_content", ["an address", "a file of the request"])
def test_a_slow_server_of_an_account_holds_one_worker_and_its_next_file_is_called_afterwards(
    tenant: Tenant, stranger: Tenant, files: FileServer, second_content: str
) -> None:
    slow, base, theirs = SlowServer(), make_base(tenant.project), make_base(stranger.project)
    url = files.serves("other.md", b"Bins are blue.")
    first = bring_one(tenant.project, base, "slow.md", files.does("slow.md", slow))
    content = url if second_content == "an address" else b"Bins are blue."
    second = bring_one(tenant.project, base, "other.md", content)

    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(apart, tasks.execute_task, take(get_latest_task(first)))
        assert slow.asked.wait(LIMIT)
        make_due(get_latest_task(second))
        assert claim_task(get_latest_task(second).pk, "another") is None
        held = get_latest_task(second)
        [stranger_file] = settle(stranger.project, theirs, {"bins.md": files.serves("bins.md", POLICY)})
        # Asked while the first runs: once it has ended, the stack's own worker may take the second before us.
        following = call_next(get_latest_task(first))
        slow.may_answer.set()
        assert running.result(LIMIT) == TaskState.COMPLETED

    assert (held.state, held.attempts) == (TaskState.QUEUED, 0)
    assert stranger_file.state == "completed"
    assert following == held.pk
    assert complete(held) == TaskState.COMPLETED


def test_a_file_of_a_message_waits_for_a_file_of_a_base(tenant: Tenant, files: FileServer) -> None:
    """One mechanism for both: an account has one at work."""
    first = bring_one(tenant.project, make_base(tenant.project), "bins.md", files.serves("bins.md", POLICY))
    of_message = send_file(tenant.project, files.serves("rules.md", POLICY))

    mine = take(get_latest_task(first))
    make_due(of_message, is_held_back=True)
    assert claim_task(of_message.pk, "another") is None
    assert tasks.execute_task(mine) == TaskState.COMPLETED
    assert complete(of_message) == TaskState.COMPLETED


def test_an_address_is_tried_three_times(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    url = files.does("away.md", lambda request: send(request, 503))
    file = bring_one(tenant.project, base, "away.md", url)
    task = take(get_latest_task(file))

    task.attempts = process.FETCH_ATTEMPTS - 1
    assert tasks.execute_task(task) == TaskState.WAITING
    task = take(get_latest_task(file))
    task.attempts = process.FETCH_ATTEMPTS
    assert tasks.execute_task(task) == TaskState.FAILED

    assert process.FETCH_ATTEMPTS == 3
    assert "could not fetch" in fresh(file).reason


def test_a_document_of_too_many_passages_fails_and_says_what_helps(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parse_file.MAX_PASSAGES == 20_000
    monkeypatch.setattr(parse_file, "MAX_PASSAGES", 3)
    chapters = "\n\n".join(f"# Chapter {number}\n\nRoom {number} is closed." for number in range(5))

    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"rooms.md": chapters.encode()})

    assert (file.state, file.error_code, texts(base)) == ("failed", "50104", [])
    assert "5 passages, and 3 are allowed" in file.reason
    assert file.cure == "Split it into several files."
