"""The dates that a question names explicitly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime

from memories.text.time.chinese import find_chinese_times, parse_number
from memories.text.time.dates import Mention, Tense, shift_days, shift_months
from memories.text.time.english import find_english_times
from memories.text.time.holidays import NAMES
from memories.text.words.language_detection import detect_language


@dataclass(frozen=True, slots=True)
class MentionedDate:
    """A date as far as it is spoken out: "May" has a month only, "last year" a year only."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(m if len(m) < 5 else f"{m}|{m[:3]}" for m in _MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b")
_DAY_MONTH = re.compile(rf"\b{_DAY} (?:of )?({_MONTH})\b\.?(?:,? (\d{{4}})\b)?")
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? {_DAY}\b(?:,? (\d{{4}})\b)?")
# "may" alone is a verb more often than a month.
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\.?,? (\d{{4}})\b")
_BARE_MONTH = re.compile(rf"\b(?:in|during|since|of|last|this|by|until) ({_MONTH})\b")
_CHINESE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_MONTH_BY_WORD = re.compile(
    r"""
    (?<![一二两三四五六七八九十几每])(?P<month>十[一二]?|[一二三四五六七八九])月(?!一次|两次)份?
    (?:(?P<day>[一二三四五六七八九十]{1,3})[日号])?
    """,
    re.VERBOSE,
)
_OF_A_YEAR = re.compile(r"\b(?:last|past|this|coming|next)\b|[去今明前后上下本这]|\d{4}", re.IGNORECASE)
_WEEK = re.compile(r"\bthe week (?:of|before)\b|那一周")
_WEEKEND = re.compile(r"weekend|[周期拜]末", re.IGNORECASE)
_ABOUT = re.compile(r"^around |前后$")
_SEASON = re.compile(r"\b(?:spring|summer|autumn|fall|winter) \d{4}$|[春夏秋冬]天$")
# A question about today's plans, where no other verb stands beside the day: "What do I have on Friday?".
_AHEAD = re.compile(
    r"\b(?:do|am|are|will|shall|must|should|can) (?:i|we)\b|\b(?:does|is|will|must) the user\b", re.I
)
_PAST = re.compile(r"\b(?:did|was|were|had)\b", re.I)
# "What do I always cook for Christmas?" is about no Christmas in particular.
_HABIT = re.compile(r"\b(?:always|usually|normally|generally|typically)\b|一般|通常|总是|平时", re.I)
_HOLIDAY = re.compile("|".join(map(re.escape, NAMES)), re.IGNORECASE)
# Days to both sides that "two weeks ago" may mean.
_NEARBY = 3


