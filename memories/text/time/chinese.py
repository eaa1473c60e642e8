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
    build_day,
    choose_year_of_month,
    find_day,
    get_weekday_of_week,
    shift_days,
    shift_months,
    shift_years,
    start_of_day,
    write_dates,
)
from memories.text.time.ranges_chinese import MONTH_OF_YEAR, find_month_of_range
from memories.text.time.tense_chinese import (
    detect_tense,
    find_clause,
    is_month_of_booking,
    is_of_every_week,
    is_recurring,
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
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "大后年": 3}
_NUMBER = "[0-9]{1,3}|[零一二两三四五六七八九十]{1,3}|几|半"
# Holidays that are called by their date are numbers everywhere else: 十一点, 周五一起, 六一路.
_BY_NUMBER = ("十一", "五一", "六一", "三八", "五四")
_HOLIDAY_NAMES = "|".join(
    sorted((n for n in holidays.NAMES if not n.isascii() and n not in _BY_NUMBER), key=len, reverse=True)
)
_HOLIDAY = (
    f"{_HOLIDAY_NAMES}|(?<![〇零一二两三四五六七八九十百千万第周期拜初点个岁到])"
    f"(?:{'|'.join(_BY_NUMBER)})"
    "(?=节|黄金周|长假|小长假|假期|放假|期间|的时候|那几天|那天|前后|之?前|之?后|以前|以后|当天|去|要"
    "|想|我|打算|回|出|不|没|见|玩|，|。|$)"
)
_SEASONS = {"春天": 3, "夏天": 6, "暑假": 7, "秋天": 9, "冬天": 12, "寒假": 1}
_HINT = re.compile(rf"[天日周月年期拜晚早末号]|{_HOLIDAY}")
# A date in brackets before one of these would tear a word apart: a measure behind a numeral (十一|点, but not
# 昨天|点了),
# or the end of a longer word (今年|级).
_TORN = re.compile(
    r"(?<=[零一二两三四五六七八九十几半\d])"
    r"(?:点|次(?!日)|分(?![手别开享娩])|个(?!月)|岁|遍|回(?![家来去国老娘到乡城校])|种|块|万|元|班(?!会)|号)|级|天(?!气)|[底初末]"
)


def date_chinese(text: str, said_at: datetime) -> Dated:
    """The text with its relative dates resolved, and the time it speaks of."""
    return write_dates(text, find_chinese_times(text, said_at), "zh")


def find_chinese_times(text: str, said_at: datetime) -> list[Mention]:
    if not _HINT.search(text):
        return []
    mentions: list[Mention] = []
    claimed = bytearray(len(text))
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            start, end = match.span()
            mention = None if any(claimed[start:end]) else find_day(resolve, match, start_of_day(said_at))
            if mention and not (mention.words and _TORN.match(text, mention.end)):
                claimed[start:end] = b"\1" * (end - start)
                mentions.append(mention)
    return sorted(mentions, key=lambda mention: mention.start)


def format_day(day: datetime) -> str:
    return f"{day.year}年{day.month}月{day.day}日"


def format_month(day: datetime) -> str:
    return f"{day.year}年{day.month}月"


def parse_number(word: str) -> int:
    """Up to 99, in either kind of digits; 几 counts as three."""
    if word.isdigit() and word.isascii():
        return int(word)
    if word == "几":
        return 3
    tens, ten, ones = word.partition("十")
    if not ten:
        return _DIGITS.get(word[-1], 1)
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)


def _build_mention(match: re.Match[str], at: datetime, words: str) -> Mention:
    return Mention(match.start(), match.end(), at, words)


def _read_named_day(match: re.Match[str], now: datetime) -> Mention:
    at = shift_days(now, _DAYS[match["name"]])
    return _build_mention(match, at, format_day(at))


def _read_week(match: re.Match[str], now: datetime) -> Mention:
    which = match["which"]
    weeks = which.count("下") - which.count("上")
    if match["day"]:
        at = get_weekday_of_week(now, _WEEKDAYS[match["day"]], weeks)
        return _build_mention(match, at, format_day(at) + ("前后" if match["day"] == "末" else ""))
    at = get_weekday_of_week(now, 0, weeks)
    return _build_mention(match, at, f"{format_day(at)}那一周")


