"""Visibility of the trash: row-level security hides it from every query except inside `seeing_trash`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

SWITCH = "SELECT coalesce(current_setting('engram.trash', true), ''), set_config('engram.trash', %s, true)"


@contextmanager
def seeing_trash() -> Iterator[None]:
    """Make rows in the trash visible, so that they may be changed and deleted. Inside a tenant scope.

    The block is atomic, so that a failure inside rolls the switch back too.
    """
    with transaction.atomic():
        before = _execute_switch("on")
        yield
        _execute_switch(before)


def _execute_switch(value: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(SWITCH, [value])
        row = cursor.fetchone()
    return str(row[0]) if row else ""
