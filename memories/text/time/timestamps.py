"""Points in time as clients write them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import dateparser
from dateparser.timezone_parser import pop_tz_offset_from_string
from django.utils import timezone as clock

from memories.text.time.timestamps_chinese import FURTHEST_ZONE, read_chinese_timestamp, with_digits

# Times without a zone keep their wall clock: "yesterday" must mean the day before the date that was written.

_DIGITS = re.compile(r"\d{9,13}(?:\.\d{1,9})?")
# A few digits, and dates with a thirteenth month: the date parser makes up what is missing, or swaps month and day.
_NO_DATE = re.compile(r"\d{1,7}$|\d{4}[-/.年](?:1[3-9]|[2-9]\d)(?!\d)")
_DOTTED = re.compile(r"(?<!\d)\d{1,2}\.\d{1,2}\.\d{4}(?!\d)")
_OCLOCK = re.compile(r"(\d)\s*o['\u2019]?clock\b", re.IGNORECASE)
_NAMED_ZONE = re.compile(r"\s*\[?(?P<name>[A-Z][A-Za-z]+(?:/[A-Za-z_+-]+){1,2})\]?$")
_OFFSET = re.compile(r"(?:[+-]\d\d:?\d\d|Z)$")
_FORMATS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
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


def parse_timestamp(raw: Any, *, in_words: bool = True) -> datetime | None:
    """The moment a client meant, in UTC, or None: epoch seconds or milliseconds, ISO 8601, the contract's own
    spellings, Chinese dates and times of day, then (`in_words`) whatever a date parser makes of English or Chinese."""
    parsed = _parse_where_written(raw, in_words)
    return parsed.astimezone(UTC) if parsed else None


def _parse_where_written(raw: Any, in_words: bool) -> datetime | None:
    """The same by the clock of the zone that it names; UTC where it names none."""
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, int | float):
        return _from_epoch(float(raw)) if abs(raw) <= MAX_NUMBER else None
    if not isinstance(raw, str) or not raw.strip() or len(raw) > MAX_LENGTH:
        return None
    try:
        return _require_sane_year(_from_text(raw.strip(), in_words))
    except (ValueError, OverflowError):  # the last day of the calendar in one zone is none in another
        return None


def is_given(raw: Any) -> bool:
    """Return whether a client sent a time at all."""
    return raw is not None and str(raw).strip() != ""


class TimestampReader:
    """Reads the times of one request. After a few that nobody can read, words are no longer tried."""

    def __init__(self) -> None:
        self._unreadable = 0

    def read(self, raw: Any) -> datetime | None:
        """None for what cannot be read: never a reason to refuse a message."""
        parsed = parse_timestamp(raw, in_words=self._unreadable < MAX_UNREADABLE)
        if parsed is None and is_given(raw):
            self._unreadable += 1
        return parsed

    def localize(self, at: datetime, raw: Any) -> datetime:
        """The same instant by the clock of the zone that the text `raw` of it names: what day it is where it was
        written. In UTC where none is named."""
        parsed = _parse_where_written(raw, self._unreadable < MAX_UNREADABLE)
        if parsed is None:
            self._unreadable += is_given(raw)
            return at
        return at.astimezone(parsed.tzinfo)


def _from_text(text: str, in_words: bool) -> datetime | None:
    if _DIGITS.fullmatch(text):
        return _from_epoch(float(text))
    text, zone = _split_named_zone(text)
    parsed = _from_iso(text) or _from_formats(text) or read_chinese_timestamp(text, clock.now())
    if parsed is None and in_words and not _NO_DATE.match(text):
        parsed = _from_words(text, int(time.time() // 60))
    return parsed.replace(tzinfo=zone) if parsed and zone else parsed


def _split_named_zone(text: str) -> tuple[str, ZoneInfo | None]:
    """The text, and the zone that stands behind it by name; one that only explains an offset says nothing new."""
    match = _NAMED_ZONE.search(text)
    if match is None:
        return text, None
    left = text[: match.start()].strip()
    if _OFFSET.search(left):
        return left, None
    try:
        return left, ZoneInfo(match["name"])
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return text, None


def _from_epoch(number: float) -> datetime | None:
    seconds = number / 1000 if number > 1e11 else number
    if not 0 < seconds < 7_258_118_400:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _from_iso(text: str) -> datetime | None:
    try:
        return _make_aware(datetime.fromisoformat(text))
    except ValueError:
        return None


def _from_formats(text: str) -> datetime | None:
    for form in _FORMATS + _SPOKEN:
        try:
            parsed = datetime.strptime(text, form)
        except ValueError:
            continue
        return parsed.replace(tzinfo=UTC) if text.endswith("UTC") else _make_aware(parsed)
    return None


@lru_cache(maxsize=1024)
def _from_words(text: str, minute: int) -> datetime | None:
    """Remembered for the minute only, because "an hour ago" moves on."""
    spelled = _OCLOCK.sub(r"\1:00", with_digits(text))
    settings = {"TIMEZONE": "UTC", "RETURN_AS_TIMEZONE_AWARE": True, "PREFER_DAY_OF_MONTH": "first"}
    if _DOTTED.search(spelled):
        settings["DATE_ORDER"] = "DMY"
    parsed = dateparser.parse(spelled, languages=["en", "zh"], settings=settings)
    if parsed is not None and parsed - clock.now() > FURTHEST_ZONE:
        # "28 December", said in January, was last year's; "tomorrow" stays.
        settings["PREFER_DATES_FROM"] = "past"
        parsed = dateparser.parse(spelled, languages=["en", "zh"], settings=settings)
    # The parser answers in UTC, whatever zone it read.
    _, zone = pop_tz_offset_from_string(spelled)
    return parsed.astimezone(zone) if parsed and zone else parsed


def _make_aware(parsed: datetime) -> datetime:
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _require_sane_year(parsed: datetime | None) -> datetime | None:
    return parsed if parsed and FIRST_YEAR <= parsed.year <= LAST_YEAR else None


def get_epoch_milliseconds(parsed: datetime) -> int:
    return int(parsed.timestamp() * 1000)
