"""For tests in which one transaction waits for another."""

from __future__ import annotations

import time

from django.db import connection

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


def wait_until_somebody_waits(seconds: float = 20) -> None:
    """Until a transaction wants what another one, most likely the test's own, has locked."""
    until = time.monotonic() + seconds
    with connection.cursor() as cursor:
        while True:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
            assert time.monotonic() < until, "nobody waits for a lock"
            time.sleep(0.02)