def _read_bare_weekday(match: re.Match[str], now: datetime) -> Mention | None:
    if is_recurring(match) or is_of_every_week(match):
        return None
    wanted = _WEEKDAYS[match["day"]]
    if detect_tense(match) is Tense.PAST:
        at = shift_days(now, -((now.weekday() - wanted - 1) % 7 + 1))
    else:
        at = shift_days(now, (wanted - now.weekday()) % 7)
    return _build_mention(match, at, format_day(at))


def _read_month(match: re.Match[str], now: datetime) -> Mention | None:
    which = match["which"]
    at = shift_months(now, which.count("下") - which.count("上"))
    if match["part"]:
        return _build_part_of_month(match, at)
    if not match["day"]:
        return _build_mention(match, at, format_month(at))
    day = build_day(at, at.year, at.month, parse_number(match["day"]))
    return _build_mention(match, day, format_day(day)) if day else None


_PARTS = {"初": 1, "上旬": 5, "中旬": 15, "中": 15, "下旬": 25, "底": 28, "末": 28}


def _build_part_of_month(match: re.Match[str], month: datetime) -> Mention:
    """As in 三月底 and 下个月中旬."""
    at = month.replace(day=_PARTS[match["part"]])
    return _build_mention(match, at, format_month(month) + match["part"])


def _end_of_year(match: re.Match[str], now: datetime) -> Mention:
    """年底 and 年初, of this year where no other is named; at its beginning, 年底 was the last one if it is over."""
    year = now.year + (_YEARS[match["which"]] if match["which"] else 0)
    is_end = match["edge"] != "初"
    if (
        not match["which"]
        and detect_tense(match) is not Tense.FUTURE
        and is_end
        and now.month < 7
        and "了" in find_clause(match)
    ):
        year -= 1
    at = now.replace(year=year, month=12 if is_end else 1, day=1)
    return _build_mention(match, at, f"{year}年{'年' if match['edge'] == '终' else ''}{match['edge']}")


def _read_edge_of_month(match: re.Match[str], now: datetime) -> Mention | None:
    if is_recurring(match):
        return None
    month = now
    if match["part"] == "初" and detect_tense(match) is Tense.FUTURE:
        month = shift_months(now, 1)
    return _build_part_of_month(match, month.replace(day=1))


def _read_year(match: re.Match[str], now: datetime) -> Mention | None:
    year = now.year + _YEARS[match["which"]]
    if match["holiday"]:
        first = holidays.get_first_day(match["holiday"], year, now)
        at = first or build_day(now, year, 1, 1)
        return _build_mention(match, at, format_month(first) if first else f"{year}年") if at else None
    if match["season"]:
        at = build_day(now, year, _SEASONS[match["season"]], 1)
        return _build_mention(match, at, f"{year}年{match['season']}") if at else None
    if match["month"]:
        return _read_day(match, now, year)
    at = shift_years(now, year - now.year)
    return _build_mention(match, at, f"{year}年")


def _read_month_day(match: re.Match[str], now: datetime) -> Mention | None:
    month = parse_number(match["month"])
    if not 1 <= month <= 12 or is_recurring(match):
        return None
    tense = detect_tense(match)
    is_unmarked = tense is Tense.PRESENT and _LONG_PAST <= month - now.month <= _NOT_JUST_PAST
    if tense is Tense.PRESENT and month < now.month and is_month_of_booking(match, month + 12 - now.month):
        tense = Tense.PAST
    return _read_day(match, now, choose_year_of_month(now, month, Tense.FUTURE if is_unmarked else tense))


# What was so many months ago is past and would be marked as such by 了, 过 or 是……的; a bill of December is paid in
# January.
_LONG_PAST, _NOT_JUST_PAST = 7, 8


def _read_day(match: re.Match[str], now: datetime, year: int) -> Mention | None:
    month, day = parse_number(match["month"]), parse_number(match["day"]) if match["day"] else 1
    at = build_day(now, year, month, day)
    if at and match["part"]:
        return _build_part_of_month(match, at)
    return _build_mention(match, at, format_day(at) if match["day"] else format_month(at)) if at else None


