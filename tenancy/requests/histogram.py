"""Requests of a span counted by outcome in equal steps of time, with bounded reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from tenancy.models import RequestLog

# So many requests are counted, the newest first.
MOST = 20_000
MOST_STEPS = 48
STEPS = [
    timedelta(seconds=seconds)
    for seconds in (1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800)
]
OK, REFUSED, BROKEN = "ok", "refused", "broken"

_COUNTS = """
SELECT floor(extract(epoch FROM created_at) / %s)::bigint AS step,
       CASE WHEN http_status >= 500 THEN 'broken' WHEN code = 0 THEN 'ok' ELSE 'refused' END AS outcome,
       count(*), min(created_at)
  FROM ({rows}) AS found GROUP BY 1, 2
"""
_IN_SPAN = (
    "SELECT * FROM matching WHERE created_at >= %s AND created_at < %s ORDER BY created_at DESC LIMIT %s"
)
# What takes long to find is found once, for the counts and for the list.
_COUNTS_AND_NEWEST = f"""
WITH matching AS MATERIALIZED ({{rows}})
SELECT counted.*, NULL::uuid FROM ({_COUNTS.format(rows=_IN_SPAN)}) AS counted
UNION ALL (
SELECT 0, '', 0, created_at, id FROM matching WHERE %s IS NULL OR (created_at, id) < (%s, %s)
 ORDER BY created_at DESC, id DESC LIMIT %s)
"""  # noqa: S608  # statements of ours


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts by outcome of each step from `since` to `until`. `complete_since` is later than `since` where there were
    more requests than are counted. `newest` are ids, where they were asked for."""

    since: datetime
    until: datetime
    step: timedelta
    counts: dict[datetime, Counter[str]] = field(default_factory=dict)
    complete_since: datetime | None = None
    newest: list[UUID] = field(default_factory=list)

    def starts(self) -> list[datetime]:
        steps = round((self.until - self.since) / self.step)
        return [self.since + number * self.step for number in range(steps)]


def choose_step(span: timedelta) -> timedelta:
    """The shortest step of which no more than `MOST_STEPS` are needed; of years, a part of them."""
    fitting = (step for step in STEPS if span <= step * (MOST_STEPS - 1))
    return next(fitting, timedelta(days=3 + span.days // (MOST_STEPS - 1)))


@dataclass(frozen=True, slots=True)
class NewestBefore:
    """The number of newest requests to count, before the one with this time and id if given."""

    most: int
    place: tuple[datetime, UUID] | None = None


def count_requests(
    entries: QuerySet[RequestLog], since: datetime, until: datetime, wanted: NewestBefore | None = None
) -> Histogram:
    """The requests among `entries` within the span; inside the project's scope. Its ends are moved to whole steps.

    With `wanted` all entries are looked at once, and the newest are named too: for those that take long to find.
    """
    step = choose_step(until - since)
    seconds = step.total_seconds()
    first = datetime.fromtimestamp(since.timestamp() // seconds * seconds, UTC)
    last = datetime.fromtimestamp(-(-until.timestamp() // seconds) * seconds, UTC)
    histogram = Histogram(first, last, step)
    total, oldest = 0, until
    for number, outcome, count, begun, *key in _read_counts(entries, since, until, seconds, wanted):
        if key and key[0]:
            histogram.newest.append(key[0])
            continue
        at = datetime.fromtimestamp(number * seconds, UTC)
        histogram.counts.setdefault(at, Counter())[outcome] += count
        total, oldest = total + count, min(oldest, begun)
    return replace(histogram, complete_since=oldest if total >= MOST else None)


def _read_counts(
    entries: QuerySet[RequestLog],
    since: datetime,
    until: datetime,
    seconds: float,
    wanted: NewestBefore | None,
) -> list[tuple[Any, ...]]:
    """Statements of parameters only: the rows' own query is made by Django."""
    if wanted is None:
        rows = entries.filter(created_at__gte=since, created_at__lt=until)
        newest = rows.order_by("-created_at").values("created_at", "http_status", "code")[:MOST]
        inner, values = newest.query.sql_with_params()
        statement, parameters = _COUNTS.format(rows=inner), [seconds, *values]
    else:
        asked_of = entries.order_by().values("id", "created_at", "http_status", "code")
        inner, values = asked_of.query.sql_with_params()
        at, key = wanted.place or (None, None)
        statement = _COUNTS_AND_NEWEST.format(rows=inner)
        parameters = [*values, seconds, since, until, MOST, at, at, key, wanted.most]
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()
