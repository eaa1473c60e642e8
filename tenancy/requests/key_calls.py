"""How often and from where a key was used lately, among the newest requests of its project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from tenancy.models import ApiKey
from tenancy.requests.log_search import LogSearch, find_window_end, search_log

MOST_ADDRESSES = 50


@dataclass(frozen=True, slots=True)
class KeyAddress:
    """A client address that a key was used from."""

    address: str
    calls: int
    refused: int
    endpoints: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class KeyCalls:
    """Calls of a key; where there is a `cut_at`, the project has too many requests to look at those before it."""

    entries: QuerySet[Any]
    cut_at: datetime | None

    def count(self) -> int:
        return self.entries.count()

    def list_addresses(self) -> list[KeyAddress]:
        """Latest first."""
        grouped = (
            self.entries.order_by()
            .values("address")
            .annotate(
                calls=Count("pk"),
                refused=Count("pk", filter=~Q(code=0)),
                endpoints=Count("endpoint", distinct=True),
                first_at=Min("created_at"),
                last_at=Max("created_at"),
            )
        )
        return [KeyAddress(**row) for row in grouped.order_by("-last_at")[:MOST_ADDRESSES]]


def select_key_calls(key: ApiKey, time: timedelta) -> KeyCalls:
    """Calls within that time; inside the project's scope."""
    wanted = LogSearch(key=key.pk, since=timezone.now() - time)
    entries = search_log(key.project, wanted)
    cut_at = find_window_end(key.project, wanted, None)
    return KeyCalls(entries.filter(created_at__gte=cut_at) if cut_at else entries, cut_at)
