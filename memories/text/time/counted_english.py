"""English days that are counted from others: "the Saturday after next", "two years ago this month", "a week on
Friday"."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from memories.text.en.case import fold_case
from memories.text.time.dates import (
    Mention,
    Tense,
    build_day,
    get_weekday_of_week,
    shift_days,
    shift_months,
)
from memories.text.time.ordinals import DAY_IN_WORDS, NTH, parse_day
from memories.text.time.tense_english import detect_tense
from memories.text.time.words_english import (
    DAY,
    MONTH,
    NUMBER,
    SEASONS,
    build_mention,
    format_day,
    format_month,
    get_month_number,
    get_weekday_number,
    parse_amount,
)

_STEPS = {"last": -1, "this": 0, "next": 1}
_NEAR_DAYS = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}


def _find_weekday(name: str, now: datetime, which: str) -> datetime:
    """The day that "last", "this" or "next" names; "this" is the nearest to come."""
    wanted = get_weekday_number(name)
    if which == "last":
        return shift_days(now, -((now.weekday() - wanted - 1) % 7 + 1))
    if which == "next":
        return get_weekday_of_week(now, wanted, 1)
    return shift_days(now, (wanted - now.weekday()) % 7)


def _find_coming(name: str, now: datetime) -> datetime:
    """The next such day after today."""
    return shift_days(now, (get_weekday_number(name) - now.weekday() - 1) % 7 + 1)


def _shift_whole(day: datetime, months: int) -> datetime:
    """The same day so many months later; the last one where that month is shorter."""
    month = shift_months(day, months)
    days = (build_day(month, month.year, month.month, day.day - less) for less in range(4) if day.day > less)
    return next((candidate for candidate in days if candidate), month)


def _read_month_of_year(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    at = build_day(now, now.year + _STEPS[fold_case(match["which"])], get_month_number(match["month"]), 1)
    return build_mention(match, at, format_month(at)) if at else None


def _read_season_of_year(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    year = int(match["year"]) if match["year"] else now.year + _STEPS[fold_case(match["which"])]
    season = fold_case(match["season"])
    at = build_day(now, year, SEASONS[season], 1)
    return build_mention(match, at, "" if match["year"] else f"{season} {year}") if at else None


def _read_day_of_named_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "the 9th of next month"."""
    month = shift_months(now, _STEPS[fold_case(match["which"])])
    at = build_day(now, month.year, month.month, parse_day(match["day"]))
    return build_mention(match, at, format_day(at)) if at else None


def _read_weekday_of_named_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "the first Tuesday of next month"."""
    month = shift_months(now, _STEPS[fold_case(match["which"])])
    wanted = get_weekday_number(match["day"])
    days = (build_day(now, month.year, month.month, day) for day in range(1, 32))
    fitting = [day for day in days if day and day.weekday() == wanted]
    nth = fold_case(match["nth"])
    at = fitting[-1] if nth == "last" else fitting[NTH.index(nth)]
    return build_mention(match, at, format_day(at))


def _read_one_further(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "the Saturday after next" and "the Saturday before last": one later, and one earlier."""
    if fold_case(match["way"]).startswith("after"):
        at = shift_days(_find_coming(match["day"], now), 7)
    else:
        at = shift_days(_find_weekday(match["day"], now, "last"), -7)
    return build_mention(match, at, format_day(at))


