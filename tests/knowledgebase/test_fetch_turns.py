"""Slow servers and endless documents of one account leave the workers to the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest
from django.db import connections
from django.utils import timezone

from knowledgebase import process, splitting
from memories import tasks
from memories.models import Task
from memories.values import TaskState
from tests.api_client import Tenant
from tests.file_server import FileServer, send
from tests.knowledgebase.files_at_work import bring_one, fresh, make_base, settle, take, task_of, texts

POLICY = b"# Travel\n\nTrains are first class."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


class SlowServer:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.set()
        self.may_answer.wait(10)
        send(request, 200, POLICY)


def apart(work: Callable[[Task], TaskState], task: Task) -> TaskState:
    """In a thread, as another worker does it."""
    try:
        return work(task)
    finally:
        connections.close_all()


def test_a_slow_server_of_an_account_holds_one_worker_and_the_next_file_is_called_afterwards(
    tenant: Tenant, stranger: Tenant, files: FileServer
) -> None:
    slow, base, theirs = SlowServer(), make_base(tenant.project), make_base(stranger.project)
    first = bring_one(tenant.project, base, "slow.md", files.does("slow.md", slow))
    second = bring_one(tenant.project, base, "other.md", files.serves("other.md", b"Bins are blue."))

    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(apart, tasks.do, take(task_of(first)))
        assert slow.asked.wait(10)
        assert tasks.do(take(task_of(second))) == TaskState.WAITING
        held, url = task_of(second), second.url
        [stranger_file] = settle(stranger.project, theirs, {"bins.md": files.serves("bins.md", POLICY)})
        slow.may_answer.set()
        assert running.result(30) == TaskState.COMPLETED

    assert (held.attempts, held.due_at > timezone.now()) == (0, True)
    assert stranger_file.state == "completed"
    until = time.monotonic() + 10
    while fresh(second).state != "completed" and time.monotonic() < until:
        time.sleep(0.1)  # a worker of the installation was called
    assert fresh(second).state == "completed"
    assert sum(path in url for path in files.asked) == 1


def test_what_came_with_the_request_waits_for_no_server(tenant: Tenant, files: FileServer) -> None:
    slow, base = SlowServer(), make_base(tenant.project)
    first = bring_one(tenant.project, base, "slow.md", files.does("slow.md", slow))
    second = bring_one(tenant.project, base, "bins.md", b"Bins are blue.")

    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(apart, tasks.do, take(task_of(first)))
        assert slow.asked.wait(10)
        assert tasks.do(take(task_of(second))) == TaskState.COMPLETED
        slow.may_answer.set()
        running.result(30)

    assert len(texts(base)) == 2


def test_an_address_is_tried_three_times(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    url = files.does("away.md", lambda request: send(request, 503))
    file = bring_one(tenant.project, base, "away.md", url)
    task = take(task_of(file))

    task.attempts = process.FETCH_ATTEMPTS - 1
    assert tasks.do(task) == TaskState.WAITING
    task = take(task_of(file))
    task.attempts = process.FETCH_ATTEMPTS
    assert tasks.do(task) == TaskState.FAILED

    assert process.FETCH_ATTEMPTS == 3
    assert "could not fetch" in fresh(file).reason


def test_a_document_of_too_many_passages_fails_and_says_what_helps(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert splitting.MAX_PASSAGES == 20_000
    monkeypatch.setattr(splitting, "MAX_PASSAGES", 3)
    chapters = "\n\n".join(f"# Chapter {number}\n\nRoom {number} is closed." for number in range(5))

    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"rooms.md": chapters.encode()})

    assert (file.state, file.error_code, texts(base)) == ("failed", "50104", [])
    assert "5 passages, and 3 are allowed" in file.reason
    assert file.cure == "Split it into several files."
