"""Response times by route: counts and durations only, no content.

Times are counted in steps of five per cent, because steps of many accounts can be added up and percentiles cannot. Such
a histogram with logarithmic steps is the one of DDSketch (Masson, Rim & Lee, VLDB 2019), but a percentile is here the
upper end of its step, not the middle: it is at most five per cent too high.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, ApiKey
from tenancy.requests.log import TOUCH_EVERY

STEP = 1.05
SHORTEST = 0.1  # milliseconds
SLOWEST = 20
MOST_ACCOUNTS = 200
MOST_SECONDS = 5.0

# By project, because that is what the log's index begins with.
_OF_ACCOUNT = """
  FROM tenancy_requestlog
 WHERE project_id = ANY(ARRAY(SELECT id FROM tenancy_project WHERE account_id = %(account)s))
   AND created_at >= %(since)s AND (%(endpoint)s = '' OR endpoint = %(endpoint)s)
"""
STEPS = f"""
SELECT endpoint, greatest(0, ceil(ln(greatest(milliseconds, {SHORTEST}) / {SHORTEST}) / ln({STEP})))::int, count(*),
       max(milliseconds), count(*) FILTER (WHERE http_status >= 500) {_OF_ACCOUNT} GROUP BY 1, 2
"""  # noqa: S608  # numbers of ours
SINGLE = f"""
SELECT request_id, project_id, endpoint, milliseconds, code, http_status, created_at
{_OF_ACCOUNT} ORDER BY milliseconds DESC LIMIT {SLOWEST}
"""  # noqa: S608


@dataclass(slots=True)
class Route:
    """Calls of one route. `broken` ones were answered with 5xx. Times are in milliseconds.

    `steps`: how many calls took up to `SHORTEST * STEP**step`, and longer than the step before.
    """

    endpoint: str
    steps: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    broken: int = 0

    @property
    def count(self) -> int:
        return self.steps.total()

    @property
    def median(self) -> float:
        return self.within(0.5)

    @property
    def p95(self) -> float:
        return self.within(0.95)

    @property
    def p99(self) -> float:
        return self.within(0.99)

    def within(self, share: float) -> float:
        """The milliseconds that this share of the calls did not exceed."""
        wanted, seen = math.ceil(share * self.count), 0
        for step in sorted(self.steps):
            seen += self.steps[step]
            if seen >= wanted:
                return min(SHORTEST * STEP**step, self.slowest)
        return 0.0


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One request, by its ids."""

    account: UUID
    request_id: str
    project: UUID
    endpoint: str
    milliseconds: float
    code: int
    http_status: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Timings:
    routes: list[Route]
    calls: list[TimedCall]
    accounts: int = 1
    is_cut: bool = False


@dataclass(slots=True)
class _TimingsReader:
    """Rows read so far, account by account."""

    since: datetime
    endpoint: str = ""
    routes: dict[str, Route] = field(default_factory=dict)
    calls: list[TimedCall] = field(default_factory=list)
    accounts: int = 0

    def read(self, account: UUID, *, with_calls: bool = True) -> None:
        wanted: dict[str, Any] = {"account": account, "since": self.since, "endpoint": self.endpoint}
        with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
            cursor.execute(STEPS, wanted)
            for row in cursor.fetchall():
                self._add_timings(*row)
            if with_calls:
                cursor.execute(SINGLE, wanted)
                self.calls += [TimedCall(account, *row) for row in cursor.fetchall()]
        self.accounts += 1

    def _add_timings(self, endpoint: str, step: int, count: int, slowest: float, broken: int) -> None:
        route = self.routes.setdefault(endpoint, Route(endpoint))
        route.steps[step] += count
        route.slowest, route.broken = max(route.slowest, slowest), route.broken + broken

    def build_timings(self, *, is_cut: bool = False) -> Timings:
        routes = sorted(self.routes.values(), key=lambda route: route.p95, reverse=True)
        calls = sorted(self.calls, key=lambda call: call.milliseconds, reverse=True)
        return Timings(routes, calls[:SLOWEST], self.accounts, is_cut)


def load_route_timings(account: Account, since: datetime, endpoint: str = "") -> Timings:
    reader = _TimingsReader(since, endpoint)
    reader.read(account.pk)
    return reader.build_timings()


def load_routes(account: Account, since: datetime) -> list[Route]:
    """Routes without single calls, which would have to be sorted by duration."""
    reader = _TimingsReader(since)
    reader.read(account.pk, with_calls=False)
    return reader.build_timings().routes


def load_all_route_timings(since: datetime, endpoint: str = "", *, seconds: float = MOST_SECONDS) -> Timings:
    """Timings of all accounts used since then, each in its own scope, most recently used first.

    As many as `MOST_ACCOUNTS`, and no other one is begun after so many seconds: somebody waits for the page.
    """
    active, reader = list_accounts_called_since(since), _TimingsReader(since, endpoint)
    stop = time.monotonic() + seconds
    for account in active[:MOST_ACCOUNTS]:
        if time.monotonic() >= stop:
            break
        reader.read(account)
    return reader.build_timings(is_cut=reader.accounts < len(active))


def list_accounts_called_since(since: datetime) -> list[UUID]:
    """The accounts whose keys were used, the last first. Keys are not marked at every call, hence the allowance."""
    used = ApiKey.objects.filter(last_used_at__gte=since - TOUCH_EVERY - timedelta(seconds=5))
    latest = used.order_by().values("account_id").annotate(at=Max("last_used_at")).order_by("-at")
    return list(latest.values_list("account_id", flat=True)[: MOST_ACCOUNTS + 1])
