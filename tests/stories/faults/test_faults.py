"""What was acknowledged is there once, whatever is killed, frozen or emptied meanwhile."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil
import psycopg
import pytest
import redis

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.installations import own_stack
from tests.support.waiting import LIMIT, let_time_pass, look_until, wait_until

WRITES_A_SECOND = 3
USERS = 12

pytestmark = pytest.mark.usefixtures("own")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """As where there are several web processes, which count requests in the broker."""
    with own_stack(tmp_path_factory.mktemp("several"), WEB_PROCESSES="2") as stack:
        yield stack


class Ledger:
    """What was acknowledged, and what was refused with which status."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.kept: list[str] = []
        self.refused: Counter[str] = Counter()
        self.slowest = 0.0
        self._number = 0
        self._lock = threading.Lock()
        self._demo = stack.demo
        self.began = datetime.now(UTC)

    def write(self) -> None:
        """One message that no other resembles; told from the rest by its word."""
        with self._lock:
            self._number += 1
            user = f"user {self._number % USERS}"
        word = "Rex" + "".join(random.choices("bcdfgklmnprst", k=10))
        message = {"role": "user", "content": f"I have a cat called {word}."}
        body = {"user_id": user, "conversation_id": "talk", "messages": [message]}
        began = time.monotonic()
        outcome = self._send(body)
        with self._lock:
            self.slowest = max(self.slowest, time.monotonic() - began)
            if outcome == "200":
                self.kept.append(word)
            else:
                self.refused[outcome] += 1

    def _send(self, body: dict[str, Any]) -> str:
        try:
            with Api(self.stack.url, self._demo["api_key"]) as api:
                return str(api.call("add/message", body).status_code)
        except httpx.TransportError as fault:
            return type(fault).__name__

    def write_for(
        self, seconds: float, *incidents: tuple[float, Callable[[], object]], rate: int = WRITES_A_SECOND
    ) -> None:
        """A steady stream of writes; each incident happens at its second."""
        waiting = sorted(incidents, key=lambda incident: incident[0])
        began = time.monotonic()
        with ThreadPoolExecutor(24) as clients:
            for tick in range(int(seconds * rate)):
                let_time_pass(max(0.0, began + tick / rate - time.monotonic()), "a steady rate")
                clients.submit(self.write)
                while waiting and time.monotonic() - began >= waiting[0][0]:
                    waiting.pop(0)[1]()

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """As a superuser, whom no row-level security stops."""
        admin = Postgres(DataFolder(self.stack.path)).admin_url
        with psycopg.connect(admin, dbname="engram") as connection:
            return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]

    def change(self, statement: str, *values: object) -> None:
        self.query(statement + " RETURNING 1", *values)

    def wait_until_quiet(self) -> float:
        began = time.monotonic()
        look_until(self._is_quiet, bool, LIMIT, "tasks are open still")
        return time.monotonic() - began

    def _is_quiet(self) -> bool:
        open_tasks = "SELECT 1 FROM memories_task WHERE state IN ('queued', 'running', 'waiting')"
        try:
            return not self.query(open_tasks)
        except psycopg.OperationalError:
            return False  # the database is starting again

    def check(self) -> None:
        """Every acknowledged message is stored once and became one memory; no task was given up."""
        stored = self.words("SELECT text FROM memories_message")
        remembered = self.words("SELECT text FROM memories_memory WHERE NOT is_rough")
        assert [word for word in self.kept if stored[word] != 1] == []
        assert [word for word, count in stored.items() if count != 1] == []
        assert [word for word in self.kept if remembered[word] != 1] == []
        assert [word for word, count in remembered.items() if count != 1] == []
        assert self.query("SELECT state, error_code FROM memories_task WHERE state <> 'completed'") == []
        assert self.query("SELECT 1 FROM memories_memory WHERE is_rough") == []

    def words(self, statement: str) -> Counter[str]:
        texts = [str(row[0]) for row in self.query(statement)]
        return Counter(text.rstrip(".").rpartition(" ")[2] for text in texts if " cat called " in text)


@pytest.fixture
def ledger(own: Stack) -> Ledger:
    wait_until(lambda: is_serving(own))  # after a test that killed the web server
    return Ledger(own)


