"""Usage of an account, what is left, and a forecast: the same numbers that are enforced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import BigIntegerField, QuerySet, Value
from django.utils import timezone

from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.metering.meters import TOKENS, Meter, get_monthly_allowance
from tenancy.metering.quota import get_first_of_month, get_next_month
from tenancy.models import Account
from tenancy.models.usage import QuotaMonth, Reservation, SubjectUsage, UsageDay

# A forecast looks at so many days at most: what was usual a month ago may not be so now.
LOOKED_AT = 7
_TAKEN = "SELECT meter, taken, granted FROM tenancy_taken(%s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Standing:
    """Usage of one meter in one month. `held` is reserved by running calls."""

    meter: Meter
    used: int
    held: int
    allowed: int | None
    forecast: int

    @property
    def left(self) -> int | None:
        return None if self.allowed is None else max(0, self.allowed - self.used - self.held)

    @property
    def percent(self) -> int:
        """Return how much of what is allowed is used; rounded down, so that 100 means that nothing is left."""
        if self.allowed is None:
            return 0
        return min(100, 100 * self.used // self.allowed) if self.allowed else 100


class Grouping(StrEnum):
    METER = "api"
    DAY = "day"
    PROJECT = "project"
    KEY = "key"
    SUBJECT = "user"


COLUMNS = {
    Grouping.METER: "meter",
    Grouping.DAY: "day",
    Grouping.PROJECT: "project_id",
    Grouping.KEY: "api_key_id",
    Grouping.SUBJECT: "subject",
}


@dataclass(frozen=True, slots=True)
class UsageFilter:
    """Filter of usage; first and last day are inclusive. Without a meter: all calls, with or without tokens."""

    first: date
    last: date
    project: UUID | None = None
    key: UUID | None = None
    meter: Meter | None = None
    subject: str = ""
    with_tokens: bool = True

    def of(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.filter(day__range=(self.first, self.last))
        if self.meter is None and not self.with_tokens:
            rows = rows.exclude(meter__in=TOKENS)
        named: dict[str, Any] = {"project_id": self.project, "api_key_id": self.key, "meter": self.meter}
        if self.subject:
            named["subject"] = self.subject
        return rows.filter(**{name: value for name, value in named.items() if value is not None})


@dataclass(slots=True)
class UsageSums:
    """Sums of usage. `refused` calls failed and cost nothing; they are not known per end user."""

    used: int = 0
    refused: int = 0


def _open_account_scope(account: Account) -> AbstractContextManager[object]:
    """The account's, if it is not open already."""
    if get_active_scope() == Scope.of_account(account) and connection.in_atomic_block:
        return nullcontext()
    return tenant_scope(Scope.of_account(account))


def get_today() -> date:
    return timezone.now().astimezone(UTC).date()


def list_meter_standings(account: Account, day: date | None = None) -> list[Standing]:
    """Every meter in the month of that day, in their order."""
    day = day or get_today()
    month = get_first_of_month(day)
    with _open_account_scope(account):
        months = {row.meter: row for row in QuotaMonth.objects.within(account).filter(month=month)}
        daily = sum_usage(
            account,
            UsageFilter(month, get_next_month(month) - timedelta(days=1)),
            [Grouping.METER, Grouping.DAY],
        )
    standings = []
    for meter in Meter:
        by_day = {key[1]: sums.used for key, sums in daily.items() if key[0] == meter}
        used, kept = sum(by_day.values()), months.get(meter)
        allowed = get_monthly_allowance(account.plan, meter)
        if allowed is not None and kept is not None:
            allowed += kept.granted
        held = max(0, kept.taken - used) if kept is not None else 0
        standings.append(Standing(meter, used, held, allowed, _forecast_usage(by_day, day)))
    return standings


@dataclass(frozen=True, slots=True)
class MeterFillLevel:
    """Use of a meter this month, running calls included."""

    meter: Meter
    month: date
    taken: int
    allowed: int

    @property
    def percent(self) -> int:
        return min(100, 100 * self.taken // self.allowed) if self.allowed else 100


def list_meter_fill_levels(account: Account) -> list[MeterFillLevel]:
    """Fill levels of all limited meters in one query, because every page shows them. In any scope."""
    month = get_first_of_month(get_today())
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN, [account.pk, month, connection.in_atomic_block])
        rows = cursor.fetchall()
    levels = []
    for name, taken, granted in rows:
        allowed = get_monthly_allowance(account.plan, Meter(name))
        if allowed is not None:
            levels.append(MeterFillLevel(Meter(name), month, taken, allowed + granted))
    return levels


def _forecast_usage(by_day: dict[Any, int], day: date) -> int:
    """Forecast the usage at the month's end from the days so far; today counts in proportion to its hours."""
    used = sum(by_day.values())
    began = max(get_first_of_month(day), day - timedelta(days=LOOKED_AT - 1))
    now = timezone.now().astimezone(UTC)
    share_of_today = (now - datetime.combine(day, datetime.min.time(), UTC)) / timedelta(days=1)
    share_of_today = min(1.0, max(share_of_today, 0.0))
    lasted = (day - began).days + share_of_today
    lately = sum(count for past_day, count in by_day.items() if past_day >= began)
    to_come = (get_next_month(day) - day).days - share_of_today
    return used + round(lately / max(lasted, 0.25) * to_come)


