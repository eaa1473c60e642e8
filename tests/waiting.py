"""For tests that wait for what somebody else does."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import connection

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
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.05)
