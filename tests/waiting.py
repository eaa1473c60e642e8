"""For tests in which one transaction waits for another."""

from __future__ import annotations

import time

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
