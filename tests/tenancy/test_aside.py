"""What answers do not wait for is stored together a moment later, and before a process ends."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from tenancy.aside import Aside, store_waiting


def test_a_process_that_stops_stores_what_waits() -> None:
    batches: list[list[int]] = []
    aside: Aside[int] = Aside("numbers", batches.append)
    aside.put(1)
    aside.put(2)

    # Hints have a loop of their own, for which the browser's leaves no room in this thread.
    with ThreadPoolExecutor(1) as stopping:
        stopping.submit(store_waiting).result()

    assert [number for batch in batches for number in batch] == [1, 2]


def test_what_comes_together_is_stored_together_and_once() -> None:
    batches: list[list[int]] = []
    aside: Aside[int] = Aside("numbers", batches.append)
    for number in range(50):
        aside.put(number)

    until = time.monotonic() + 10
    while sum(map(len, batches)) < 50 and time.monotonic() < until:
        time.sleep(0.02)

    assert [number for batch in batches for number in batch] == list(range(50))
    assert len(batches) <= 2