def _read_bare_holiday(match: re.Match[str], now: datetime) -> Mention | None:
    """The holiday that the clause's tense points to; without one, the nearest. 国庆前一天 is a day of its own."""
    if is_recurring(match):
        return None
    days = [holidays.get_first_day(match["holiday"], now.year + shift, now) for shift in (-1, 0, 1)]
    is_day = match["before"] or match["itself"]
    before = parse_number(match["before"]) if match["before"] else 0
    at = _choose_day([shift_days(day, -before) for day in days if day is not None], match, now)
    return _build_mention(match, at, format_day(at) if is_day else format_month(at)) if at else None


def _choose_day(days: list[datetime], match: re.Match[str], now: datetime) -> datetime | None:
    """Of the same day of several years, the one that the clause's tense points to."""
    tense = detect_tense(match)
    if tense is Tense.FUTURE:
        days = [day for day in days if day >= now]
    elif tense is Tense.PAST:
        days = [day for day in days if day <= now]
    # What is past is marked as such by 了, 过 or 是……的: without a mark, people speak of the holiday to come.
    return min(days, key=lambda day: (day - now) * 0.4 if day >= now else now - day) if days else None


_LUNAR_MONTHS = {"正": 1, "冬": 11, "腊": 12}


def _read_lunar_day(match: re.Match[str], now: datetime) -> Mention | None:
    """As in 腊月十八, 农历八月十六, 三月初三 and 大年初二."""
    if is_recurring(match):
        return None
    name = match["moon_month"] or match["month"] or match["own_month"] or "正"
    month = _LUNAR_MONTHS.get(name) or parse_number(name)
    named = match["day"] or match["first"] or match["own_first"]
    day = parse_number(re.sub("廿十?", "二十", named).removeprefix("初"))
    days = [holidays.get_lunar_day(now.year + shift, month, day, now) for shift in (-1, 0, 1)]
    at = _choose_day([known for known in days if known is not None], match, now)
    return _build_mention(match, at, format_day(at)) if at else None


def _read_day_of_this_month(match: re.Match[str], now: datetime) -> Mention | None:
    """As in 15号交房: the next one, or the last one where the clause speaks of the past."""
    if is_recurring(match):
        return None
    day = parse_number(match["day"] or match["day2"])
    if named := find_month_of_range(match):
        number, tense = parse_number(named), detect_tense(match)
        at = build_day(now, choose_year_of_month(now, number, tense), number, day) if number < 13 else None
        return _build_mention(match, at, format_day(at)) if at else None
    months = (0, -1) if detect_tense(match) is Tense.PAST else (0, 1)
    for shift in months:
        month = shift_months(now, shift)
        at = build_day(now, month.year, month.month, day)
        if at and (at <= now if detect_tense(match) is Tense.PAST else at >= now):
            return _build_mention(match, at, format_day(at))
    return None


def _read_short_year(match: re.Match[str], now: datetime) -> Mention | None:
    """As in 19年毕业: of this century, unless it would lie far ahead."""
    year = 2000 + int(match["yy"])
    year -= 100 * (year > now.year + 5)
    at = build_day(now, year, int(match["month"] or 1), 1)
    return _build_mention(match, at, format_month(at) if match["month"] else f"{year}年") if at else None


def _read_weekend(match: re.Match[str], now: datetime) -> Mention | None:
    """A bare 周末 is a date only where something is planned for it."""
    if is_recurring(match) or detect_tense(match) is not Tense.FUTURE:
        return None
    at = get_weekday_of_week(now, 5, 0)
    return _build_mention(match, at, format_day(at) + "前后")


def _read_distance(match: re.Match[str], now: datetime) -> Mention:
    direction = 1 if "后" in match["side"] else -1
    unit, amount = match["unit"], direction * parse_number(match["n"])
    around = "前后" if match["n"] in ("几", "半") else ""
    if match["n"] == "半":
        unit, amount = {"年": ("月", 6 * direction), "个月": ("天", 15 * direction)}.get(unit, (unit, 0))
    if unit in ("天", "日"):
        at = shift_days(now, amount)
        return _build_mention(match, at, format_day(at) + around)
    if unit in ("周", "星期", "个星期", "礼拜", "个礼拜"):
        at = shift_days(now, 7 * amount)
        return _build_mention(match, at, format_day(at) + "前后")
    at = shift_years(now, amount) if unit == "年" else shift_months(now, amount)
    return _build_mention(match, at, (f"{at.year}年" if unit == "年" else format_month(at)) + around)


