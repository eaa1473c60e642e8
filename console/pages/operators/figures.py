"""Usage and storage of accounts.

Each account's rows are counted inside its own scope: no role that serves pages sees two tenants at once, so a list
asks once for each account on it. A page of a list is short, hence so is that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, Sum

from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import NAMES, TOKENS, Meter, get_monthly_allowance
from tenancy.metering.quota import get_first_of_month
from tenancy.metering.usage import get_today
from tenancy.models import Account, Membership, Project
from tenancy.models.usage import QuotaMonth, UsageDay

# Beyond it a list says "more than": counting on would take longer than the page may.
COUNTED_TO = 10_000
STORED = f"""
SELECT (SELECT count(*) FROM (SELECT FROM memories_memcube cube JOIN memories_memory memory ON memory.cube_id = cube.id
                               WHERE cube.account_id = %(account)s LIMIT {COUNTED_TO + 1}) counted),
       (SELECT coalesce(sum(bytes_used), 0) FROM knowledgebase_knowledgebase WHERE account_id = %(account)s)
"""  # noqa: S608  # a number of ours


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """`memories` is one more than `COUNTED_TO` where there are more."""

    memories: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Month:
    """Calls that were charged this month, and the meter of which the largest share is taken."""

    calls: int
    fullest: Any
    percent: int


@dataclass(frozen=True, slots=True)
class AccountFigures:
    account: Account
    people: int
    projects: int
    month: Month
    stored: StoredFigures


def build_account_rows(accounts: Sequence[Account]) -> list[AccountFigures]:
    people = _count_by_account(Membership, accounts)
    projects = _count_by_account(Project, accounts)
    return [
        AccountFigures(
            account, people.get(account.pk, 0), projects.get(account.pk, 0), *_load_inside_figures(account)
        )
        for account in accounts
    ]


def _count_by_account(
    model: type[Membership] | type[Project], accounts: Iterable[Account]
) -> dict[UUID, int]:
    counted = model.objects.filter(account__in=accounts).order_by().values("account").annotate(n=Count("pk"))
    return dict(counted.values_list("account", "n"))


def _load_inside_figures(account: Account) -> tuple[Month, StoredFigures]:
    with tenant_scope(account):
        return _load_month(account), count_stored(account)


def count_stored(account: Account) -> StoredFigures:
    """Read inside the account's scope."""
    with connection.cursor() as cursor:
        cursor.execute(STORED, {"account": account.pk})
        memories, size = cursor.fetchone()
    return StoredFigures(memories, int(size))


def _load_month(account: Account) -> Month:
    """Open calls are in it, and those that no plan limits as soon as they are summed up."""
    month = get_first_of_month(get_today())
    taken = {row.meter: row for row in QuotaMonth.objects.within(account).filter(month=month)}
    unlimited = UsageDay.objects.within(account).filter(day__gte=month).exclude(meter__in=list(taken))
    calls = {name: row.taken for name, row in taken.items()} | dict(_sum_by_meter(unlimited))
    shares = [(_compute_percent(account, name, row), name) for name, row in taken.items()]
    percent, fullest = max(shares, default=(0, ""))
    limited = fullest and get_monthly_allowance(account.plan, Meter(fullest)) is not None
    return Month(
        sum(count for name, count in calls.items() if name not in TOKENS),
        NAMES[Meter(fullest)] if limited else "",
        percent,
    )


def _sum_by_meter(days: Any) -> list[tuple[str, int]]:
    return list(days.order_by().values("meter").annotate(n=Sum("used")).values_list("meter", "n"))


def _compute_percent(account: Account, meter: str, row: QuotaMonth) -> int:
    allowed = get_monthly_allowance(account.plan, Meter(meter))
    if allowed is None:
        return 0
    most = allowed + row.granted
    return min(100, 100 * row.taken // most) if most else 100
