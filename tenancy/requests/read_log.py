"""Reading the request log: one entry, pages of entries newest first, and what came after an entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from tenancy.errors import InvalidParameters, NotFound
from tenancy.models import Project, RequestLog
from tenancy.requests.log import name_subject

OUTCOMES = {
    "ok": Q(code=0),
    "refused": ~Q(code=0) & Q(http_status__lt=500),
    "broken": Q(http_status__gte=500),
}
# Rows are written in batches by several processes: an entry that is younger may still get one in front of it.
SETTLED_AFTER = timedelta(seconds=2)
_BODIES = ("request_body", "response_body", "trace")


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Filters of log entries; `since` is inclusive, `until` is not. `hidden` are endpoints that are left out."""

    endpoint: str = ""
    outcome: str = ""
    user_id: str = ""
    agent_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    hidden: tuple[str, ...] = ()

    def of(self, entries: QuerySet[Any]) -> QuerySet[Any]:
        if self.endpoint:
            entries = entries.filter(endpoint=self.endpoint)
        if self.hidden:
            entries = entries.exclude(endpoint__in=self.hidden)
        if self.outcome:
            entries = entries.filter(OUTCOMES[self.outcome])
        if self.user_id:
            named = [name_subject(kind, self.user_id) for kind in ("end_user", "person")]
            entries = entries.filter(subjects__overlap=named)
        if self.agent_id:
            entries = entries.filter(subjects__overlap=[f"agent:{self.agent_id}"])
        if self.since:
            entries = entries.filter(created_at__gte=self.since)
        if self.until:
            entries = entries.filter(created_at__lt=self.until)
        return entries


@dataclass(frozen=True, slots=True)
class LogPlace:
    """A place in the log between two entries, written as `time_id` of the entry in front of it."""

    at: datetime
    id: UUID

    @classmethod
    def of(cls, entry: RequestLog) -> LogPlace:
        return cls(entry.created_at, entry.pk)

    @classmethod
    def read(cls, text: str, name: str) -> LogPlace:
        """Raises `InvalidParameters`."""
        at, _, key = text.partition("_")
        try:
            read = datetime.fromisoformat(at)
            if timezone.is_aware(read):
                return cls(read.astimezone(UTC), UUID(key))
        except (ValueError, OverflowError):
            pass
        raise InvalidParameters(f"{name}: must be one that this list returned")

    def __str__(self) -> str:
        return f"{self.at.isoformat().replace('+00:00', 'Z')}_{self.id}"


@dataclass(frozen=True, slots=True)
class LogPage:
    """Entries without bodies and trace. `is_last`: there is nothing more in this direction for now."""

    entries: list[RequestLog]
    is_last: bool


def list_entries(project: Project, wanted: LogFilter, before: LogPlace | None, limit: int) -> LogPage:
    """One page, newest first; inside the project's scope."""
    entries = _filter_entries(project, wanted)
    if before is not None:
        at_or_before = Q(created_at__lte=before.at) & ~Q(created_at=before.at, id__gte=before.id)
        entries = entries.filter(at_or_before)
    return _build_page(entries.order_by("-created_at", "-id"), limit)


def list_entries_after(project: Project, wanted: LogFilter, after: LogPlace, limit: int) -> LogPage:
    """List what was logged since, oldest first, as far as nothing can come in front of it any more."""
    later = Q(created_at__gte=after.at) & ~Q(created_at=after.at, id__lte=after.id)
    entries = _filter_entries(project, wanted).filter(later, created_at__lt=timezone.now() - SETTLED_AFTER)
    return _build_page(entries.order_by("created_at", "id"), limit)


def find_entry(project: Project, request_id: str) -> RequestLog:
    """The entry with bodies and trace; inside the project's scope. Raises `NotFound`."""
    entries = RequestLog.objects.within(project).select_related("api_key")
    entry: RequestLog | None = entries.filter(request_id=request_id).first()
    if entry is None:
        raise NotFound("request_id")
    return entry


def get_settled_place() -> LogPlace:
    """The place from which on entries are followed when none was read before."""
    return LogPlace(timezone.now() - SETTLED_AFTER, UUID(int=0))


def _filter_entries(project: Project, wanted: LogFilter) -> QuerySet[Any]:
    entries: QuerySet[Any] = RequestLog.objects.within(project).select_related("api_key").defer(*_BODIES)
    return wanted.of(entries)


def _build_page(entries: QuerySet[Any], limit: int) -> LogPage:
    # One row more tells whether there are more.
    rows = list(entries[: limit + 1])
    return LogPage(rows[:limit], len(rows) <= limit)
