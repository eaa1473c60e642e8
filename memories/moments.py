"""Points in time as clients write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import dateparser
from django.utils import timezone as clock

# Times without a zone keep their wall clock: "yesterday" must mean the day before the date that was written.

_DIGITS = re.compile(r"\d{9,13}")
_FORMATS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d",
)
_SPOKEN = ("%I:%M %p on %d %B, %Y %Z", "%I:%M %p on %d %B, %Y")
MAX_LENGTH = 100
# Times outside these years are typing errors, and would overflow what clients compute with.
FIRST_YEAR, LAST_YEAR = 1900, 2200


def parse_moment(raw: Any) -> datetime | None:
    """The moment a client meant, in UTC, or None: epoch seconds or milliseconds, ISO 8601, the contract's own
    spellings, then whatever a date parser makes of English or Chinese text."""
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, int | float):
        return _from_epoch(float(raw))
    if not isinstance(raw, str) or not raw.strip() or len(raw) > MAX_LENGTH:
        return None
    return _sane(_from_text(raw.strip()))


def moment_or_now(raw: Any) -> datetime:
    """What the client said, else now: a time that cannot be read is never a reason to refuse a message."""
    return parse_moment(raw) or clock.now()


def _from_text(text: str) -> datetime | None:
    if _DIGITS.fullmatch(text):
        return _from_epoch(float(text))
    return _from_iso(text) or _from_formats(text) or _from_words(text)


def _from_epoch(number: float) -> datetime | None:
    seconds = number / 1000 if number > 1e11 else number
    if not 0 < seconds < 7_258_118_400:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _from_iso(text: str) -> datetime | None:
    try:
        return _aware(datetime.fromisoformat(text))
    except ValueError:
        return None


def _from_formats(text: str) -> datetime | None:
    for form in _FORMATS + _SPOKEN:
        try:
            moment = datetime.strptime(text, form)
        except ValueError:
            continue
        return moment.replace(tzinfo=UTC) if text.endswith("UTC") else _aware(moment)
    return None


def _from_words(text: str) -> datetime | None:
    settings = {"TIMEZONE": "UTC", "RETURN_AS_TIMEZONE_AWARE": True}
    return dateparser.parse(text, languages=["en", "zh"], settings=settings)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _sane(moment: datetime | None) -> datetime | None:
    if moment is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    return moment.astimezone(UTC)


def epoch_milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
