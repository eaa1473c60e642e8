"""What answers do not wait for is stored together a moment later, and before a process ends."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connections

from console.configuration.logs import JSONFormatter
from tenancy.runtime.background_writer import MAX_WAITING, BackgroundWriter, flush_all_writers
from tests.support.waiting import LIMIT, wait_until


def test_a_process_that_stops_stores_what_waits() -> None:
    batches: list[list[int]] = []
    aside: BackgroundWriter[int] = BackgroundWriter("numbers", batches.append)
    aside.put(1)
    aside.put(2)

    # Hints have a loop of their own, for which the browser's leaves no room in this thread.
    with ThreadPoolExecutor(1) as stopping:
        stopping.submit(stop).result()

    assert [number for batch in batches for number in batch] == [1, 2]


def stop() -> None:
    """Writers of tests before this one may hold rows, for which this thread gets a connection."""
    try:
        flush_all_writers()
    finally:
        connections.close_all()


def test_what_comes_together_is_stored_together_and_once() -> None:
    batches: list[list[int]] = []
    aside: BackgroundWriter[int] = BackgroundWriter("numbers", batches.append)
    for number in range(50):
        aside.put(number)

    wait_until(lambda: sum(map(len, batches)) >= 50)

    assert [number for batch in batches for number in batch] == list(range(50))
    assert len(batches) <= 2


def test_what_is_dropped_because_too_much_waits_is_counted_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stored: list[int] = []
    is_away, may_end = Event(), Event()

    def store(numbers: list[int]) -> None:
        is_away.set()
        assert may_end.wait(LIMIT)
        stored.extend(numbers)

    aside: BackgroundWriter[int] = BackgroundWriter("numbers", store)
    aside.put(-1)
    assert is_away.wait(LIMIT)
    for number in range(MAX_WAITING + 7):
        aside.put(number)
    may_end.set()
    wait_until(lambda: MAX_WAITING + 6 in stored)

    lines = [json.loads(JSONFormatter().format(record)) for record in caplog.records]
    assert {"event": "aside_dropped", "reason": "numbers", "count": 7}.items() <= lines[-1].items()
    assert [line["event"] for line in lines].count("aside_full") == 1
    assert len(stored) == MAX_WAITING + 1


def test_who_fills_the_queue_loses_their_own_items_and_keeps_nobody_waiting() -> None:
    stored: list[tuple[str, int]] = []
    is_away, may_end = Event(), Event()

    def store(items: list[tuple[str, int]]) -> None:
        is_away.set()
        assert may_end.wait(LIMIT)
        stored.extend(items)

    aside: BackgroundWriter[tuple[str, int]] = BackgroundWriter(
        "shared", store, owner_of=lambda item: item[0]
    )
    aside.put(("loud", -1))
    assert is_away.wait(LIMIT)
    for number in range(3):
        aside.put(("quiet", number))
    for number in range(2 * MAX_WAITING):
        aside.put(("loud", number))
    may_end.set()
    wait_until(lambda: len(stored) == MAX_WAITING + 1)

    assert [number for owner, number in stored if owner == "quiet"] == [0, 1, 2]
    assert [owner for owner, _ in stored[:7]].count("quiet") == 3
