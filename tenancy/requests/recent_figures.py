"""Figures of the newest requests of projects: counts by hour, endpoint and code, and response times. No body is read.

A read is bounded by its time window and by a number of rows, which the index by project and time gives newest first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models.expressions import RawSQL

from tenancy.models import Project, RequestLog
from tenancy.requests.latency import SHORTEST, STEP, Route

WINDOW, HOUR = timedelta(hours=24), timedelta(hours=1)
# So many requests are looked at, the newest; of several projects each gets its part.
MOST = 40_000
LATEST_FAILURES = 5

# The index `request_log_figures` holds all that is read. Requests that are alike are counted first, and then summed by
# each grouping: a group of thousands is added up once. Times by the hour are asked for one endpoint only: for all of
# them there would be ten thousands of groups. Hours are numbered since 1970.
_RECENT = f"""
WITH alike AS (
    SELECT project.id AS project, endpoint, code, is_broken, date_trunc('hour', created_at, 'UTC') AS begun,
           greatest(0, ceil(ln(greatest(milliseconds, {SHORTEST}) / {SHORTEST}) / ln({STEP})))::int AS step,
           count(*) AS count, max(milliseconds) AS slowest, min(created_at) AS first_at
      FROM unnest(%(projects)s::uuid[]) AS project(id)
     CROSS JOIN LATERAL (
           SELECT created_at, endpoint, code, http_status >= 500 AS is_broken, milliseconds
             FROM tenancy_requestlog
            WHERE project_id = project.id AND created_at >= %(since)s AND created_at < %(until)s
            ORDER BY created_at DESC LIMIT %(most)s) AS newest
     GROUP BY project.id, endpoint, code, is_broken, begun, step
), numbered AS (
    SELECT alike.*, hour.number AS hour, CASE WHEN endpoint = %(timed)s THEN hour.number END AS timed_hour
      FROM alike CROSS JOIN LATERAL (SELECT extract(epoch FROM begun)::bigint / 3600 AS number) AS hour
)
SELECT CASE WHEN grouping(project) = 0 THEN 'project' WHEN grouping(code) = 0 THEN 'group'
            WHEN grouping(endpoint) = 0 THEN 'route' ELSE 'hour' END,
       coalesce(hour, timed_hour, 0), endpoint, code, is_broken, step, sum(count)::bigint, max(slowest),
       CASE WHEN grouping(project) = 0 THEN min(first_at) END
  FROM numbered
 GROUP BY GROUPING SETS ((project), (hour, endpoint, code, is_broken), (endpoint, step), (timed_hour, step))
"""  # noqa: S608  # numbers of ours
# Of the newest requests, as above, until enough have failed.
_FAILURES = """
SELECT id FROM (
    SELECT id, created_at, code FROM tenancy_requestlog
     WHERE project_id = %s AND created_at >= %s AND created_at < %s ORDER BY created_at DESC LIMIT %s) AS newest
 WHERE code <> 0 ORDER BY created_at DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """Requests that began in the same hour (UTC), with the same endpoint and code."""

    hour: datetime
    endpoint: str
    code: int
    is_broken: bool
    count: int


@dataclass(slots=True)
class RouteFigures(Route):
    """Calls of one route, or of all of them; `failed` ones were answered with a code other than 0."""

    failed: int = 0

    def add_times(self, step: int, count: int, slowest: float) -> None:
        self.steps[step] += count
        self.slowest = max(self.slowest, slowest)

    def add_outcome(self, group: RequestGroup) -> None:
        self.broken += group.count if group.is_broken else 0
        self.failed += group.count if group.code else 0

    @property
    def refused(self) -> int:
        """Calls that failed and not because of the server."""
        return self.failed - self.broken

    @property
    def failed_share(self) -> float:
        return self.failed / self.count if self.count else 0.0


@dataclass(slots=True)
class RecentRequests:
    """Requests in a window; where `is_cut`, nothing before `first_at` was looked at.

    `total` are all calls together, `timed_hours` the durations of one endpoint by the hour.
    """

    since: datetime
    until: datetime
    first_at: datetime
    is_cut: bool = False
    groups: list[RequestGroup] = field(default_factory=list)
    total: RouteFigures = field(default_factory=lambda: RouteFigures(""))
    timed_hours: dict[datetime, RouteFigures] = field(default_factory=dict)
    _routes: dict[str, RouteFigures] = field(default_factory=dict)

    def list_hours(self) -> list[datetime]:
        """The beginnings of all hours that the window touches."""
        first = self.since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        return [first + HOUR * number for number in range(int((self.until - first) / HOUR) + 1)]

    def route(self, endpoint: str) -> RouteFigures:
        return self._routes.setdefault(endpoint, RouteFigures(endpoint))

    def list_routes(self) -> list[RouteFigures]:
        """Each endpoint that was called, the most called first."""
        called = [route for route in self._routes.values() if route.count]
        return sorted(called, key=lambda route: (-route.count, route.endpoint))

    def counts_by_hour(self, key: Callable[[RequestGroup], Any]) -> dict[datetime, Counter[Any]]:
        """Counts of each hour by what `key` makes of a group."""
        counts: dict[datetime, Counter[Any]] = defaultdict(Counter)
        for group in self.groups:
            counts[group.hour][key(group)] += group.count
        return counts

    def read(self, rows: Sequence[tuple[Any, ...]], most: int) -> None:
        for level, hour_number, endpoint, code, is_broken, step, count, slowest, at in rows:
            hour = datetime.fromtimestamp(hour_number * 3600, UTC)
            if level == "project" and count >= most:
                self.is_cut, self.first_at = True, max(self.first_at, at) if self.is_cut else at
            elif level == "group":
                group = RequestGroup(hour, endpoint, code, is_broken, count)
                self.groups.append(group)
                for figures in (self.route(endpoint), self.total):
                    figures.add_outcome(group)
            elif level == "route":
                for figures in (self.route(endpoint), self.total):
                    figures.add_times(step, count, slowest)
            elif level == "hour" and hour_number:
                self.timed_hours.setdefault(hour, RouteFigures("")).add_times(step, count, slowest)


def load_recent_requests(
    projects: Sequence[UUID], until: datetime, most: int = MOST, timed: str = ""
) -> RecentRequests:
    """The requests of these projects in the `WINDOW` before that time; inside their project's or account's scope."""
    since = until - WINDOW
    each = max(1, most // max(1, len(projects)))
    wanted: dict[str, Any] = {
        "projects": list(projects),
        "since": since,
        "until": until,
        "most": each,
        "timed": timed,
    }
    recent = RecentRequests(since, until, since)
    with connection.cursor() as cursor:
        cursor.execute(_RECENT, wanted)
        recent.read(cursor.fetchall(), each)
    return recent


def list_failures(project: Project, recent: RecentRequests) -> list[RequestLog]:
    """The latest failed requests among these, newest first, without bodies; inside the project's scope."""
    failed = RawSQL(_FAILURES, [project.pk, recent.since, recent.until, MOST, LATEST_FAILURES])  # noqa: S611  # ours
    entries = RequestLog.objects.within(project).filter(pk__in=failed, created_at__gte=recent.since)
    light = entries.defer("request_body", "response_body", "trace")
    return list(light.order_by("-created_at", "-pk"))
