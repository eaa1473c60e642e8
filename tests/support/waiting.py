"""Waiting: the only place where a test sleeps.

Wait for what can be seen (`wait_until`, `look_until`). Let time pass only where its passing is what is tested, or where
a cache of another process has to expire, and name the reason.
The limits only end a wait in vain: generous ones, for machines with several times as much to do as they have cores.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

Seen = TypeVar("Seen")
FIRST_PAUSE, LONGEST_PAUSE = 0.03, 0.2
LIMIT = 240.0  # seconds
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def wait_until_somebody_waits(seconds: float = LIMIT) -> None:
    """Until another transaction wants what the one of this thread has locked."""
    until = time.monotonic() + seconds
    with connection.cursor() as cursor:
        while True:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
            assert time.monotonic() < until, "nobody waits for a lock"
            time.sleep(0.02)


def wait_until(is_so: Callable[[], bool], seconds: float = LIMIT) -> None:
    look_until(is_so, bool, seconds)


def look_until(
    look: Callable[[], Seen],
    is_it: Callable[[Seen], bool],
    seconds: float = LIMIT,
    otherwise: str = "it never came true",
) -> Seen:
    """What is seen when it is it at last.

    Looks ever more seldom: a look costs the installation a tenth of the time in which it could do what is waited for.
    """
    until, pause = time.monotonic() + seconds, FIRST_PAUSE
    while not is_it(seen := look()):
        assert time.monotonic() < until, f"{otherwise}: {seen}"
        time.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE)
    return seen


def let_time_pass(seconds: float, reason: str) -> None:
    """Sleep for a fixed time, for a reason that no look can replace."""
    assert reason
    time.sleep(seconds)


async def let_loop_run(seconds: float = 0.0) -> None:
    """Let the other coroutines of the event loop run, for one turn or for a time."""
    await asyncio.sleep(seconds)


def let_keys_expire() -> None:
    """Until no process has a key, its plan or its limits in its cache any more: they are kept for one second."""
    let_time_pass(1.1, "keys are cached for one second")
