"""Requests of a span counted by outcome in equal steps of time, with bounded reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

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


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts by outcome of each step from `since` to `until`. `complete_since` is later than `since` where there were
    more requests than are counted."""

    since: datetime
    until: datetime
    step: timedelta
    counts: dict[datetime, Counter[str]] = field(default_factory=dict)
    complete_since: datetime | None = None

    def starts(self) -> list[datetime]:
        steps = round((self.until - self.since) / self.step)
        return [self.since + number * self.step for number in range(steps)]


def step_of(span: timedelta) -> timedelta:
    """The shortest step of which no more than `MOST_STEPS` are needed; of years, a part of them."""
    fitting = (step for step in STEPS if span <= step * (MOST_STEPS - 1))
    return next(fitting, timedelta(days=3 + span.days // (MOST_STEPS - 1)))


def count_requests(entries: QuerySet[RequestLog], since: datetime, until: datetime) -> Histogram:
    """The requests among `entries` within the span; inside the project's scope. Its ends are moved to whole steps."""
    step = step_of(until - since)
    seconds = step.total_seconds()
    first = datetime.fromtimestamp(since.timestamp() // seconds * seconds, UTC)
    last = datetime.fromtimestamp(-(-until.timestamp() // seconds) * seconds, UTC)
    rows = entries.filter(created_at__gte=since, created_at__lt=until)
    newest = rows.order_by("-created_at").values("created_at", "http_status", "code")[:MOST]
    inner, values = newest.query.sql_with_params()
    counts: dict[datetime, Counter[str]] = {}
    total, oldest = 0, until
    with connection.cursor() as cursor:
        # Of parameters only: the rows' own query is made by Django.
        cursor.execute(_COUNTS.format(rows=inner), [seconds, *values])
        for number, outcome, count, begun in cursor.fetchall():
            at = datetime.fromtimestamp(number * seconds, UTC)
            counts.setdefault(at, Counter())[outcome] += count
            total, oldest = total + count, min(oldest, begun)
    return Histogram(first, last, step, counts, oldest if total >= MOST else None)
