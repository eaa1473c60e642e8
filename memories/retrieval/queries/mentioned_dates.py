"""The dates that a question names, as far as it speaks them out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memories.text.time.chinese import parse_number
from memories.text.time.dates import shift_days


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
    r"(?<![一二两三四五六七八九十几每])(?P<month>十[一二]?|[一二三四五六七八九])月(?!一次|两次)份?"
    r"(?:(?P<day>[一二三四五六七八九十]{1,3})[日号])?"
)
# How many days each lies behind today.
_DAYS = (
    (re.compile(r"\btoday\b|今[天日晚]"), 0),
    (re.compile(r"(?<!day before )\byesterday\b|昨[天日晚]"), 1),
    (re.compile(r"\bthe day before yesterday\b|(?<!大)前天"), 2),
    (re.compile(r"(?<!day after )\btomorrow\b|明[天日晚]"), -1),
    (re.compile(r"\bthe day after tomorrow\b|(?<!大)后天"), -2),
)
# How many weeks each lies behind this one.
_WEEKS = (
    (re.compile(r"\blast week\b(?!end)|上个?(?:周|星期|礼拜)(?![一二三四五六日天末])"), 1),
    (re.compile(r"\bthis week\b(?!end)|[这本]个?(?:周|星期|礼拜)(?![一二三四五六日天末])"), 0),
    (re.compile(r"\bnext week\b(?!end)|下个?(?:周|星期|礼拜)(?![一二三四五六日天末])"), -1),
)
_MONTHS_BEHIND = (
    (re.compile(r"\blast month\b|上个?月"), 1),
    (re.compile(r"\bthis month\b|这个?月|本月"), 0),
    (re.compile(r"\bnext month\b|下个?月"), -1),
)
_YEARS_BEHIND = (
    (re.compile(r"\blast year\b|去年"), 1),
    (re.compile(r"\bthis year\b|今年"), 0),
    (re.compile(r"\bnext year\b|明年"), -1),
)


# What remains of "What did I do in April?" without its date, and of 四月我做了什么.
_ASKING_ENGLISH = frozenset(
    """what what's whats which how did do does doing done was were is are am have has had been be will would i we my our
    me us user the a an in on at during of for to by from with about up and or any anything something everything there
    there's it that this these those all happen happened happening happens go going goes busy plan plans planned
    planning scheduled schedule agenda coming event events thing things tell show list remember know end start beginning
    middle early late else so far""".split()
)
_ASKING_CHINESE = re.compile(
    r"我们?|咱们?|用户|发生|安排|计划|打算|日程|干嘛|怎么样?|什么|哪些|事情?|告诉|还?记得|一下|请问?"
    r"|[做干忙有在过了的吗呢啊吧嘛啥都要会去么那里底初中旬份期间时候是和与]"
)


def asks_by_date_alone(low: str) -> bool:
    """Whether it names a date, and nothing else to find a memory by: "What did I do in April?"."""
    rest = _write_months_in_digits(low.replace("’", "'"))
    spoken = (_ISO, _DAY_MONTH, _MONTH_DAY, _CHINESE, _MONTH_YEAR, _BARE_MONTH, _YEAR)
    relative = (pattern for table in (_DAYS, _WEEKS, _MONTHS_BEHIND, _YEARS_BEHIND) for pattern, _ in table)
    for pattern in (*spoken, *relative):
        rest = pattern.sub(" ", rest)
    words = re.findall(r"[a-z0-9][a-z0-9']*|[\u4e00-\u9fff]+", rest)
    return all(
        word in _ASKING_ENGLISH if word.isascii() else not _ASKING_CHINESE.sub("", word) for word in words
    )


def find_mentioned_dates(low: str, now: datetime) -> tuple[MentionedDate, ...]:
    """The dates of a question in lower case and simplified characters; `now` is what "yesterday" counts from."""
    spoken, relative = _find_spoken_dates(_write_months_in_digits(low)), _find_relative_dates(low, now)
    years = [date.year for date in relative if date.month is None]
    # "In May last year" names one date.
    if years and spoken and all(date.year is None for date in spoken):
        spoken = [MentionedDate(years[0], date.month, date.day) for date in spoken]
        relative = [date for date in relative if date.month is not None]
    return tuple(dict.fromkeys(date for date in [*spoken, *relative] if _is_possible(date)))


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


def _find_relative_dates(low: str, now: datetime) -> list[MentionedDate]:
    days = [shift_days(now, -behind) for pattern, behind in _DAYS if pattern.search(low)]
    monday = shift_days(now, -now.weekday())
    for pattern, behind in _WEEKS:
        if pattern.search(low):
            days += [shift_days(monday, day - 7 * behind) for day in range(7)]
    found = [MentionedDate(day.year, day.month, day.day) for day in days]
    found += [MentionedDate(now.year - behind) for pattern, behind in _YEARS_BEHIND if pattern.search(low)]
    for pattern, behind in _MONTHS_BEHIND:
        if pattern.search(low):
            year, month = divmod(12 * now.year + now.month - 1 - behind, 12)
            found.append(MentionedDate(year, month + 1))
    return found


def _parse_month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _parse_number(digits: str) -> int | None:
    return int(digits) if digits else None


def _is_possible(date: MentionedDate) -> bool:
    return (date.month is None or 1 <= date.month <= 12) and (date.day is None or 1 <= date.day <= 31)