def _read_time_left(match: re.Match[str], now: datetime) -> Mention:
    """As in 还有三个礼拜到期."""
    amount, unit = parse_number(match["n"]), match["unit"]
    if "月" in unit:
        at = shift_months(now, amount)
        return _build_mention(match, at, format_month(at))
    at = shift_days(now, amount * (1 if unit in ("天", "日") else 7))
    return _build_mention(match, at, format_day(at) + ("" if unit in ("天", "日") else "前后"))


def _read_nth_weekday(match: re.Match[str], now: datetime) -> Mention | None:
    """As in 十二月第一个礼拜六 and 四月最后一个周末."""
    month = parse_number(match["month"])
    if not 1 <= month <= 12:
        return None
    first = build_day(now, choose_year_of_month(now, month, detect_tense(match)), month, 1)
    if first is None:
        return None
    weekday = _WEEKDAYS[match["day"]] if match["day"] else 0
    at = shift_days(first, (weekday - first.weekday()) % 7)
    if match["nth"]:
        at = shift_days(at, 7 * (parse_number(match["nth"]) - 1))
    else:
        while shift_days(at, 7).month == month:
            at = shift_days(at, 7)
    return _build_mention(match, at, format_day(at) if match["day"] else f"{format_day(at)}那一周")


def _read_date(match: re.Match[str], now: datetime) -> Mention | None:
    year = int("".join(str(_DIGITS.get(digit, digit)) for digit in match["year"]))
    at = build_day(now, year, parse_number(match["month"] or "1"), parse_number(match["day"] or "1"))
    return _build_mention(match, at, "") if at else None


_DAY_OF_MONTH = "[0-9]{1,2}|[一二三四五六七八九十]{1,3}"
_PART = "中旬|上旬|下旬|底|初|末|中(?!午|间|国|心|学|考|秋|风)"

