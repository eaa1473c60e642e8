"""Points in time as clients write them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from functools import lru_cache
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
# Far beyond the last year, and small enough for every computation with floats.
MAX_NUMBER = 1e14
# The date parser takes up to 18 ms for a text that is no time.
MAX_UNREADABLE = 5
# Times outside these years are typing errors, and would overflow what clients compute with.
FIRST_YEAR, LAST_YEAR = 1900, 2200


def parse_moment(raw: Any, *, in_words: bool = True) -> datetime | None:
    """The moment a client meant, in UTC, or None: epoch seconds or milliseconds, ISO 8601, the contract's own
    spellings, then (`in_words`) whatever a date parser makes of English or Chinese text."""
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, int | float):
        return _from_epoch(float(raw)) if abs(raw) <= MAX_NUMBER else None
    if not isinstance(raw, str) or not raw.strip() or len(raw) > MAX_LENGTH:
        return None
    return _sane(_from_text(raw.strip(), in_words))


def moment_or_now(raw: Any) -> datetime:
    """What the client said, else now: a time that cannot be read is never a reason to refuse a message."""
    return parse_moment(raw) or clock.now()


class MomentReader:
    """Reads the times of one request. After a few that nobody can read, words are no longer tried."""

    def __init__(self) -> None:
        self._unreadable = 0

    def moment_or_now(self, raw: Any) -> datetime:
        moment = parse_moment(raw, in_words=self._unreadable < MAX_UNREADABLE)
        if moment is None and raw is not None:
            self._unreadable += 1
        return moment or clock.now()


def _from_text(text: str, in_words: bool) -> datetime | None:
    if _DIGITS.fullmatch(text):
        return _from_epoch(float(text))
    moment = _from_iso(text) or _from_formats(text)
    return _from_words(text, int(time.time() // 60)) if moment is None and in_words else moment


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


@lru_cache(maxsize=1024)
def _from_words(text: str, minute: int) -> datetime | None:
    """Remembered for the minute only, because "an hour ago" moves on."""
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
