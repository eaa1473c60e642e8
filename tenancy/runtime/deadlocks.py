"""Transactions that wait for each other: the database breaks one off, which is then run again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected

Result = TypeVar("Result")
TRIES = 5


def retry_deadlocks(write: Callable[[], Result]) -> Result:
    """The result of a transaction. One that was broken off in a deadlock stored nothing, and is tried again.

    For what may run several times. Inside another transaction, which is broken off too, nothing is tried again.
    """
    for _ in range(TRIES - 1):
        try:
            return write()
        except OperationalError as error:
            if connection.in_atomic_block or not isinstance(error.__cause__, DeadlockDetected):
                raise
    return write()
