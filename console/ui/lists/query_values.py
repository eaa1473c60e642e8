"""Parse values of the query string: words, choices, times. What is malformed filters nothing."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

RANGES = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}


@dataclass(frozen=True, slots=True)
class Select:
    """One choice in a filter bar."""

    name: str
    label: str
    value: str
    options: list[tuple[str, str]]


def parse_choice(value: str, allowed: Container[str]) -> str:
    """A choice from the address; anything made up is no choice."""
    return value if value in allowed else ""


def parse_whole_number(text: str, digits: int = 9) -> int | None:
    """A number of at most so many digits; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def parse_search_words(text: str, longest: int) -> str:
    """Words to look for. Postgres stores no NUL, so none can match."""
    return text.replace("\0", "").strip()[:longest]


def parse_utc_datetime(text: str) -> datetime | None:
    """A timestamp in UTC; None when there is none. Postgres refuses offsets of 16 hours and more."""
    try:
        timestamp = parse_datetime(text)
        return timestamp.astimezone(UTC) if timestamp and timezone.is_aware(timestamp) else None
    except (ValueError, OverflowError):
        return None


def parse_uuids(texts: list[str]) -> list[UUID]:
    """Ids that are none name nothing."""
    uuids = []
    for text in texts:
        try:
            uuids.append(UUID(text))
        except ValueError:
            continue
    return uuids


def build_range_filter(value: str) -> Select:
    options = [
        ("", _("Any time")),
        ("15m", _("Last 15 minutes")),
        ("1h", _("Last hour")),
        ("24h", _("Last 24 hours")),
        ("7d", _("Last 7 days")),
        ("30d", _("Last 30 days")),
    ]
    return Select("range", _("Time"), value, options)
