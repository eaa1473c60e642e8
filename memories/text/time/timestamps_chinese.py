"""Points in time in Chinese: "2025年9月12日 早上8点", "昨天下午三点半", "二〇二五年九月十二日 20:05"."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

from memories.text.time.chinese import find_chinese_times, parse_number
from memories.text.time.dates import build_day

# A wall clock without a zone is ahead of UTC by so much at most: what lies further ahead was meant in the past.
FURTHEST_ZONE = timedelta(hours=14)

# Of what dates are written with, the characters that have a traditional form.
_SIMPLIFIED = str.maketrans("時點號兩週後禮鐘間裡裏個", "时点号两周后礼钟间里里个")
_CHINESE = re.compile("[\u3400-\u9fff]")
_NUMERALS = "零〇一二两三四五六七八九十"
_PLACES = str.maketrans("零〇一二三四五六七八九", "00123456789")
# Years are read digit by digit; a weekday (周三) is no number, nor is what stands for a name (万一, 星期一).
_YEAR_IN_WORDS = re.compile("[零〇一二三四五六七八九]{4}(?=年)")
_NUMBER_IN_WORDS = re.compile(
    rf"(?<![周期拜{_NUMERALS}])[{_NUMERALS}]{{1,3}}(?=[月日号点时分秒刻天周年个小]|星期|礼拜)"
    rf"|(?<=点)[过零]*[{_NUMERALS}]{{1,3}}"
)
_BLANK_AT_UNIT = re.compile(r"(?<=[年月日号点时分])\s+|\s+(?=[年月日号点时分])")
_DATE = re.compile(
    r"""
    (?<! [\d:/.-] ) (?: (?P<year> \d{4} | \d\d (?=年) ) [年/.-] )?
    (?P<month> \d{1,2} )
    (?: 月份? (?: (?P<day> \d{1,2} ) (?: [日号] | (?! [\d:点时] ) ) )? | [/.-] (?P<number> \d{1,2} ) (?! [\d:] ) )
    """,
    re.VERBOSE,
)
_YEAR_BY_NAME = re.compile("[去今明前后]年")
_WEEKDAY = re.compile(r"\(?(?:星期|周|礼拜)[一二三四五六日天]\)?")
_ZONE = re.compile(
    r"(?P<china> \(?(?:北京时间|中国标准时间)\)? )"
    r"| (?: (?<=:\d\d)\s* | \(?(?:utc|gmt)\s* )"
    r"  (?P<sign> [+-] ) (?P<hours> \d{1,2} ) (?: :? (?P<minutes> \d\d ) )? \)? $"
    r"| \(?(?:utc|gmt)\)? $",
    re.VERBOSE,
)
# What may stand between and around the parts.
_FILLING = re.compile(r"[\s,、。;的约于在]+|左右|大约")
# Each part of the day with the hours that it spans, counted on through the night, and one in its middle.
_PARTS = {
    "凌晨": (0, 6, 3),
    "清晨": (4, 10, 6),
    "清早": (4, 10, 6),
    "早晨": (4, 12, 8),
    "早上": (4, 12, 8),
    "早": (4, 12, 8),
    "上午": (6, 13, 10),
    "am": (0, 12, 8),
    "正午": (11, 14, 12),
    "中午": (11, 15, 12),
    "午后": (12, 18, 14),
    "下午": (12, 19, 15),
    "pm": (12, 24, 15),
    "傍晚": (16, 21, 18),
    "晚上": (17, 29, 20),
    "晚间": (17, 29, 20),
    "晚": (17, 29, 20),
    "夜里": (18, 30, 22),
    "夜间": (18, 30, 22),
    "深夜": (20, 30, 23),
    "半夜": (20, 30, 24),
    "午夜": (22, 30, 24),
}
_PART = "|".join(_PARTS)
_CLOCK = re.compile(
    rf"""
    (?P<part> {_PART} )?
    (?:
        (?P<hour> \d{{1,2}} )
        (?: : (?P<minute> \d\d ) (?: : (?P<second> \d\d ) (?: \.\d+ )? )?
          | [点时] (?: 钟 | 整 | 半 (?P<half> ) | (?P<quarters> [13] ) 刻
                     | [过零]* (?P<minutes> \d{{1,2}} ) 分? (?: (?P<seconds> \d{{1,2}} ) 秒 )? )?
          | (?= [ap]m ) )
        (?P<after> am | pm )?
    )?
    """,
    re.VERBOSE,
)


def read_chinese_timestamp(text: str, now: datetime) -> datetime | None:
    """Return what the text says, in the zone that it names or UTC; None where it is not Chinese, or any of it cannot be
    read.

    Without a zone it keeps its wall clock. What is said without a year or a day is the last such time before `now`,
    from which "昨天" and the like count. A part of the day without an hour is an hour in its middle.
    """
    written = unicodedata.normalize("NFKC", text).lower().strip()
    if not _CHINESE.search(written):
        return None
    written, zone = _split_zone(_BLANK_AT_UNIT.sub("", with_digits(written)))
    today = now.replace(tzinfo=None)
    day, rest = _find_day(written, today)
    clock = _CLOCK.fullmatch(_FILLING.sub("", rest))
    if clock is None or (day is None and not clock[0]):
        return None
    time = _read_clock_time(clock)
    if time is None:
        return None
    if day == _get_midnight(today) and not clock[0]:
        return now.astimezone(UTC)  # "今天" alone
    timestamp = (day or _get_midnight(today)) + time
    if day is None and timestamp - today > FURTHEST_ZONE:
        timestamp -= timedelta(days=1)
    return timestamp.replace(tzinfo=zone)


def with_digits(text: str) -> str:
    """The text with its numbers in digits: "九月十二日" as "9月12日", "两個小時前" as "2小时前"."""
    text = text.translate(_SIMPLIFIED)
    text = _YEAR_IN_WORDS.sub(lambda match: match[0].translate(_PLACES), text)
    return _NUMBER_IN_WORDS.sub(
        lambda match: str(parse_number(match[0].lstrip("过零") or "零")), text
    ).replace("个小时", "小时")


def _split_zone(text: str) -> tuple[str, timezone]:
    match = _ZONE.search(text)
    if match is None:
        return text, UTC
    left = text[: match.start()] + text[match.end() :]
    if match["china"]:
        return left, timezone(timedelta(hours=8))
    if match["sign"] is None:
        return left, UTC
    ahead = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    if ahead > FURTHEST_ZONE:
        return text, UTC
    return left, timezone(ahead if match["sign"] == "+" else -ahead)


def _find_day(text: str, today: datetime) -> tuple[datetime | None, str]:
    """The day's beginning, and what else the text says."""
    match = None if _YEAR_BY_NAME.search(text) else _DATE.search(text)
    if match is not None:
        return _parse_written_day(match, today), _WEEKDAY.sub(
            "", text[: match.start()] + " " + text[match.end() :]
        )
    mentions = find_chinese_times(text, today)
    if not mentions:
        return None, text
    mention = mentions[0]
    phrase = text[mention.start : mention.end]
    day = _get_midnight(mention.at)
    if _WEEKDAY.fullmatch(phrase) and day > today:
        day -= timedelta(days=7)
    # "昨晚" names a part of the day too.
    part = phrase[-1] if phrase[-1] in "早晚" else ""
    return day, text[: mention.start] + part + text[mention.end :]


