"""Work that ends in the middle, at a statement to the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


class SimulatedKill(BaseException):
    """As if the process were killed: no code of ours may catch it."""


class SimulatedFailure(Exception):
    """An error that nothing expects: it fails a task or a request, and is reported."""


@contextmanager
def dying_at(statement: int, cause: type[BaseException] = SimulatedKill) -> Iterator[list[str]]:
    """Raise `cause` in place of the n-th statement, counted from 1. Yields the statements until then."""
    asked: list[str] = []

    def count(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        asked.append(sql)
        if len(asked) == statement:
            raise cause
        return execute(sql, *arguments)

    with connection.execute_wrapper(count):
        yield asked


@contextmanager
def dying_at_change(change: int, cause: type[BaseException] = SimulatedKill) -> Iterator[None]:
    """Raise `cause` in place of the n-th statement that is no mere reading, counted from 1.

    Work that dies at a reading leaves what it leaves when it dies at the change before it, or at the next one.
    """
    changes = 0

    def count(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal changes
        if not sql.startswith("SELECT") or " FOR " in sql:  # the latter locks what it reads
            changes += 1
            if changes == change:
                raise cause
        return execute(sql, *arguments)

    with connection.execute_wrapper(count):
        yield
