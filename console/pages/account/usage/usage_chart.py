"""Usage of a period as columns by the day, stacked by API or by what was charged."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

from django.utils.translation import gettext as _

from console.ui.charts import (
    Chart,
    ChartSlot,
    SeriesKind,
    choose_leading_kinds,
    draw_stacked_columns,
    fold_counts,
)
from tenancy.metering.meters import NAMES, Meter
from tenancy.metering.usage import Grouping, UsageFilter, UsageSums, sum_usage
from tenancy.models import Account

MOST_KINDS = 6
OUTCOME = "outcome"


def build_usage_chart(account: Account, wanted: UsageFilter, stack: str) -> Chart:
    """Build the chart of usage. Inside the account's tenant scope.

    Calls that failed and were not charged are known by API, not by end user.
    """
    usage = sum_usage(account, wanted, [Grouping.DAY, Grouping.METER])
    by_day = _sum_by_outcome(usage) if stack == OUTCOME else _sum_by_meter(usage)
    totals = sum(by_day.values(), Counter[Any]())
    if stack == OUTCOME:
        kinds = [
            SeriesKind("used", _("Charged"), "teal"),
            SeriesKind("refused", _("Failed, not charged"), "amber"),
        ]
    else:
        names = {meter: str(NAMES[Meter(meter)]) for meter in totals}
        kinds = choose_leading_kinds(totals, names, _("Other calls"), MOST_KINDS)
    days = [wanted.first + timedelta(days=number) for number in range((wanted.last - wanted.first).days + 1)]
    slots = [
        ChartSlot(f"{day:%m-%d}", day.isoformat(), fold_counts(by_day.get(day, {}), kinds)) for day in days
    ]
    return draw_stacked_columns(slots, kinds)


def _sum_by_meter(usage: dict[tuple[Any, ...], UsageSums]) -> dict[date, Counter[Any]]:
    by_day: dict[date, Counter[Any]] = defaultdict(Counter)
    for (day, meter), sums in usage.items():
        if sums.used:
            by_day[day][meter] += sums.used
    return by_day


def _sum_by_outcome(usage: dict[tuple[Any, ...], UsageSums]) -> dict[date, Counter[Any]]:
    by_day: dict[date, Counter[Any]] = defaultdict(Counter)
    for (day, _meter), sums in usage.items():
        by_day[day].update(used=sums.used, refused=sums.refused)
    return by_day
