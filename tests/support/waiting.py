"""For tests that wait for what somebody else does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

Seen = TypeVar("Seen")
FIRST_PAUSE, LONGEST_PAUSE = 0.03, 0.2
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def wait_until_somebody_waits(seconds: float = 20) -> None:
    """Until another transaction wants what the one of this thread has locked."""
    until = time.monotonic() + seconds
    with connection.cursor() as cursor:
        while True:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
            assert time.monotonic() < until, "nobody waits for a lock"
            time.sleep(0.02)


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> None:
    look_until(is_so, bool, seconds)


def look_until(
    look: Callable[[], Seen],
    is_it: Callable[[Seen], bool],
    seconds: float,
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
