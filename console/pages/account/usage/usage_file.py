"""Usage as a CSV file: every day, project, key or end user, and API of the choice, for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.http import HttpResponseBase

from console.ui.texts.spreadsheet_cells import write_csv_row
from skills.catalogue.archive import Download
from skills.catalogue.download_views import build_attachment_response
from tenancy.metering.usage import Grouping, UsageFilter, get_today, iterate_daily_usage
from tenancy.models import Account

# How the account calls a project, a key or an end user.
Naming = Callable[[Grouping, Any], str]


def build_file_response(
    account: Account, wanted: UsageFilter, naming: Naming, *, of_subjects: bool
) -> HttpResponseBase:
    groupings = [Grouping.PROJECT, Grouping.SUBJECT if of_subjects else Grouping.KEY, Grouping.METER]
    name = f"usage-{get_today().isoformat()}.csv"
    lines = _write_lines(account, wanted, groupings, naming)
    return build_attachment_response(Download(name, "text/csv; charset=utf-8", lines))


def _write_lines(
    account: Account, wanted: UsageFilter, groupings: Sequence[Grouping], naming: Naming
) -> Iterator[bytes]:
    names = [Grouping.DAY, *groupings]
    yield write_csv_row([*(grouping.value for grouping in names), "used", "not_charged"])
    for usage in iterate_daily_usage(account, wanted, groupings):
        cells = [
            value if grouping == Grouping.METER else naming(grouping, value)
            for grouping, value in zip(groupings, usage.values, strict=True)
        ]
        yield write_csv_row([usage.day.isoformat(), *cells, usage.sums.used, usage.sums.refused])
