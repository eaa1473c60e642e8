"""Times in Chinese: 昨天, 上周三, 三天前, 去年国庆, 6月5日."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from memories.text.time import holidays
from memories.text.time.dates import (
    Dated,
    Mention,
    Tense,
    on_day,
    shift_days,
    shift_months,
    shift_years,
    start_of_day,
    weekday_of_week,
    write_dates,
    year_of_month,
)

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "昨晚": -1,
    "今天": 0,
    "今日": 0,
    "今早": 0,
    "今晚": 0,
    "明天": 1,
    "明日": 1,
    "明早": 1,
    "明晚": 1,
    "后天": 2,
    "大后天": 3,
}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_NUMBER = "[0-9]{1,3}|[零一二两三四五六七八九十]{1,3}|几|半"
_HOLIDAY = "|".join(sorted((n for n in holidays.NAMES if not n.isascii()), key=len, reverse=True))
_SEASONS = {"春天": 3, "夏天": 6, "暑假": 7, "秋天": 9, "冬天": 12, "寒假": 1}
_HINT = re.compile(rf"[天日周月年期拜晚早末]|{_HOLIDAY}")
_FUTURE = re.compile("[要会将]|打算|计划|准备|想|预定|预订|预产期|截止|到期|开学|出发|举行")


def date_chinese(text: str, said_at: datetime) -> Dated:
    """The text with its relative dates resolved, and the time it speaks of."""
    return write_dates(text, find_chinese_times(text, said_at), "zh")


def find_chinese_times(text: str, said_at: datetime) -> list[Mention]:
    if not _HINT.search(text):
        return []
    found: list[Mention] = []
    claimed = bytearray(len(text))
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            start, end = match.span()
            mention = None if any(claimed[start:end]) else resolve(match, start_of_day(said_at))
            if mention:
                claimed[start:end] = b"\1" * (end - start)
                found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def day_words(day: datetime) -> str:
    return f"{day.year}年{day.month}月{day.day}日"


def month_words(day: datetime) -> str:
    return f"{day.year}年{day.month}月"


def number_of(word: str) -> int:
    """Up to 99, in either kind of digits; 几 counts as three."""
    if word.isdigit() and word.isascii():
        return int(word)
    if word == "几":
        return 3
    tens, ten, ones = word.partition("十")
    if not ten:
        return _DIGITS.get(word[-1], 1)
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)


def _mention(match: re.Match[str], at: datetime, words: str) -> Mention:
    return Mention(match.start(), match.end(), at, words)


def _tense(match: re.Match[str]) -> Tense:
    start = max(0, match.start() - 30)
    around = match.string[start : match.end() + 30]
    if _FUTURE.search(around):
        return Tense.FUTURE
    return Tense.PAST if re.search("[了过]", around) else Tense.PRESENT


def _named_day(match: re.Match[str], now: datetime) -> Mention:
    at = shift_days(now, _DAYS[match["name"]])
    return _mention(match, at, day_words(at))


def _week(match: re.Match[str], now: datetime) -> Mention:
    which = match["which"]
    weeks = which.count("下") - which.count("上")
    if match["day"]:
        at = weekday_of_week(now, _WEEKDAYS[match["day"]], weeks)
        return _mention(match, at, day_words(at) + ("前后" if match["day"] == "末" else ""))
    at = weekday_of_week(now, 0, weeks)
    return _mention(match, at, f"{day_words(at)}那一周")


def _bare_weekday(match: re.Match[str], now: datetime) -> Mention:
    wanted = _WEEKDAYS[match["day"]]
    if _tense(match) is Tense.PAST:
        at = shift_days(now, -((now.weekday() - wanted - 1) % 7 + 1))
    else:
        at = shift_days(now, (wanted - now.weekday()) % 7)
    return _mention(match, at, day_words(at))


def _month(match: re.Match[str], now: datetime) -> Mention | None:
    which = match["which"]
    at = shift_months(now, which.count("下") - which.count("上"))
    if not match["day"]:
        return _mention(match, at, month_words(at))
    day = on_day(at, at.year, at.month, number_of(match["day"]))
    return _mention(match, day, day_words(day)) if day else None


def _year(match: re.Match[str], now: datetime) -> Mention | None:
    year = now.year + _YEARS[match["which"]]
    if match["holiday"]:
        first = holidays.first_day(match["holiday"], year, now)
        at = first or on_day(now, year, 1, 1)
        return _mention(match, at, month_words(first) if first else f"{year}年") if at else None
    if match["season"]:
        at = on_day(now, year, _SEASONS[match["season"]], 1)
        return _mention(match, at, f"{year}年{match['season']}") if at else None
    if match["month"]:
        return _day_of(match, now, year)
    at = shift_years(now, year - now.year)
    return _mention(match, at, f"{year}年")


def _month_day(match: re.Match[str], now: datetime) -> Mention | None:
    tense = _tense(match)
    month = number_of(match["month"])
    return _day_of(match, now, year_of_month(now, month, tense)) if 1 <= month <= 12 else None


def _day_of(match: re.Match[str], now: datetime, year: int) -> Mention | None:
    day = number_of(match["day"]) if match["day"] else 1
    at = on_day(now, year, number_of(match["month"]), day)
    return _mention(match, at, day_words(at) if match["day"] else month_words(at)) if at else None


def _bare_holiday(match: re.Match[str], now: datetime) -> Mention | None:
    first = holidays.first_day(match["holiday"], now.year, now)
    is_future = _tense(match) is Tense.FUTURE
    year = now.year + (
        (first is not None and first < now) if is_future else -(first is not None and first > now)
    )
    at = holidays.first_day(match["holiday"], year, now)
    return _mention(match, at, month_words(at)) if at else None


def _away(match: re.Match[str], now: datetime) -> Mention:
    direction = 1 if "后" in match["side"] else -1
    unit, amount = match["unit"], direction * number_of(match["n"])
    around = "前后" if match["n"] in ("几", "半") else ""
    if match["n"] == "半":
        unit, amount = {"年": ("月", 6 * direction), "个月": ("天", 15 * direction)}.get(unit, (unit, 0))
    if unit in ("天", "日"):
        at = shift_days(now, amount)
        return _mention(match, at, day_words(at) + around)
    if unit in ("周", "星期", "个星期", "礼拜", "个礼拜"):
        at = shift_days(now, 7 * amount)
        return _mention(match, at, day_words(at) + "前后")
    at = shift_years(now, amount) if unit == "年" else shift_months(now, amount)
    return _mention(match, at, (f"{at.year}年" if unit == "年" else month_words(at)) + around)


def _given(match: re.Match[str], now: datetime) -> Mention | None:
    at = on_day(now, int(match["year"]), int(match["month"] or 1), int(match["day"] or 1))
    return _mention(match, at, "") if at else None


_MONTH_OF_YEAR = "[0-9]{1,2}|[一二三四五六七八九十]{1,2}"
_DAY_OF_MONTH = "[0-9]{1,2}|[一二三四五六七八九十]{1,3}"

# The first rule that claims a stretch of text keeps it, so longer phrases stand before their parts.
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Mention | None]], ...] = (
    (
        re.compile(
            r"(?P<year>(?:19|20)\d\d)(?:年|[-/.](?=\d))(?:(?P<month>1[0-2]|0?[1-9])(?:月|[-/.])(?:(?P<day>[0-3]?\d)[日号]?)?)?"
        ),
        _given,
    ),
    (
        re.compile(
            rf"(?P<n>{_NUMBER})(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)(?:多)?(?P<side>之?前|以前|之?后|以后)"
        ),
        _away,
    ),
    (
        re.compile(
            rf"(?P<which>{'|'.join(_YEARS)})(?:的?(?P<holiday>{_HOLIDAY})(?:节|黄金周|假期|长假)*|的?(?P<season>{'|'.join(_SEASONS)})"
            rf"|的?(?P<month>{_MONTH_OF_YEAR})月份?(?:(?P<day>{_DAY_OF_MONTH})[日号])?)?"
        ),
        _year,
    ),
    (re.compile(rf"(?P<name>{'|'.join(sorted(_DAYS, key=len, reverse=True))})"), _named_day),
    (
        re.compile(r"(?P<which>上上|上|本|这个?|下下|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?"),
        _week,
    ),
    (re.compile(rf"(?P<which>上上|上|本|这|下下|下)个?月份?(?:(?P<day>{_DAY_OF_MONTH})[日号])?"), _month),
    (re.compile(r"(?<![每上下本这个])(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"), _bare_weekday),
    (
        re.compile(
            rf"(?<![\d每个])(?P<month>{_MONTH_OF_YEAR})月份?(?:(?P<day>{_DAY_OF_MONTH})[日号])?(?!饼|亮)"
        ),
        _month_day,
    ),
    (re.compile(rf"(?P<holiday>{_HOLIDAY})(?:节|黄金周|假期|长假)*(?!月)"), _bare_holiday),
)