def _parse_written_day(match: re.Match[str], today: datetime) -> datetime | None:
    year, month = match["year"], int(match["month"])
    day = int(match["day"] or match["number"] or 1)
    if year is not None:
        return build_day(_get_midnight(today), int(year) + (2000 if len(year) == 2 else 0), month, day)
    date = build_day(_get_midnight(today), today.year, month, day)
    is_ahead = date is None or date - today > FURTHEST_ZONE
    return build_day(_get_midnight(today), today.year - 1, month, day) if is_ahead else date


def _get_midnight(timestamp: datetime) -> datetime:
    return timestamp.replace(hour=0, minute=0, second=0, microsecond=0)


def _read_clock_time(clock: re.Match[str]) -> timedelta | None:
    """Since midnight; None for hours and minutes that no clock shows."""
    part = clock["part"] or clock["after"]
    if clock["hour"] is None:
        return timedelta(hours=_PARTS[part][2] if part else 0)
    hour = int(clock["hour"])
    minute = int(clock["minute"] or clock["minutes"] or 0)
    minute += 30 if clock["half"] is not None else 15 * int(clock["quarters"] or 0)
    second = int(clock["second"] or clock["seconds"] or 0)
    if hour > 24 or minute > 59 or second > 59:
        return None
    if part:
        first, end, _ = _PARTS[part]
        # By a clock of twelve hours or of 24, whichever lies in that part of the day.
        hour = next((at for at in (hour - 12, hour, hour + 12, hour + 24) if first <= at < end), hour)
    return timedelta(hours=hour, minutes=minute, seconds=second)