def _read_night_before_last(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    at = shift_days(now, -2)
    return build_mention(match, at, format_day(at))


def _read_weekend(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """ "At the weekend": of what was, the last one; of what is to come, the next one. Of a habit it is none."""
    spoken = detect_tense(match, tense)
    is_weekend = now.weekday() >= 5
    if spoken is Tense.PRESENT or _USUAL.search(match.string):
        return None
    at = get_weekday_of_week(now, 5, -1 if spoken is Tense.PAST and not is_weekend else 0)
    is_before = spoken is Tense.PAST and not is_weekend
    words = f"the weekend before {format_day(now)}" if is_before else f"the weekend of {format_day(at)}"
    return build_mention(match, at, words)


_USUAL = re.compile(
    r"\b(?:usually|always|often|sometimes|normally|never|every|used to|would|mostly|generally|whenever|if|each)\b|'d\b",
    re.IGNORECASE,
)


def _read_ago(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "20 years ago today", "ten years ago this Sunday" and "two years ago this month"."""
    day, unit, amount = fold_case(match["day"]), fold_case(match["unit"]), parse_amount(match["n"])
    if day in _NEAR_DAYS:
        from_day = shift_days(now, _NEAR_DAYS[day])
    elif day == "month":
        from_day = now
    else:
        from_day = _find_weekday(day, now, fold_case(match["which"] or "last"))
    if unit in ("month", "year"):
        at = _shift_whole(from_day, -amount * (12 if unit == "year" else 1))
    elif day == "month":
        return None
    else:
        at = shift_days(from_day, -amount * {"day": 1, "week": 7, "fortnight": 14}[unit])
    if day == "month":
        return build_mention(match, at.replace(day=1), format_month(at))
    return build_mention(match, at, format_day(at))


def _read_half(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "half a year ago", "a year and a half ago", "two and a half years ago"."""
    years = match["n"] or match["n2"]
    months = 6 if years is None else 12 * parse_amount(years) + 6
    at = shift_months(now, -months)
    return build_mention(match, at, f"around {format_month(at)}")


def _read_weeks_from(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "a week on Friday", "two weeks from Monday", "a fortnight tomorrow", "a week last Tuesday"."""
    day, unit = fold_case(match["day"]), fold_case(match["unit"])
    weeks = parse_amount(match["n"]) * (2 if unit == "fortnight" else 1)
    before = match.string[: match.start()]
    if _LASTS.search(before):  # "it has been a week on Friday": so long it will be then
        return None
    if fold_case(match["which"] or "") == "last":
        at = shift_days(_find_weekday(day, now, "last"), -7 * weeks)
    elif day in _NEAR_DAYS:
        at = shift_days(now, _NEAR_DAYS[day] + 7 * weeks)
    else:
        at = shift_days(_find_coming(day, now), 7 * weeks)
    return build_mention(match, at, format_day(at))


_LASTS = re.compile(
    r"""
    (?:
        \b(?:
            be | been | is | was | for | lasts? | lasted | takes? | took | after | every | within | than
            | of | the | spend | spent | stay | stayed | away | off
        )
        | ['’]s
    )\ (?:about\ |almost\ |nearly\ |exactly\ |only\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _read_distance_from_now(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "a month from now", and "a fortnight ago" or "in a fortnight"."""
    amount, unit = parse_amount(match["n"]), fold_case(match["unit"])
    around = "around " if fold_case(match["n"]) in ("few", "couple", "several") else ""
    if unit in ("month", "year"):
        at = shift_months(now, amount * (12 if unit == "year" else 1))
        return build_mention(match, at, around + format_month(at))
    at = shift_days(now, amount * (7 if unit == "week" else 1))
    return build_mention(match, at, ("" if unit == "day" else "around ") + format_day(at))


def _read_fortnight(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    is_ago = fold_case(match[0]).endswith(("ago", "back"))
    if not is_ago and detect_tense(match, tense) is Tense.PAST:
        return None
    amount = parse_amount(match["ago"] or match["ahead"])
    at = shift_days(now, (-14 if is_ago else 14) * amount)
    return build_mention(match, at, f"around {format_day(at)}")


def _read_weekday_with_day(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "Monday the 5th": the nearest month in which that day is that weekday."""
    wanted, day = get_weekday_number(match["day"]), int(match["number"])
    spoken = detect_tense(match, tense)
    if _BORN.search(match.string[: match.start()]):
        return None
    steps = range(0, -_NEAR, -1) if spoken is Tense.PAST else range(_NEAR)
    for step in steps:
        month = shift_months(now, step)
        at = build_day(now, month.year, month.month, day)
        is_on_its_side = at is not None and (at <= now if spoken is Tense.PAST else at >= now)
        if at and is_on_its_side and at.weekday() == wanted:
            return build_mention(match, at, format_day(at))
    return None


_BORN = re.compile(r"\bborn (?:on )?(?:a )?$", re.IGNORECASE)
_NEAR = 5  # months within which people name a day by its weekday and number alone


def _read_new_year(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """ "In the new year": the January to come, and of what is past the one that was."""
    year = now.year + (detect_tense(match, tense) is not Tense.PAST)
    at = build_day(now, year, 1, 1)
    return build_mention(match, at, format_month(at)) if at else None


def _read_bare_weekday(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "I saw him Friday" and "I'm seeing him Friday night": of a habit, and of a span of days, it is no day."""
    spoken = detect_tense(match, tense)
    later = {"": 0, " week": 7, " fortnight": 14}[fold_case(match["later"] or "")]
    if later and spoken is not Tense.PAST:
        at = shift_days(_find_coming(match["day"], now), later)
        return build_mention(match, at, format_day(at))
    if later or (spoken is Tense.PRESENT and not match["gone"]):
        return None
    if _USUAL.search(match.string) or _SPAN.search(match.string):
        return None
    is_past = bool(match["gone"]) or spoken is Tense.PAST
    at = _find_weekday(match["day"], now, "last" if is_past else "this")
    return build_mention(match, at, format_day(at))


_SPAN = re.compile(
    rf"\b(?:{DAY})(?: night| morning)?(?:s| to | till | until | through |-| and | or |, )", re.I
)

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], datetime, Tense | None], Mention | None]]
RULES: tuple[_Rule, ...] = (
    (
        re.compile(
            rf"\b(?:(?<=\bin )|(?-i:(?=[A-Z])))(?P<month>{MONTH}),? (?:of )?(?P<which>last|this|next) year\b",
            re.I,
        ),
        _read_month_of_year,
    ),
    (
        re.compile(
            rf"\b(?P<season>{'|'.join(SEASONS)})(?: (?:of )?(?P<year>(?:19|20)\d\d)"
            rf"|,? (?:of )?(?P<which>last|this|next) year)\b",
            re.I,
        ),
        _read_season_of_year,
    ),
    (
        re.compile(
            rf"\bthe (?:(?P<day>[0-3]?\d(?=st|nd|rd|th)|(?:{DAY_IN_WORDS}))(?:st|nd|rd"
            rf"|th)?) (?:of )?(?P<which>last|this|next) month\b",
            re.I,
        ),
        _read_day_of_named_month,
    ),
    (
        re.compile(
            rf"\b(?:the )?(?P<nth>{'|'.join(NTH)}|last) (?P<day>{DAY}) (?:of|in) (?P<which>last|this|next) month\b",
            re.I,
        ),
        _read_weekday_of_named_month,
    ),
    (
        re.compile(rf"\b(?:the )?(?P<day>{DAY}) (?P<way>after next|before last)\b", re.I),
        _read_one_further,
    ),
    (re.compile(r"\b(?:the )?night before last\b", re.I), _read_night_before_last),
    (
        re.compile(
            rf"\b(?P<n>{NUMBER}) (?P<unit>day|week|fortnight|month|year)s? ago (?:(?P<which>this|last|next) (?=\w))?"
            rf"(?P<day>today|tonight|tomorrow|yesterday|{DAY}|(?<=this )month)\b",
            re.I,
        ),
        _read_ago,
    ),
    (
        re.compile(
            rf"\b(?:half a year|(?P<n>{NUMBER}) years? and a half|(?P<n2>{NUMBER}) and a half years) ago\b",
            re.I,
        ),
        _read_half,
    ),
    (
        re.compile(
            rf"\b(?:a )?(?P<n>{NUMBER})(?: of)? (?P<unit>week|fortnight)s? (?:(?:on|from|this) |(?P<which>last) )?"
            rf"(?P<day>today|tomorrow|{DAY})\b(?!s)",
            re.I,
        ),
        _read_weeks_from,
    ),
    (
        re.compile(rf"\b(?:a )?(?P<n>{NUMBER})(?: of)? (?P<unit>day|week|month|year)s? from now\b", re.I),
        _read_distance_from_now,
    ),
    (
        re.compile(
            rf"\b(?:(?P<ago>{NUMBER}) fortnights? (?:ago|back)|in (?P<ahead>{NUMBER}) fortnights?(?:['’]s? time)?)\b",
            re.I,
        ),
        _read_fortnight,
    ),
    (
        re.compile(
            rf"\b(?:on )?(?P<day>{DAY}),? (?:the )?(?P<number>[0-3]?\d)(?:st|nd|rd|th)\b(?!,? (?:of )?(?:{MONTH})\b)",
            re.I,
        ),
        _read_weekday_with_day,
    ),
    (re.compile(r"\b(?:at|over) the weekend\b(?! of\b)", re.I), _read_weekend),
    (re.compile(r"\b(?:in|into) the new year\b", re.I), _read_new_year),
    (
        re.compile(
            r"""
            (?<=[a-z]\ )(?<!every\ )(?<!each\ )(?<!good\ )(?<!the\ )(?<!black\ )(?<!on\ )(?<!a\ )(?<!my\ )
            (?<!next\ )(?<!last\ )(?<!this\ )(?<!since\ )(?<!from\ )(?<!by\ )(?<!till\ )(?<!until\ )
            (?<!past\ )(?<!coming\ )(?-i:(?P<day>Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)
            (?:\ (?:night|morning|afternoon|evening|lunchtime))?(?:
                (?P<gone>\ (?:just\ )?gone) | (?P<later>\ week|\ fortnight)
            )?(?=[.,!?;)]|$|\ (?:with|at|and|for|because|but|so|when|after|before)\b)
            """,
            re.VERBOSE,
        ),
        _read_bare_weekday,
    ),
)
