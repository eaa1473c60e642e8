"""Daily partitions of the request log: created ahead, dropped whole after their retention."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connection

AHEAD = 7
# As far back as a day may have to be made for what came while nobody made days.
BACK = 31


def create_partitions(today: date) -> list[date]:
    """Create missing partitions; a day whose lock is held elsewhere is left to the next run."""
    days = [today + timedelta(days=offset) for offset in range(-BACK, AHEAD + 1)]
    return [day for day in days if _query_value("SELECT tenancy_make_log_day(%s)", day)]


def drop_partitions(before: datetime) -> list[str]:
    """Drop every partition of days before then, and return them."""
    dropped: list[str] = _query_value("SELECT tenancy_drop_log_days(%s)", before)
    return dropped


def get_today() -> date:
    return datetime.now(UTC).date()


def _query_value(statement: str, value: date | datetime) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, [value])
        row = cursor.fetchone()
        return row[0] if row else None