def is_serving(stack: Stack) -> bool:
    try:
        return httpx.get(f"{stack.url}/healthz", timeout=LIMIT, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def connect_broker(stack: Stack) -> redis.Redis:
    return redis.Redis.from_url(stack.environment["REDIS_URL"])


def test_nothing_acknowledged_is_lost_when_everything_is_killed_in_turn(own: Stack, ledger: Ledger) -> None:
    names = ("worker", "valkey", "postgres", "web")
    ledger.write_for(
        12, *((1.5 + 2.5 * at, lambda name=name: own.kill(name)) for at, name in enumerate(names))
    )

    quiet_after = ledger.wait_until_quiet()

    ledger.check()
    print(
        f"\nkills: {len(ledger.kept)} kept, {dict(ledger.refused)} refused, quiet after {quiet_after:.1f} s"
    )
    assert len(ledger.kept) > 2 * WRITES_A_SECOND
    assert set(ledger.refused) <= {"503", "ConnectError", "ReadError", "RemoteProtocolError"}


def test_a_frozen_broker_stops_neither_writes_nor_work_nor_a_worker_that_begins_meanwhile(
    own: Stack, ledger: Ledger
) -> None:
    valkey = own.pids["valkey"]
    assert valkey is not None
    os.kill(valkey, signal.SIGSTOP)
    try:
        ledger.write_for(6)
        wait_for_one_remembered(ledger, ledger.kept)
        before = len(ledger.kept)
        own.kill("worker")
        ledger.write_for(2, rate=2)
        wait_for_one_remembered(ledger, ledger.kept[before:])
    finally:
        os.kill(valkey, signal.SIGCONT)

    quiet_after = ledger.wait_until_quiet()

    ledger.check()
    print(
        f"\nfrozen: {len(ledger.kept)} kept, slowest {ledger.slowest:.2f} s, quiet after {quiet_after:.1f} s"
    )
    assert ledger.refused == {}


def wait_for_one_remembered(ledger: Ledger, words: list[str]) -> None:
    """Workers take the broker for frozen after some seconds, and then look for tasks themselves."""

    def count_remembered() -> int:
        remembered = ledger.words("SELECT text FROM memories_memory WHERE NOT is_rough")
        return sum(remembered[word] for word in words)

    look_until(count_remembered, bool, otherwise="nothing was remembered")


def test_an_emptied_broker_loses_nothing(own: Stack, ledger: Ledger) -> None:
    ledger.write_for(
        3, (1.0, lambda: connect_broker(own).flushall()), (2.0, lambda: connect_broker(own).flushall())
    )

    quiet_after = ledger.wait_until_quiet()

    ledger.check()
    print(f"\nemptied: {len(ledger.kept)} kept, quiet after {quiet_after:.1f} s")
    assert ledger.refused == {}
    assert quiet_after < 60


def test_a_worker_that_wakes_up_too_late_changes_nothing(own: Stack, ledger: Ledger) -> None:
    """Frozen in the middle of its work, past its lease; another does the work; then it goes on."""
    task, zombie = freeze_in_the_middle(ledger)
    try:
        ledger.change("UPDATE memories_task SET lease_until = now() - interval '1 s' WHERE id = %s", task)
        quiet_after = ledger.wait_until_quiet()
    finally:
        os.kill(zombie, signal.SIGCONT)
    let_time_pass(2, "the late worker finishes its attempt")

    ledger.check()
    fence = ledger.query("SELECT fence, crashes FROM memories_task WHERE id = %s", task)
    print(f"\nzombie: quiet after {quiet_after:.1f} s, fence and crashes {fence}")
    assert fence == [(2, 1)]


def freeze_in_the_middle(ledger: Ledger) -> tuple[str, int]:
    """A running task and the process that was stopped while it had it."""
    running = "SELECT id::text, worker FROM memories_task WHERE state = 'running'"
    for _ in range(20):
        ledger.write()
        until = time.monotonic() + 5
        while not (rows := ledger.query(running)) and time.monotonic() < until:
            pass
        if rows:
            task, worker = rows[0]
            process = int(worker.rpartition(":")[2])
            os.kill(process, signal.SIGSTOP)
            let_time_pass(0.2, "a signal takes effect a moment later")
            if (task, worker) in ledger.query(running):
                return task, process
            os.kill(process, signal.SIGCONT)
    raise AssertionError("no task was caught at work")


def test_a_worker_that_is_asked_to_stop_stops_soon_and_gives_up_nothing(own: Stack, ledger: Ledger) -> None:
    wait_for_worker(own)

    stopped_after: list[float] = []
    ledger.write_for(4, (2.0, lambda: stopped_after.append(stop_worker(own))))

    quiet_after = ledger.wait_until_quiet()
    print(f"\nstopped after {stopped_after[0]:.1f} s, quiet after {quiet_after:.1f} s")
    ledger.check()
    assert (
        ledger.query("SELECT 1 FROM memories_task WHERE crashes > 0 AND created_at > %s", ledger.began) == []
    )


def wait_for_worker(own: Stack) -> None:
    """A worker that was asked before it is ready knows nothing of giving back."""
    wait_until(lambda: len(list_worker_children(own)) >= 2)
    let_time_pass(2, "the worker installs its signal handlers after its processes began")


def list_worker_children(own: Stack) -> list[psutil.Process]:
    """None while the supervisor has not noticed yet that the last one is gone."""
    try:
        return psutil.Process(own.pids["worker"]).children() if own.pids["worker"] else []
    except psutil.NoSuchProcess:
        return []


def is_alive(process: int) -> bool:
    return psutil.pid_exists(process) and psutil.Process(process).status() != psutil.STATUS_ZOMBIE


def stop_worker(own: Stack) -> float:
    leader = own.pids["worker"]
    assert leader is not None
    began = time.monotonic()
    os.kill(leader, signal.SIGTERM)
    wait_until(lambda: not is_alive(leader))
    return time.monotonic() - began