_SUMS = """
SELECT {columns}, sum(used)::bigint, sum(refused)::bigint FROM ({rows}) AS counted GROUP BY {columns}
"""


def sum_usage(
    account: Account, wanted: UsageFilter, by: Sequence[Grouping]
) -> dict[tuple[Any, ...], UsageSums]:
    """Usage grouped as asked, including what is not rolled up yet; in one statement, so that what is rolled up at the
    same time is counted once."""
    columns = [COLUMNS[grouping] for grouping in by]
    model = SubjectUsage if Grouping.SUBJECT in by or wanted.subject else UsageDay
    with _open_account_scope(account), connection.cursor() as cursor:
        sql, values = _unite_rows(account, wanted, columns, model).query.sql_with_params()
        cursor.execute(_SUMS.format(columns=", ".join(columns), rows=sql), values)
        return {tuple(key): UsageSums(used, refused) for *key, used, refused in cursor.fetchall()}


# The database keeps the first ones only: of a hundred thousand end users a page shows a hundred.
_LEADING = """
SELECT subject, sum(used)::bigint AS used, count(*) OVER () FROM ({rows}) AS counted
 GROUP BY subject ORDER BY used DESC, subject LIMIT %s
"""


def list_leading_subjects(account: Account, wanted: UsageFilter, most: int) -> tuple[dict[str, int], int]:
    """End users and agents by usage, highest first; and how many there are."""
    with _open_account_scope(account), connection.cursor() as cursor:
        rows = _unite_rows(account, wanted, ["subject"], SubjectUsage)
        sql, values = rows.query.sql_with_params()
        cursor.execute(_LEADING.format(rows=sql), [*values, most])
        leaders = cursor.fetchall()
    return {subject: used for subject, used, _ in leaders}, leaders[0][2] if leaders else 0


# Ordered as Python orders the texts of keys and names, whatever the database's collation; a deleted project comes last.
_DAILY = """
SELECT {columns}, sum(used)::bigint, sum(refused)::bigint
  FROM (SELECT {texts}, used, refused FROM ({rows}) AS counted) AS named
 WHERE ({columns}) > ({after}) GROUP BY {columns} ORDER BY {columns} LIMIT %s
"""
PAGE = 10_000


class DailyUsage(NamedTuple):
    """Usage of one day and one group. `values`: what the group has for each grouping that was asked for."""

    day: date
    values: tuple[str, ...]
    sums: UsageSums


def iterate_daily_usage(
    account: Account, wanted: UsageFilter, by: Sequence[Grouping]
) -> Iterator[DailyUsage]:
    """Usage of each day, grouped and ordered as asked, including what is not rolled up yet.

    Each page is read in a scope of its own, so that no transaction stays open while somebody downloads them.
    """
    for number in range((wanted.last - wanted.first).days + 1):
        day, after = wanted.first + timedelta(days=number), ("",) * len(by)
        of_day = replace(wanted, first=day, last=day)
        while page := _load_daily_page(account, of_day, by, after):
            for *values, used, refused in page:
                yield DailyUsage(day, tuple(values), UsageSums(used, refused))
            after = tuple(page[-1][: len(by)])
            if len(page) < PAGE:
                break


def _load_daily_page(
    account: Account, wanted: UsageFilter, by: Sequence[Grouping], after: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    columns = [COLUMNS[grouping] for grouping in by]
    model = SubjectUsage if Grouping.SUBJECT in by or wanted.subject else UsageDay
    with _open_account_scope(account), connection.cursor() as cursor:
        sql, values = _unite_rows(account, wanted, columns, model).query.sql_with_params()
        page = _DAILY.format(
            columns=", ".join(columns),
            texts=", ".join(f"coalesce({name}::text, 'none') COLLATE \"C\" AS {name}" for name in columns),
            rows=sql,
            after=", ".join(["%s"] * len(columns)),
        )
        cursor.execute(page, [*values, *after, PAGE])
        return cursor.fetchall()


def _unite_rows(account: Account, wanted: UsageFilter, columns: Sequence[str], model: Any) -> QuerySet[Any]:
    """Rows of the days and of the journal: these columns, `used` and `refused`; inside the account's scope."""
    none = Value(0, BigIntegerField())
    days = wanted.of(model.objects.within(account))
    fresh = wanted.of(Reservation.objects.within(account).exclude(used=None)).annotate(refused=none)
    if model is SubjectUsage:
        days, fresh = days.annotate(refused=none), fresh.exclude(subject="")
    rows = [queryset.order_by().values_list(*columns, "used", "refused") for queryset in (days, fresh)]
    return rows[0].union(rows[1], all=True)