# What remains of "What did I do in April?" without its date, and of 四月我做了什么.
_ASKING_ENGLISH = frozenset(
    """what what's whats which how did do does doing done was were is are am have has had been be will would i we my our
    me us user the a an in on at during of for to by from with about up and or any anything something everything there
    there's it that this these those all happen happened happening happens go going goes busy plan plans planned
    planning scheduled schedule agenda coming event events thing things tell show list remember know end start beginning
    middle early late else so far""".split()
)
_ASKING_CHINESE = re.compile(
    r"""
    我们? | 咱们? | 用户 | 发生 | 安排 | 计划 | 打算 | 日程 | 干嘛 | 怎么样? | 什么 | 哪些 | 事情? | 告诉
    | 还?记得 | 一下 | 请问? | [做干忙有在过了的吗呢啊吧嘛啥都要会去么那里底初中旬份期间时候是和与]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class MentionedDates:
    dates: tuple[MentionedDate, ...]
    # Whether the question names nothing else to find a memory by: "What did I do in April?".
    are_all: bool


def find_mentioned_dates(text: str, now: datetime) -> MentionedDates:
    """The dates of a question in simplified characters; `now` is what "yesterday" counts from."""
    rest, relative = _take_out_relative_dates(text.replace("’", "'"), now)
    rest = _write_months_in_digits(rest.lower())
    spoken = _find_spoken_dates(rest)
    if any(date.year for date in spoken):
        relative = []  # "Last Friday before 10 April 2023" counts from that day
    # "In May of last year" names one date.
    years = [date.year for date in relative if date.month is None]
    if years and spoken:
        spoken = [MentionedDate(years[0], date.month, date.day) for date in spoken]
        relative = [date for date in relative if date.month is not None]
    dates = tuple(dict.fromkeys(date for date in [*spoken, *relative] if _is_possible(date)))
    return MentionedDates(dates, are_all=bool(dates) and _says_nothing_else(rest))


def _says_nothing_else(rest: str) -> bool:
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY, _CHINESE, _MONTH_YEAR, _BARE_MONTH, _YEAR):
        rest = pattern.sub(" ", rest)
    words = re.findall(r"[a-z0-9][a-z0-9']*|[\u4e00-\u9fff]+", rest)
    return all(
        word in _ASKING_ENGLISH if word.isascii() else not _ASKING_CHINESE.sub("", word) for word in words
    )


def _take_out_relative_dates(text: str, now: datetime) -> tuple[str, list[MentionedDate]]:
    """The question without "yesterday", "on Friday" and "two weeks ago", and the days that they are.

    Statements that say so have their dates from the same readers.
    """
    if detect_language(text) == "zh":
        mentions = find_chinese_times(text, now)
    else:
        is_ahead = _AHEAD.search(text) and not _PAST.search(text)
        mentions = find_english_times(text, now, Tense.FUTURE if is_ahead else None)
    dates: list[MentionedDate] = []
    rest = text
    for mention in [] if _HABIT.search(text) else mentions:
        phrase = text[mention.start : mention.end]
        # A month, and a holiday, that is named without its year may be that of any year: "What did I do in May?".
        is_of_any_year = _OF_A_YEAR.search(phrase) is None and (
            _find_spoken_dates(_write_months_in_digits(phrase.lower())) or _HOLIDAY.search(phrase)
        )
        if mention.words and not is_of_any_year:
            dates += _list_dates(mention, is_weekend=_WEEKEND.search(phrase) is not None)
            rest = rest[: mention.start] + " " * len(phrase) + rest[mention.end :]
    return rest, dates


def _list_dates(mention: Mention, is_weekend: bool) -> list[MentionedDate]:
    at, words = mention.at, mention.words
    if is_weekend:
        return _list_days(at, range(2))
    if _WEEK.search(words):
        return _list_days(at, range(7))
    if _SEASON.search(words):
        months = (shift_months(at, after) for after in range(3))
        return [MentionedDate(month.year, month.month) for month in months]
    # Of "the end of March" no day is known.
    dates = _find_spoken_dates(words.lower())
    if _ABOUT.search(words) and any(date.day for date in dates):
        return _list_days(at, range(-_NEARBY, _NEARBY + 1))
    return dates


def _list_days(first: datetime, after: range) -> list[MentionedDate]:
    days = (shift_days(first, days) for days in after)
    return [MentionedDate(day.year, day.month, day.day) for day in days]


def _write_months_in_digits(low: str) -> str:
    """五月三号 as 5月3号."""

    def write(match: re.Match[str]) -> str:
        day = f"{parse_number(match['day'])}号" if match["day"] else ""
        return f"{parse_number(match['month'])}月{day}"

    return _MONTH_BY_WORD.sub(write, low)


def _find_spoken_dates(low: str) -> list[MentionedDate]:
    """The most exact reading only: once a month is named, its year is not a second date."""
    if not any(character.isdigit() for character in low):
        return _find_bare_months(low)
    exact = [MentionedDate(int(y), int(m), _parse_number(d)) for y, m, d in _ISO.findall(low)]
    exact += [MentionedDate(_parse_number(y), _parse_month(m), int(d)) for d, m, y in _DAY_MONTH.findall(low)]
    exact += [MentionedDate(_parse_number(y), _parse_month(m), int(d)) for m, d, y in _MONTH_DAY.findall(low)]
    exact += [MentionedDate(_parse_number(y), int(m), _parse_number(d)) for y, m, d in _CHINESE.findall(low)]
    if exact:
        return exact
    months = [
        MentionedDate(int(y), _parse_month(m)) for m, y in _MONTH_YEAR.findall(low)
    ] or _find_bare_months(low)
    return months or [MentionedDate(int(y)) for y in _YEAR.findall(low)]


def _find_bare_months(low: str) -> list[MentionedDate]:
    return [MentionedDate(month=_parse_month(m)) for m in _BARE_MONTH.findall(low)]


def _parse_month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _parse_number(digits: str) -> int | None:
    return int(digits) if digits else None


def _is_possible(date: MentionedDate) -> bool:
    """Return whether the calendar has it, and a day behind it."""
    return (
        (date.year is None or MINYEAR <= date.year < MAXYEAR)
        and (date.month is None or 1 <= date.month <= 12)
        and (date.day is None or 1 <= date.day <= 31)
    )
