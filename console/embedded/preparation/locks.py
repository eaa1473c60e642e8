"""Advisory locks of the database, so that several hosts that share it take turns."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import psycopg


class Lock(IntEnum):
    """Numbers that nothing else in this database locks: "eng" and a digit, in ASCII."""

    START = 0x656E6701  # secrets are compared and the demo account is made
    SCHEMA = 0x656E6702  # migrations run; a backup holds it together with other backups
    ROLES = 0x656E6703  # roles, database and rights are made


class LockTaken(Exception):
    """Another process held the lock for as long as this one could wait."""


LOOK_EVERY = 0.5


@contextmanager
def hold_lock(url: str, lock: Lock, seconds: float, *, shared: bool = False) -> Iterator[None]:
    """The lock until the end, on a connection of its own, so that a killed process gives it back.

    Waits for it at most so many seconds, then raises `LockTaken`. It asks again and again, and has no transaction open:
    an index that is built concurrently would wait for a statement that waits, and for a transaction. The URL must
    reach the server itself: a pooler would give the connection, and the lock with it, to others.
    """
    function = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
    until = time.monotonic() + seconds
    with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
        while connection.execute(f"SELECT {function}(%s)", [int(lock)]).fetchone() != (True,):  # noqa: S608
            if time.monotonic() > until:
                raise LockTaken
            time.sleep(LOOK_EVERY)
        yield
