"""Searching a project's request log by what a person knows of a request, with bounded reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from tenancy.models import Project, RequestLog
from tenancy.requests.read_log import OUTCOMES

# Fields without an index of their own are compared in so many requests at most, the newest first.
WINDOW = 40_000
# Bodies lie in the rows themselves, which takes longer, and are searched a week back at most.
BODIES_WINDOW = 20_000
BODIES_SEARCHED = timedelta(days=7)
ENDPOINTS_LISTED = timedelta(days=30)
MOST_ENDPOINTS = 100

# Jumps from one endpoint to the next in the index `request_log_by_endpoint`: reads one row of each.
_ENDPOINTS = """
WITH RECURSIVE seen(endpoint) AS (
    (SELECT endpoint FROM tenancy_requestlog
      WHERE project_id = %(project)s AND created_at >= %(since)s ORDER BY endpoint LIMIT 1)
    UNION ALL
    SELECT (SELECT logged.endpoint FROM tenancy_requestlog logged
             WHERE logged.project_id = %(project)s AND logged.created_at >= %(since)s
               AND logged.endpoint > seen.endpoint ORDER BY logged.endpoint LIMIT 1)
      FROM seen WHERE seen.endpoint IS NOT NULL
)
SELECT endpoint FROM seen WHERE endpoint <> '' LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class LogSearch:
    """Filters of a search of the request log; empty ones filter nothing.

    `text` is part of a body, `subjects` are "kind:id" of which one must match, `milliseconds` is the
    shortest time wanted, `since` is inclusive, `until` is not.
    """

    text: str = ""
    request_id: str = ""
    subjects: tuple[str, ...] = ()
    endpoint: str = ""
    outcome: str = ""
    code: int | None = None
    key: UUID | None = None
    origin: str = ""
    milliseconds: float = 0
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_unindexed(self) -> bool:
        """Return whether rows have to be read one by one to be compared."""
        return bool(
            self.text or self.outcome or self.code is not None or self.key or self.origin or self.milliseconds
        )


def search_log(project: Project, wanted: LogSearch) -> QuerySet[RequestLog]:
    """The project's requests that match, without order; inside the project's scope."""
    entries = _filter_by_index(project, wanted)
    if wanted.outcome:
        entries = entries.filter(OUTCOMES[wanted.outcome])
    if wanted.code is not None:
        entries = entries.filter(code=wanted.code)
    if wanted.key:
        entries = entries.filter(api_key=wanted.key)
    if wanted.origin:
        entries = entries.filter(origin=wanted.origin)
    if wanted.milliseconds:
        entries = entries.filter(milliseconds__gte=wanted.milliseconds)
    if wanted.text:
        in_bodies = Q(request_body__icontains=wanted.text) | Q(response_body__icontains=wanted.text)
        entries = entries.filter(in_bodies, created_at__gte=timezone.now() - BODIES_SEARCHED)
    return entries


def find_window_end(project: Project, wanted: LogSearch, before: datetime | None) -> datetime | None:
    """The time of the oldest request that is compared, counted from `before`; None where all of them are."""
    if not wanted.is_unindexed:
        return None
    entries = _filter_by_index(project, wanted)
    if before:
        entries = entries.filter(created_at__lte=before)
    times = entries.order_by("-created_at").values_list("created_at", flat=True)
    most = BODIES_WINDOW if wanted.text else WINDOW
    return next(iter(times[most : most + 1]), None)


def list_endpoints(project: Project) -> list[str]:
    """Names of endpoints that were called in the last 30 days, sorted; inside the project's scope."""
    values: dict[str, Any] = {
        "project": project.pk,
        "since": timezone.now() - ENDPOINTS_LISTED,
        "most": MOST_ENDPOINTS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ENDPOINTS, values)
        return [endpoint for (endpoint,) in cursor.fetchall()]


def name_request(project: Project, wanted: LogSearch) -> LogSearch:
    """The same search, for that request alone where its text is the id of one; inside the project's scope."""
    text = wanted.text
    if text and RequestLog.objects.within(project).filter(request_id=text).exists():
        return replace(wanted, text="", request_id=text)
    return wanted


def _filter_by_index(project: Project, wanted: LogSearch) -> QuerySet[Any]:
    entries: QuerySet[Any] = RequestLog.objects.within(project)
    if wanted.request_id:
        entries = entries.filter(request_id=wanted.request_id)
    if wanted.endpoint:
        entries = entries.filter(endpoint=wanted.endpoint)
    if wanted.subjects:
        entries = entries.filter(subjects__overlap=list(wanted.subjects))
    if wanted.since:
        entries = entries.filter(created_at__gte=wanted.since)
    if wanted.until:
        entries = entries.filter(created_at__lt=wanted.until)
    return entries
