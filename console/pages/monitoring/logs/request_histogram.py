"""The requests of a time span as columns, each a link to its own span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from console.pages.monitoring.logs.filters import WantedLogs
from console.ui.charts import Chart, ChartSlot, SeriesKind, draw_stacked_columns
from tenancy.models import RequestLog
from tenancy.requests.histogram import BROKEN, OK, REFUSED, Histogram, NewestBefore, count_requests
from tenancy.requests.retention_settings import LONGEST_LOG_DAYS

# What is drawn where no span is chosen.
USUAL = timedelta(hours=24)
A_DAY = timedelta(days=1)
# Older requests are deleted.
LONGEST = timedelta(days=LONGEST_LOG_DAYS + 1)


@dataclass(frozen=True, slots=True)
class RequestHistogram:
    """`complete_since` is set where not everything was counted, `newest` where the list was asked for with it."""

    chart: Chart
    since: datetime
    until: datetime
    complete_since: datetime | None
    newest: list[UUID]


def build_histogram(
    request: HttpRequest,
    entries: QuerySet[RequestLog],
    wanted: WantedLogs,
    window_end: datetime | None,
    listed: NewestBefore | None = None,
) -> RequestHistogram:
    """Build the histogram of the listed requests, inside the project's scope.

    `window_end` is the oldest request that the list compares.
    """
    now = timezone.now()
    until = min(wanted.until or now, now + A_DAY)
    since = max(wanted.starts_at or until - USUAL, now - LONGEST)
    until = max(until, since + A_DAY / 24)
    histogram = count_requests(entries, since, until, listed)
    complete = max(filter(None, [histogram.complete_since, window_end]), default=None)
    kinds = [
        SeriesKind(OK, _("OK"), "teal"),
        SeriesKind(REFUSED, _("Refused (4xx)"), "amber"),
        SeriesKind(BROKEN, _("Server error (5xx)"), "bad"),
    ]
    slots = [_build_slot(request, histogram, start) for start in histogram.starts()]
    is_cut = complete is not None and complete > since
    chart = draw_stacked_columns(slots, kinds)
    return RequestHistogram(chart, since, until, complete if is_cut else None, histogram.newest)


def _build_slot(request: HttpRequest, histogram: Histogram, start: datetime) -> ChartSlot:
    end = start + histogram.step
    if histogram.step >= A_DAY:
        label, title = f"{start:%m-%d}", f"{start:%m-%d}–{end:%m-%d} UTC"
    elif histogram.step < timedelta(minutes=1):
        label, title = f"{start:%H:%M:%S}", f"{start:%m-%d %H:%M:%S}–{end:%H:%M:%S} UTC"
    else:
        days = f"{start:%m-%d %H:%M}" if histogram.until - histogram.since > A_DAY * 2 else f"{start:%H:%M}"
        label, title = days, f"{start:%m-%d %H:%M}–{end:%H:%M} UTC"
    counts: Mapping[str, int] = histogram.counts.get(start, {})
    return ChartSlot(label, title, counts, _build_slot_url(request, start, end) if counts else "")


def _build_slot_url(request: HttpRequest, start: datetime, end: datetime) -> str:
    query = request.GET.copy()
    for name in ("after", "range"):
        query.pop(name, None)
    query["from"], query["to"] = (f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (start, end))
    return f"{request.path}?{query.urlencode()}"
