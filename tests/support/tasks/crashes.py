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
