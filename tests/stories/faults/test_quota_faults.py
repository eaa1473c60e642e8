"""Quotas stay exact while the broker is restarted and the web server is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tenancy.metering.rate_limits import REDIS_PAUSE
from tests.support.api_client import Api
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import let_keys_expire, let_time_pass, look_until, wait_until


class Till:
    """The demo account's quotas, and what clients were answered."""

    def __init__(self, stack: Stack, accountant: Accountant) -> None:
        self.stack = stack
        self._accountant = accountant
        self.key = stack.demo["api_key"]
        self.answers: Counter[str] = Counter()

    def allow(self, calls: int, quota: str = "monthly_adds", meter: str = "add/message") -> None:
        """So many more than were taken before."""
        self._execute("UPDATE tenancy_plan SET most_requests_per_second = 5000")
        taken = "coalesce((SELECT max(taken) FROM tenancy_quotamonth WHERE meter = %s), 0)"
        self._execute(f"UPDATE tenancy_plan SET {quota} = %s + {taken}", [calls, meter])
        let_keys_expire()

    def allow_all(self) -> None:
        self._execute("UPDATE tenancy_plan SET monthly_adds = NULL, monthly_searches = NULL")
        let_keys_expire()

    def _execute(self, statement: str, values: list[Any] | None = None) -> Any:
        admin = Postgres(DataFolder(self.stack.path)).admin_url
        with psycopg.connect(admin, dbname="engram", autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchone() if cursor.description else None

    def stored(self) -> int:
        return int(self._execute("SELECT count(*) FROM memories_message")[0])

    def add(self, number: int) -> str:
        body = {
            "user_id": f"user {number % 7}",
            "conversation_id": "talk",
            "messages": [{"role": "user", "content": f"I have a cat called Rex {number}."}],
        }
        try:
            with Api(self.stack.url, self.key) as api:
                outcome = str(api.call("add/message", body).json()["code"])
        except httpx.TransportError:
            outcome = "no answer"
        self.answers[outcome] += 1
        return outcome

    def settled(self, meter: str = "ADD") -> dict[str, int]:
        """After whatever no process can be at any more was given back."""
        return self._accountant.settle(meter)

    @contextmanager
    def profiles_locked(self) -> Iterator[psycopg.Connection]:
        """Anyone who reads profiles waits meanwhile."""
        admin = Postgres(DataFolder(self.stack.path)).admin_url
        with psycopg.connect(admin, dbname="engram") as connection:
            connection.execute("LOCK TABLE memories_profile IN ACCESS EXCLUSIVE MODE")
            yield connection
            connection.rollback()

    @contextmanager
    def capped(self, calls: int) -> Iterator[None]:
        """The key may make so many calls a day."""
        self._execute("UPDATE tenancy_apikey SET daily_cap = %s", [calls])
        let_keys_expire()
        try:
            yield
        finally:
            self._execute("UPDATE tenancy_apikey SET daily_cap = NULL")
            let_keys_expire()

    def look(self, _number: int = 0) -> int:
        with Api(self.stack.url, self.key) as api:
            return int(api.call("get/memory", {"user_id": "kim"}).json()["code"])


SETTLE = """
import json, sys, django
django.setup()
from datetime import timedelta
from tenancy.metering.meters import Meter
from tenancy.models.account import Account
from tenancy.metering.usage import list_meter_standings
from tenancy.metering.rollup import expire_reservations, fold_usage
for line in sys.stdin:
    account = Account.objects.select_related("plan").get()
    expire_reservations(account.pk, timedelta(0))
    fold_usage(account.pk)
    one = next(one for one in list_meter_standings(account) if one.meter == Meter[line.strip()])
    print(json.dumps({"used": one.used, "held": one.held, "left": one.left}), flush=True)
"""


class Accountant:
    """A process of the installation, beside those that are killed."""

    def __init__(self, stack: Stack) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SETTLE],
            cwd=PROJECT_ROOT,
            env={**os.environ, **stack.environment, "DJANGO_SETTINGS_MODULE": "console.settings"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def settle(self, meter: str) -> dict[str, int]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{meter}\n")
        self._process.stdin.flush()
        numbers: dict[str, int] = json.loads(self._process.stdout.readline())
        return numbers

    def leave(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def accountant(own: Stack) -> Iterator[Accountant]:
    process = Accountant(own)
    yield process
    process.leave()


@pytest.fixture
def till(own: Stack, accountant: Accountant) -> Iterator[Till]:
    till = Till(own, accountant)
    yield till
    till.allow_all()


def test_a_restarted_broker_neither_gives_nor_takes_a_call(till: Till) -> None:
    before, paid = till.stored(), till.settled()
    till.allow(8)

    with ThreadPoolExecutor(12) as clients:
        sent = [clients.submit(till.add, number) for number in range(16)]
        wait_until(lambda: sum(future.done() for future in sent) > 6)
        till.stack.kill("valkey")

    assert till.answers == {"0": 8, "40304": 8}
    assert till.stored() - before == 8
    assert till.settled() == {"used": paid["used"] + 8, "held": 0, "left": 0}


def test_a_killed_web_server_leaves_no_call_paid_for_in_vain_and_none_for_nothing(till: Till) -> None:
    before, paid = till.stored(), till.settled()
    till.allow(500)

    with ThreadPoolExecutor(12) as clients:
        sent = [clients.submit(till.add, number) for number in range(20)]
        wait_until(lambda: sum(future.done() for future in sent) > 4)
        till.stack.kill("web")
    wait_until(lambda: till.add(1) == "0")

    assert till.answers["no answer"] > 0
    assert till.answers["0"] <= till.stored() - before
    settled = till.settled()
    assert (settled["used"] - paid["used"], settled["held"]) == (till.stored() - before, 0)


CUT = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"


def test_a_search_whose_database_goes_away_after_it_was_paid_for_costs_nothing(till: Till) -> None:
    paid = till.settled("SEARCH")
    till.allow(100, "monthly_searches", "search/memory")
    ask = {"user_id": "kim", "query": "Where do I live?", "include_memory_view": ["profile"]}

    with Api(till.stack.url, till.key) as api, ThreadPoolExecutor(1) as client:
        assert [api.call("search/memory", ask).json()["code"] for _ in range(2)] == [0, 0]
        with till.profiles_locked() as database:
            failing = client.submit(api.call, "search/memory", ask)
            wait_until(lambda: database.execute(CUT).rowcount > 0)

    assert failing.result().json()["code"] == 50004
    assert till.settled("SEARCH") == {"used": paid["used"] + 2, "held": 0, "left": 98}


def test_a_broker_that_stalls_lets_none_of_a_keys_calls_through_twice(till: Till) -> None:
    # Another test may have restarted it just now.
    broker = look_until(lambda: till.stack.pids.get("valkey") or 0, bool)
    with till.capped(10):
        before = [till.look() for _ in range(6)]
        os.kill(broker, signal.SIGSTOP)
        try:
            with ThreadPoolExecutor(8) as clients:
                meanwhile = list(clients.map(till.look, range(16)))
        finally:
            os.kill(broker, signal.SIGCONT)
        let_time_pass(REDIS_PAUSE + 0.1, "Redis is left alone for so long")
        afterwards = [till.look() for _ in range(4)]

    assert before == [0] * 6
    assert Counter(meanwhile) == {0: 4, 40304: 12}
    assert afterwards == [40304] * 4
