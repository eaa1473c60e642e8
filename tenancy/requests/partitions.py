"""Request logs lie in a table for each day: made ahead, and dropped whole when their time is over."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connection

AHEAD = 7
# As far back as a day may have to be made for what came while nobody made days.
BACK = 31


def create_partitions(today: date) -> list[date]:
    """Makes the days that are not there yet; a day whose lock nobody lets go is left to the next round."""
    days = [today + timedelta(days=offset) for offset in range(-BACK, AHEAD + 1)]
    return [day for day in days if _asked("SELECT tenancy_make_log_day(%s)", day)]


def drop_partitions(before: datetime) -> list[str]:
    """Drops every day that ended before then, and says which."""
    dropped: list[str] = _asked("SELECT tenancy_drop_log_days(%s)", before)
    return dropped


def today() -> date:
    return datetime.now(UTC).date()


def _asked(statement: str, value: date | datetime) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, [value])
        row = cursor.fetchone()
        return row[0] if row else None
