"""Relative dates against the time of speaking: finds them, works them out, writes them into the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Tense(Enum):
    PAST = -1
    PRESENT = 0
    FUTURE = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """A time that a text names: where it stands, when that is, and the same in words that stay true.

    `missing` is what completes the phrase in a sentence of our own ("in June" + " 2025"); without it, and in
    quoted words, the date stands in brackets behind the phrase.
    """

    start: int
    end: int
    at: datetime
    words: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Dated:
    text: str
    at: datetime | None


def find_day(resolve: Callable[..., Mention | None], *arguments: Any) -> Mention | None:
    """Find what `resolve` makes of a match; nothing where that is in no calendar, as 30 February or the year 10000."""
    try:
        return resolve(*arguments)
    except (ValueError, OverflowError):
        return None


def write_dates(text: str, mentions: list[Mention], language: str, verbatim: bool = False) -> Dated:
    """The text with each mention's date behind it, and the first date, which is taken for the time of the event."""
    opening, closing = ("（", "）") if language == "zh" else (" (", ")")
    written: list[str] = []
    done = 0
    for mention in mentions:
        note = f"{opening}{mention.words}{closing}" if mention.words else ""
        written += [text[done : mention.end], mention.missing if mention.missing and not verbatim else note]
        done = mention.end
    return Dated("".join(written) + text[done:], mentions[0].at if mentions else None)


_ENDS = re.compile(
    r"\b(?:back|return(?:s|ing)?|until|till|through|ends?|finish(?:es)?)\b[^.!?;]{0,12}$", re.I
)


def move_ends(text: str, mentions: list[Mention], format_day: Callable[[datetime], str]) -> list[Mention]:
    """The same, with a weekday that something ends on behind the day that it begins on: "leaves next Wednesday and is
    back on Friday"."""
    moved: list[Mention] = []
    for mention in mentions:
        begins = moved[-1] if moved else None
        is_end = begins is not None and _ENDS.search(text[begins.end : mention.end])
        if (
            begins
            and is_end
            and mention.at < begins.at <= shift_days(mention.at, 6)
            and mention.words == format_day(mention.at)
        ):
            at = shift_days(mention.at, 7)
            mention = replace(mention, at=at, words=format_day(at))
        moved.append(mention)
    return moved


def start_of_day(time: datetime) -> datetime:
    """The day that it is by the time's own clock. A day has no zone: it stands as its midnight in UTC, wherever that
    was."""
    day = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return day.replace(tzinfo=UTC) if day.tzinfo else day


def shift_days(time: datetime, days: int) -> datetime:
    """Saturates at the calendar's ends: an absurd "9999 years ago" must not stop a conversation."""
    try:
        return time + timedelta(days=days)
    except OverflowError:
        return time


def shift_months(time: datetime, months: int) -> datetime:
    year, month = divmod(time.year * 12 + time.month - 1 + months, 12)
    return time.replace(year=year, month=month + 1, day=1) if 1 <= year <= 9999 else time


def shift_years(time: datetime, years: int) -> datetime:
    return shift_months(time.replace(month=1), 12 * years)


def build_day(time: datetime, year: int, month: int, day: int) -> datetime | None:
    """That day, or None where the calendar has none."""
    try:
        return time.replace(year=year, month=month, day=day)
    except ValueError:
        return None


def get_weekday_of_week(time: datetime, weekday: int, weeks: int) -> datetime:
    """The Monday-based week `weeks` from now: the day `weekday` (Monday is 0) of it."""
    return shift_days(time, weekday - time.weekday() + 7 * weeks)


def choose_year_of_month(time: datetime, month: int, tense: Tense) -> int:
    """The year of a month that was named without one.

    When the tense does not tell, the nearest one, what lies ahead before what lies behind: of what is past people
    speak in the past.
    """
    if tense is Tense.FUTURE:
        return time.year + (month < time.month)
    if tense is Tense.PAST:
        return time.year - (month > time.month)
    ahead = month - time.month
    return time.year + (ahead < -4) - (ahead > 7)
