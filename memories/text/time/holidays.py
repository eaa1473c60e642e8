"""Days that people name instead of dates; lunar ones by `borax`, whose calendar holds the years 1900 to 2100."""

from __future__ import annotations

from datetime import datetime, timedelta

from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

from memories.text.time.dates import build_day

FIXED = {
    "national day": (10, 1),
    "may day": (5, 1),
    "labor day": (5, 1),
    "labour day": (5, 1),
    "new year": (1, 1),
    "new year's": (1, 1),
    "new year's day": (1, 1),
    "new year's eve": (12, 31),
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "boxing day": (12, 26),
    "bonfire night": (11, 5),
    "st patrick's day": (3, 17),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "qingming": (4, 5),
    "国庆": (10, 1),
    "五一": (5, 1),
    "劳动节": (5, 1),
    "十一": (10, 1),
    "元旦": (1, 1),
    "圣诞": (12, 25),
    "清明": (4, 5),
    "情人节": (2, 14),
    "儿童节": (6, 1),
    "六一": (6, 1),
    "双十一": (11, 11),
    "双十二": (12, 12),
    "三八": (3, 8),
    "妇女节": (3, 8),
    "五四": (5, 4),
    "青年节": (5, 4),
    "教师节": (9, 10),
    "建军节": (8, 1),
    "平安夜": (12, 24),
    "万圣": (10, 31),
}
# Month and day of the Chinese lunar calendar.
_LUNAR = {
    "spring festival": (1, 1),
    "dragon boat": (5, 5),
    "mid-autumn": (8, 15),
    "元宵": (1, 15),
    "七夕": (7, 7),
    "重阳": (9, 9),
}
# The day before the lunar new year.
_EVE = "除夕"
# Weeks after the first Sunday of a month.
_SUNDAYS = {"母亲节": (5, 1), "父亲节": (6, 2)}
_SAME = {
    "chinese new year": "spring festival",
    "lunar new year": "spring festival",
    "春节": "spring festival",
    "过年": "spring festival",
    "大年三十": "除夕",
    "年三十": "除夕",
    "感恩节": "thanksgiving",
    "端午": "dragon boat",
    "中秋": "mid-autumn",
    "mid autumn": "mid-autumn",
}
NAMES = (*FIXED, *_LUNAR, *_SAME, *_SUNDAYS, _EVE, "thanksgiving", "easter")


def get_first_day(name: str, year: int, timestamp: datetime) -> datetime | None:
    """The day on which that year's holiday began; None where it is not known."""
    name = _SAME.get(name, name)
    if name == "thanksgiving":
        first = build_day(timestamp, year, 11, 1)
        return first + timedelta(days=(3 - first.weekday()) % 7 + 21) if first else None
    if name == "easter":
        return build_day(timestamp, year, *_find_easter(year))
    if name == _EVE:
        spring = get_first_day("spring festival", year, timestamp)
        return spring - timedelta(days=1) if spring else None
    if name in _SUNDAYS:
        month, weeks = _SUNDAYS[name]
        first = build_day(timestamp, year, month, 1)
        return first + timedelta(days=6 - first.weekday() + 7 * weeks) if first else None
    if name in _LUNAR:
        return get_lunar_day(year, *_LUNAR[name], timestamp)
    return build_day(timestamp, year, *FIXED[name]) if name in FIXED else None


def get_lunar_day(year: int, month: int, day: int, timestamp: datetime) -> datetime | None:
    """The day of the lunar year that begins in `year`; None where that month has none of that number."""
    try:
        solar = LunarDate(year, month, day).to_solar_date()
    except InvalidLunarDateError:
        return None
    return build_day(timestamp, solar.year, solar.month, solar.day)


def _find_easter(year: int) -> tuple[int, int]:
    """Month and day of Easter Sunday, by the Gregorian reckoning of Meeus, Jones and Butcher."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return month, day + 1
