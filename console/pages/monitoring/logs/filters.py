"""Filters of the request log, as the address holds them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from console.ui.lists.query_filters import Dropped, FilterReader
from console.ui.lists.query_values import RANGES, Select, build_range_filter, parse_utc_datetime
from memories.values import SUBJECT_KINDS
from tenancy.models import ApiKey, Project
from tenancy.requests.log import MAX_ENDPOINT
from tenancy.requests.log_search import LogSearch, list_endpoints
from tenancy.requests.read_log import OUTCOMES

# Milliseconds by their name in the address.
LATENCIES = {"100": 100.0, "500": 500.0, "1000": 1_000.0, "5000": 5_000.0}
LONGEST_CODE = 6
MAX_ORIGIN = 20
MOST_KEYS = 100


@dataclass(frozen=True, slots=True)
class WantedLogs:
    """One field per filter; what is not valid asks for nothing and is `dropped` by name.

    `since` and `until` are a span of the chart; a range that counts back from now is chosen in its place.
    """

    q: str
    subject: str
    endpoint: str
    outcome: str
    range: str
    code: str = ""
    key: UUID | None = None
    latency: str = ""
    origin: str = ""
    since: datetime | None = None
    until: datetime | None = None
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(cls, request: HttpRequest) -> WantedLogs:
        asked = FilterReader(request.GET)
        within = asked.choice("range", RANGES, _("Time"))
        since, until = (parse_utc_datetime(request.GET.get(name, "")) for name in ("from", "to"))
        has_span = since and until and since < until and not within
        return cls(
            q=asked.words("q", 200, _("Words")),
            subject=asked.words("subject", 100, _("End user")),
            endpoint=asked.words("endpoint", MAX_ENDPOINT, _("Endpoint")),
            outcome=asked.choice("outcome", OUTCOMES, _("Outcome")),
            range=within,
            code=asked.digits("code", LONGEST_CODE, pgettext("answer", "Code")),
            key=asked.uuid("key", _("Key")),
            latency=asked.choice("latency", LATENCIES, _("Duration")),
            origin=asked.words("origin", MAX_ORIGIN, _("Origin")),
            dropped=tuple(asked.dropped),
            since=since if has_span else None,
            until=until if has_span else None,
        )

    @property
    def is_narrow(self) -> bool:
        fields = (self.q, self.subject, self.endpoint, self.outcome, self.range, self.code)
        return any((*fields, self.key, self.latency, self.origin, self.since))

    @property
    def starts_at(self) -> datetime | None:
        """The beginning of the span; None for all time."""
        return timezone.now() - RANGES[self.range] if self.range else self.since

    def as_search(self) -> LogSearch:
        return LogSearch(
            text=self.q,
            subjects=tuple(f"{kind}:{self.subject}" for kind in SUBJECT_KINDS) if self.subject else (),
            endpoint=self.endpoint,
            outcome=self.outcome,
            code=int(self.code) if self.code else None,
            key=self.key,
            origin=self.origin,
            milliseconds=LATENCIES.get(self.latency, 0),
            since=self.starts_at,
            until=self.until,
        )


def build_selects(project: Project, wanted: WantedLogs) -> list[Select]:
    """Build the filters of the form, inside the project's tenant scope."""
    return [
        _build_endpoint_filter(project, wanted),
        _build_outcome_filter(wanted),
        _build_key_filter(project, wanted),
        _build_latency_filter(wanted),
        build_range_filter(wanted.range),
    ]


def _build_endpoint_filter(project: Project, wanted: WantedLogs) -> Select:
    names = sorted({*list_endpoints(project), *filter(None, [wanted.endpoint])})
    options = [("", _("Any endpoint")), *((name, name) for name in names)]
    return Select("endpoint", _("Endpoint"), wanted.endpoint, options)


def _build_outcome_filter(wanted: WantedLogs) -> Select:
    options = [
        ("", _("Any outcome")),
        ("ok", _("OK")),
        ("refused", _("Refused (4xx)")),
        ("broken", _("Server error (5xx)")),
    ]
    return Select("outcome", _("Outcome"), wanted.outcome, options)


def _build_key_filter(project: Project, wanted: WantedLogs) -> Select:
    keys = (
        ApiKey.objects.filter(project=project).order_by("-created_at").values_list("pk", "name")[:MOST_KEYS]
    )
    names = {str(key): name for key, name in keys}
    chosen = str(wanted.key or "")
    if chosen and chosen not in names:
        names[chosen] = chosen[:8]
    return Select("key", _("Key"), chosen, [("", _("Any key")), *names.items()])


def _build_latency_filter(wanted: WantedLogs) -> Select:
    options = [
        ("", _("Any time taken")),
        ("100", _("100 ms or more")),
        ("500", _("500 ms or more")),
        ("1000", _("1 s or more")),
        ("5000", _("5 s or more")),
    ]
    return Select("latency", _("Duration"), wanted.latency, options)