# The first rule that claims a stretch of text keeps it, so longer phrases stand before their parts.
_FIRST_DAYS = "初[一二三四五六七八九十](?![天次个周遍])"
_LUNAR_DAY = f"{_FIRST_DAYS}|三十|(?:二十|廿)[一二三四五六七八九]?|十[一二三四五六七八九]?(?![一-龥]?月)"
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Mention | None]], ...] = (
    (
        re.compile(
            r"""
            (?P<year>(?:19|20)\d\d|[一二][九〇零][〇零一二三四五六七八九]{2})(?:年|(?<=\d)[-/.](?=\d))(?:
                (?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])(?:月份?|[-/.])
                (?:(?P<day>[0-3]?\d|[一二三四五六七八九十]{1,3})[日号]?)?
            )?
            """,
            re.VERBOSE,
        ),
        _read_date,
    ),
    (
        re.compile(
            rf"(?:还有|还剩|再过|再有)(?P<n>{_NUMBER})(?P<unit>天|日|周|个?星期|个?礼拜|个月)(?=就|才"
            rf"|到|截|开|考|结束|毕业|退休|生|过|出|交|满|又|便|的时间)"
        ),
        _read_time_left,
    ),
    (
        re.compile(
            rf"(?P<month>{MONTH_OF_YEAR})月份?的?(?:第(?P<nth>[一二三四五1-5])个|最后一个)(?:周|星期"
            rf"|礼拜)(?P<day>[一二三四五六日天末])?"
        ),
        _read_nth_weekday,
    ),
    (
        re.compile(
            rf"(?P<n>{_NUMBER})(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)(?:多)?(?P<side>之?前(?![端台锋线任妻夫男女])|以前|之?后(?![端台勤厨卫期院])|以后)"
        ),
        _read_distance,
    ),
    (
        re.compile(
            rf"(?:(?:农历|阴历|旧历)的?(?P<moon_month>[正冬腊]|十[一二]?|[一二三四五六七八九])|(?P<month>[正冬腊]))月"
            rf"(?P<day>{_LUNAR_DAY})|(?<![一二三四五六七八九十\d])(?P<own_month>十[一二]?|[一二三四五六七八九])月"
            rf"(?P<first>{_FIRST_DAYS})|大年(?P<own_first>{_FIRST_DAYS})"
        ),
        _read_lunar_day,
    ),
    (
        re.compile(
            rf"(?:(?P<which>{'|'.join(_YEARS)})|(?<![每一二三四五六七八九十\d去今明前后大]))年(?P<edge>"
            rf"[底初终末])(?![奖评])"
        ),
        _end_of_year,
    ),
    (
        re.compile(
            r"(?<!\d)(?P<yy>\d\d)年(?:(?P<month>1[0-2]|0?[1-9])月|(?=出生|生(?!活)|毕业|入职|结婚|买的|来的|进|考))"
        ),
        _read_short_year,
    ),
    (
        re.compile(
            rf"(?<!提)(?P<which>{'|'.join(sorted(_YEARS, key=len, reverse=True))})(?:的?"
            rf"(?P<holiday>{_HOLIDAY})(?:节|黄金周|假期|长假)*|的?(?P<season>{'|'.join(_SEASONS)})"
            rf"|的?(?P<month>{MONTH_OF_YEAR})月份?(?:(?P<day>{_DAY_OF_MONTH})[日号]"
            rf"|(?P<part>{_PART}))?)?"
        ),
        _read_year,
    ),
    (re.compile(rf"(?P<name>{'|'.join(sorted(_DAYS, key=len, reverse=True))})"), _read_named_day),
    (
        re.compile(r"(?P<which>上上|上|本|这个?|下下|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?"),
        _read_week,
    ),
    (
        re.compile(
            rf"(?P<which>上上|上|本|这|下下|下)个?月份?(?:(?P<day>{_DAY_OF_MONTH})[日号]|(?P<part>{_PART}))?"
        ),
        _read_month,
    ),
    (
        re.compile(
            r"""
            (?<![每隔上下本这个一两二三四五六七八九十几\d到至])(?<!(?:周|期|拜)[一二三四五六日天])
            (?<!(?:周|期|拜)[一二三四五六日天][、和跟])(?:周|星期|礼拜)(?P<day>[一二三四五六日天])(?!
                [趟遍到至些起] | 次(?!日) | 回(?![家来去国老娘到乡城校]) | [、和跟]?(?:周|星期|礼拜)[一二三四五六日天]
                | [、和跟][一二三四五六日天](?![点时号月个]) | (?<=六)日(?![本语文落出程期记子常料式])
                | [二三四五六]{1,5}+(?![点时号月个十百千半一人口位名次岁斤块元年天节楼家\d])
                | (?:店|公|轮)?休(?:息|$) | 不?营业 | 关门 | 不开门
            )
            """,
            re.VERBOSE,
        ),
        _read_bare_weekday,
    ),
    (re.compile("(?<![每上下本这个])周末(?!的)"), _read_weekend),
    (
        re.compile(
            rf"(?<![\d每个〇零一二两三四五六七八九十])(?P<month>{MONTH_OF_YEAR})月份?(?:"
            rf"(?P<day>{_DAY_OF_MONTH})[日号]|(?P<part>{_PART}))?(?![饼亮嫂子])"
        ),
        _read_month_day,
    ),
    (
        re.compile(
            rf"(?P<holiday>{_HOLIDAY})(?:节|黄金周|假期|长假)*(?:的?前(?P<before>[一两二三四五六七\d])天|的?(?P<itself>当天|那天))?(?!月)"
        ),
        _read_bare_holiday,
    ),
    (re.compile("(?<![每\\d年月一二三四五六七八九十])月(?P<part>底|初|中旬|末)(?!出)"), _read_edge_of_month),
    (
        re.compile(
            rf"(?:(?<![\d月第一-龥a-zA-Z])|(?<=用户)|(?<=[我他她妈爸姑姨舅叔伯哥姐弟妹婆公爷奶儿友们])"
            rf"|(?<=[这下上]次))(?P<day>{_DAY_OF_MONTH})[号日](?![线楼院门店字码机桌床车位馆坑台厅柜球"
            rf"房铺航登站井仓船入出窗泊])|(?:(?<=[是到在于，改月为])|(?<=[订约买抢定报排][了的]))(?P<day2>{_DAY_OF_MONTH})[号日](?!"
            rf"[线楼院门店字码机桌床车位馆坑台厅柜球房铺航登站井仓船入出窗泊])"
        ),
        _read_day_of_this_month,
    ),
)
