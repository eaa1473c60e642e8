"""Visibility of the trash: row-level security hides it from every query except inside `seeing_trash`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

SWITCH = "SELECT coalesce(current_setting('engram.trash', true), ''), set_config('engram.trash', %s, true)"


@contextmanager
def seeing_trash() -> Iterator[None]:
    """Inside a tenant's scope: rows in the trash are seen, and may be changed and deleted.

    Part of a transaction of its own, so that a failure inside takes the switch back with everything else.
    """
    with transaction.atomic():
        before = _switch("on")
        yield
        _switch(before)


def _switch(value: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(SWITCH, [value])
        row = cursor.fetchone()
    return str(row[0]) if row else ""
