"""Dates that a text states, and those that messages allow it to state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memories.text.en.case import fold_case
from memories.text.time.chinese import find_chinese_times, parse_number
from memories.text.time.dates import MONTHS, Mention
from memories.text.time.english import find_english_times

_MONTH = "|".join(MONTHS)
_SHORT = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_STATED = re.compile(
    rf"""
    (?P<iso_y>(?:19|20)\d\d)-(?P<iso_m>\d\d)(?:-(?P<iso_d>\d\d))?(?!\d)
    | \b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\ (?:of\ )?(?P<month>{_MONTH})\b(?:,?\ (?P<year>(?:19|20)\d\d)\b)?
    | \b(?P<month2>{_MONTH})\ (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,?\ (?P<year2>(?:19|20)\d\d)\b)?
    | \b(?P<month3>{_MONTH}),?\ (?P<year3>(?:19|20)\d\d)\b
    | (?P<zh_y>(?:19|20)\d\d)年(?:(?P<zh_m>\d{{1,2}})月(?:(?P<zh_d>\d{{1,2}})[日号])?)?
    | (?<!\d)(?P<zh_m2>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月
      (?P<zh_d2>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号]
    | (?<![\d.,])(?P<year4>(?:19|20)\d\d)(?![\d.,%]*\d)(?!年)
    """,
    re.VERBOSE,
)
# The day on which something was said, beside what held then.
_AS_OF = re.compile(r"(?:\bas of|\bsaid (?:so )?on|\bstated on) |截至|在(?=[^，。]{6,12}说)")


@dataclass(frozen=True, slots=True)
class StatedDate:
    """Year, month and day as far as they are stated, 0 where they are not, and where in the text it stands."""

    year: int
    month: int
    day: int
    start: int
    end: int

    def is_part_of(self, other: StatedDate) -> bool:
        """Return whether it states nothing that the other does not."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(not mine or mine == theirs for mine, theirs in pairs)


def find_stated_dates(text: str) -> list[StatedDate]:
    return [_read_date(match) for match in _STATED.finditer(text)]


def remove_dates(text: str) -> str:
    return _STATED.sub(" ", text)


def resolve_times(text: str, said_at: datetime) -> list[Mention]:
    """The times that a message names, worked out against when it was said."""
    return sorted(
        [*find_english_times(text, said_at), *find_chinese_times(text, said_at)],
        key=lambda mention: mention.start,
    )


def find_allowed_dates(text: str, said_at: datetime) -> list[StatedDate]:
    """The dates that stand in a message, and those that its times mean."""
    allowed = find_stated_dates(text)
    for mention in resolve_times(text, said_at):
        words = mention.words or text[mention.start : mention.end]
        allowed += find_stated_dates(words)
    return allowed


def foreign_date(text: str, messages: list[tuple[str, datetime]]) -> bool:
    """Return whether the text states a date that none of these messages, with their times, allows."""
    allowed = [date for words, said_at in messages for date in find_allowed_dates(words, said_at)]
    days_of_saying = {(at.year, at.month, at.day) for _, at in messages}
    for date in find_stated_dates(text):
        is_as_of = _AS_OF.search(text[max(0, date.start - 20) : date.start]) is not None
        if is_as_of and (date.year, date.month, date.day) in days_of_saying:
            continue
        if not any(date.is_part_of(other) for other in allowed):
            return True
    return False


def states_coming_date(text: str, messages: list[tuple[str, datetime]]) -> bool:
    """Return whether the text states a day that was still to come when it was said: a plan that needs no word for
    it."""
    latest = max(at for _, at in messages)
    return any(
        (date.year, date.month, date.day) >= (latest.year, latest.month, latest.day)
        for date in find_stated_dates(text)
    )


def _read_date(match: re.Match[str]) -> StatedDate:
    groups = match.groupdict()

    def first(*names: str) -> str:
        return next((groups[name] for name in names if groups[name]), "")

    month = fold_case(first("iso_m", "month", "month2", "month3", "zh_m", "zh_m2"))
    return StatedDate(
        year=int(first("iso_y", "year", "year2", "year3", "zh_y", "year4") or 0),
        month=_SHORT[month[:3]] if month[:1].isalpha() and month.isascii() else _parse_digits(month),
        day=_parse_digits(first("iso_d", "day", "day2", "zh_d", "zh_d2")),
        start=match.start(),
        end=match.end(),
    )


def _parse_digits(digits: str) -> int:
    if not digits:
        return 0
    return int(digits) if digits.isdecimal() else parse_number(digits)
