"""Times in English: "yesterday", "last Friday", "in June", "last year's National Day holiday"."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from memories.text.en.case import fold_case
from memories.text.time import counted_english, holidays
from memories.text.time.dates import (
    MONTHS,
    Dated,
    Mention,
    Tense,
    build_day,
    choose_year_of_month,
    find_day,
    get_weekday_of_week,
    move_ends,
    shift_days,
    shift_months,
    shift_years,
    start_of_day,
    write_dates,
)
from memories.text.time.moved_english import drop_days_moved_from, was_moved_from
from memories.text.time.ordinals import DAY_IN_WORDS, NTH, parse_day
from memories.text.time.tense_english import (
    detect_tense,
    detect_tense_of_month,
    is_open,
    is_routine,
    is_yearly,
)
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

_NO_HABIT = (
    rf"(?!(?:(?:, | and |, and | or )(?:{DAY})){{0,5}}(?: (?:mornings|afternoons|evenings|nights)|s)\b)"
)
# "On Monday 5 October": the date alone tells the day.
_NO_DATE = rf"(?!,? (?:the )?(?:[0-3]?\d(?:st|nd|rd|th)? (?:of )?)?(?-i:{MONTH})\b(?: |$|[.,!?;]))"
_BARE = "|".join(
    f"(?<= {verb} )"
    for verb in "starts start begins leaves leaving arrives arriving starting back due".split()
)
_WHICH = "last|this past|past|this coming|this|next|coming"
_HOLIDAY = "|".join(sorted((re.escape(n) for n in holidays.NAMES if n.isascii()), key=len, reverse=True))
_NAMED_DAYS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
}

# Most sentences name no time: one cheap look saves ten searches.
_HINT = re.compile(
    rf"yesterday|today|tomorrow|tonight|\b(?:last|this|past|next|coming|ago|back|from now|weekend"
    rf"|fortnight|new year|gone|summer|winter|autumn|spring)\b|\d|\b(?:{MONTH})\b|\bin "
    rf"|\b(?:{DAY})\b|{_HOLIDAY}",
    re.IGNORECASE,
)


def date_english(text: str, said_at: datetime, verbatim: bool = False, tense: Tense | None = None) -> Dated:
    """The text with its relative dates resolved, and the time it speaks of.

    `tense` is that of the verb which all of them belong to, where it is known; else the nearest verb tells.
    """
    return write_dates(text, find_english_times(text, said_at, tense), "en", verbatim)


def find_english_times(text: str, said_at: datetime, tense: Tense | None = None) -> list[Mention]:
    if not _HINT.search(text):
        return []
    mentions: list[Mention] = []
    claimed = bytearray(len(text))
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            start, end = match.span()
            mention = (
                None if any(claimed[start:end]) else find_day(resolve, match, start_of_day(said_at), tense)
            )
            if mention:
                claimed[start:end] = b"\1" * (end - start)
                mentions.append(mention)
    mentions = drop_days_moved_from(text, sorted(mentions, key=lambda mention: mention.start))
    return move_ends(text, mentions, format_day)


def _read_named_day(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention:
    at = shift_days(now, _NAMED_DAYS[" ".join(fold_case(match["name"]).split())])
    return build_mention(match, at, format_day(at))


def _read_weekday(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    wanted = get_weekday_number(match["day"])
    which = fold_case(match["which"] or "on")
    if (which == "on" and is_open(match)) or (which == "from" and is_routine(match)):
        return None
    days_back = (now.weekday() - wanted - 1) % 7 + 1
    is_range = which == "from" and match.string.startswith(" to ", match.end())
    is_past = (which == "on" or is_range) and detect_tense(match, tense) is Tense.PAST
    if match["later"]:  # "on Thursday week"
        at = shift_days(now, 7 - days_back % 7 + {"week": 7, "fortnight": 14}[fold_case(match["later"])])
    elif is_past or which in ("last", "this past", "past", "since"):
        at = shift_days(now, -days_back)
    elif which == "next":
        at = get_weekday_of_week(now, wanted, 1)
    else:  # who is away till Wednesday is so for longer than this Wednesday
        same_day = 7 if which in ("until", "till") else 0
        at = shift_days(now, (wanted - now.weekday()) % 7 or same_day)
    return build_mention(match, at, format_day(at))


def _read_period(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention:
    which, unit = fold_case(match["which"]), fold_case(match["unit"])
    step = -1 if "last" in which or "past" in which else 1 if which in ("next", "coming") else 0
    step = {"after next": 2, "before last": -2}.get(which, step)
    if unit == "week":
        at = get_weekday_of_week(now, 0, step)
        return build_mention(
            match, at, f"the week before {format_day(now)}" if step == -1 else f"the week of {format_day(at)}"
        )
    if unit == "weekend":
        at = get_weekday_of_week(now, 5, step)
        return build_mention(
            match,
            at,
            f"the weekend before {format_day(now)}" if step == -1 else f"the weekend of {format_day(at)}",
        )
    if unit == "month":
        at = shift_months(now, step)
        return build_mention(match, at, format_month(at))
    at = shift_years(now, step)
    return build_mention(match, at, str(at.year))


def _read_season(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    which, season = fold_case(match["which"]), fold_case(match["season"])
    month = SEASONS[season]
    year = now.year
    if "last" in which or "past" in which:
        year -= now.month < month + 3
    elif which == "next":
        year += now.month >= month
    at = build_day(now, year, month, 1)
    return build_mention(match, at, f"{season} {year}") if at else None


def _read_ahead(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "in two weeks": a date only when something is still to come, else it says how long it took."""
    return None if detect_tense(match, tense) is Tense.PAST else _read_distance(match, now, 1)


def _read_distance(match: re.Match[str], now: datetime, direction: int) -> Mention:
    word, unit = fold_case(match["n"]), fold_case(match["unit"])
    amount = direction * parse_amount(word)
    around = "around " if word in ("few", "couple", "several") else ""
    if unit in ("hour", "minute"):
        return build_mention(match, now, format_day(now))
    if unit in ("day", "night"):
        at = shift_days(now, amount)
        return build_mention(match, at, around + format_day(at))
    if unit in ("week", "weekend"):
        at = shift_days(now, 7 * amount) if unit == "week" else get_weekday_of_week(now, 5, amount)
        return build_mention(match, at, "around " + format_day(at))
    at = shift_months(now, amount) if unit == "month" else shift_years(now, amount)
    return build_mention(match, at, around + (format_month(at) if unit == "month" else str(at.year)))


def _read_bare_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    month = get_month_number(match["month"])
    is_since = fold_case(match[0]).startswith("since")
    spoken = Tense.PAST if is_since else detect_tense_of_month(match, tense, (month - now.month) % 12)
    year = _choose_nearest_month(now, month) if is_open(match) else choose_year_of_month(now, month, spoken)
    at = build_day(now, year, month, 1)
    return build_mention(match, at, f"{MONTHS[month - 1]} {year}", f" {year}") if at else None


def _choose_nearest_month(now: datetime, month: int) -> int:
    """The year of what was to be in a month: it may have been to be in the last one, or be off in the next."""
    ahead = month - now.month
    return now.year + (ahead < -6) - (ahead > 6)


def _read_which_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    month, which = get_month_number(match["month"]), fold_case(match["which"])
    year = now.year
    if "last" in which or "past" in which:
        year -= month >= now.month
    elif which == "next":
        year += month <= now.month
    at = build_day(now, year, month, 1)
    return build_mention(match, at, format_month(at)) if at else None


def _read_month_day(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    month, day = get_month_number(match["month"]), parse_day(match["day"])
    if match["year"]:
        at = build_day(now, int(match["year"]), month, day)
        return build_mention(match, at, "") if at else None
    spoken_year = _SPOKEN_YEAR.match(match.string, match.end())
    if spoken_year:
        year = now.year + {"last": -1, "this": 0, "next": 1}[fold_case(spoken_year[1])]
    else:
        year = choose_year_of_month(now, month, detect_tense(match, tense))
    at = None if is_yearly(match) else build_day(now, year, month, day)
    missing = "" if spoken_year else f", {year}" if match.re is _MONTH_DAY else f" {year}"
    return build_mention(match, at, "" if spoken_year else format_day(at), missing) if at else None


def _read_day_of_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "on the 27th": the last one where the clause tells of what was, else the next one."""
    if is_open(match):
        return None
    day, is_past = int(match["day"]), detect_tense(match, tense) is Tense.PAST
    if later := _find_day_after(match, now, tense):
        return build_mention(match, later, format_day(later))
    of_range = _UNTIL.match(match.string, match.end())
    if of_range:
        number = get_month_number(of_range["month"])
        at = build_day(now, choose_year_of_month(now, number, detect_tense(match, tense)), number, day)
        return build_mention(match, at, format_day(at)) if at else None
    begin = _FROM_DAY.search(match.string[: match.start()])
    is_range = begin and not was_moved_from(begin.string[: begin.start("day")])
    if begin and is_range and not is_past and int(begin["day"]) < day and now.day > int(begin["day"]):
        now = shift_months(now, 1)  # what begins then ends then
    for months in range(4):
        month = shift_months(now, -months if is_past else months)
        at = build_day(now, month.year, month.month, day)
        if at and (at <= now if is_past else at >= now):
            return build_mention(match, at, format_day(at))
    return None


# "From the 4th to the 11th of July", "4 July to the 11th": both days are of the month that is named once.
_UNTIL = re.compile(
    rf" (?:to|until|till|-|–) (?:the )?[0-3]?\d(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})\b", re.IGNORECASE
)
_FROM_DAY = re.compile(r"\bfrom the (?P<day>[0-3]?\d)(?:st|nd|rd|th) (?:to|until|till) $", re.IGNORECASE)
_BACK = re.compile(r"\b(?:to|until|till|back(?: home)?|-|–)(?: on| by)? $", re.IGNORECASE)


def _find_day_after(match: re.Match[str], now: datetime, tense: Tense | None) -> datetime | None:
    """The day of the month that a date before it names: "from 4 July to the 11th", "on 2 April, back on the 16th"."""
    before = match.string[: match.start()]
    dates = [date for pattern in (_DAY_MONTH, _MONTH_DAY) for date in pattern.finditer(before)]
    first = _read_month_day(max(dates, key=re.Match.start), now, tense) if dates else None
    if first is None or first.at is None:
        return None
    day = int(match["day"])
    if day > first.at.day:
        return build_day(now, first.at.year, first.at.month, day)
    month = shift_months(first.at.replace(day=1), 1)
    return build_day(now, month.year, month.month, day) if _BACK.search(before) else None


def _read_weekday_of_month(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """As in "the first Saturday of December"."""
    wanted = get_weekday_number(match["day"])
    month = get_month_number(match["month"])
    spoken = detect_tense(
        match, tense
    )  # plans are spoken of as they are: "it opens on the first Saturday of December"
    spoken = Tense.FUTURE if spoken is Tense.PRESENT else spoken
    year = int(match["year"]) if match["year"] else choose_year_of_month(now, month, spoken)
    days = [at for day in range(1, 32) if (at := build_day(now, year, month, day)) and at.weekday() == wanted]
    if not days:  # in no calendar, as the year 0
        return None
    nth = fold_case(match["nth"])
    at = days[-1] if nth == "last" else days[NTH.index(nth)]
    return build_mention(match, at, format_day(at))


def _read_date(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    """A date that is complete already: it only tells when."""
    month = (parts := match.groupdict()).get("month") or "1"
    number = int(month) if month.isdigit() else get_month_number(month)
    at = build_day(now, int(parts["year"]), number, int(parts.get("day") or 1))
    return build_mention(match, at, "") if at else None


def _read_holiday(match: re.Match[str], now: datetime, tense: Tense | None) -> Mention | None:
    which, name = fold_case(match["which"] or "").removesuffix("'s"), fold_case(match["name"])
    if which[-4:].isdigit():
        year = int(which[-4:])
    elif which.endswith("year"):
        year = now.year + (-1 if which.startswith("last") else which.startswith("next"))
    else:
        year = _choose_nearest_year(name, which, now, detect_tense(match, tense))
    first = holidays.get_first_day(name, year, now)
    at = first or build_day(now, year, 1, 1)
    return build_mention(match, at, format_month(first) if first else str(year)) if at else None


def _choose_nearest_year(name: str, which: str, now: datetime, tense: Tense) -> int:
    first = holidays.get_first_day(name, now.year, now)
    is_still_to_come = first is not None and first > now
    if which == "next" or (not which and tense is not Tense.PAST):
        return now.year + (not is_still_to_come)
    if which == "this":
        return now.year
    return now.year - is_still_to_come


# "June 14th next year": the words behind it give the year, and get it written out.
_SPOKEN_YEAR = re.compile(r",? (?:of )?(last|this|next) year\b", re.IGNORECASE)
_MONTH_DAY = re.compile(
    rf"\b(?P<month>{MONTH})\.? (?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"\b(?P<day>[0-3]?\d(?=(?:st|nd|rd|th)?(?: of)? )|(?:{DAY_IN_WORDS})(?= of ))(?:st|nd|rd"
    rf"|th)?(?: of)? (?P<month>{MONTH})\b(?:,? (?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)

# The first rule that claims a stretch of text keeps it, so longer phrases stand before their parts.
_RULES: tuple[
    tuple[re.Pattern[str], Callable[[re.Match[str], datetime, Tense | None], Mention | None]], ...
] = (
    (re.compile(r"\b(?P<year>(?:19|20)\d\d)[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b"), _read_date),
    *counted_english.RULES,
    (
        re.compile(
            rf"\b(?:(?:the )?(?P<which>(?:last|this|next) year's|last|this|next|(?:19|20)\d\d(?:'s)?)"
            rf"|(?:during|over|for|on|at)"
            rf"(?: the)?) (?:the )?(?P<name>{_HOLIDAY})(?:'s)?\b(?! (?:party|present|gift|tree|song"
            rf"|dinner))"
            rf"(?: festival)?(?: (?:holidays?|break|vacation|weekend|week))?",
            re.IGNORECASE,
        ),
        _read_holiday,
    ),
    (_MONTH_DAY, _read_month_day),
    (_DAY_MONTH, _read_month_day),
    (
        re.compile(
            rf"\b(?:the )?(?P<nth>{'|'.join(NTH)}|last) (?P<day>{DAY}) (?:of"
            rf"|in) (?P<month>{MONTH})\b(?:,? (?P<year>(?:19|20)\d\d)\b)?",
            re.IGNORECASE,
        ),
        _read_weekday_of_month,
    ),
    (
        # Of the month, and of nothing else: no floor, no birthday.
        re.compile(
            r"""
            \b(?<!moved\ from\ )(?<!changed\ from\ )(?<!shifted\ from\ )[Tt]he\ (?P<day>[0-3]?\d)
            (?:st|nd|rd|th)\b(?=
                [,.;:!?)] | $ | \ (?:is|was|will|to|and|at|for|with|so|but|because|we|I|he|she|they|it)\b
            )
            """,
            re.VERBOSE,
        ),
        _read_day_of_month,
    ),
    (re.compile(rf"\b(?P<month>{MONTH}),? (?:of )?(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE), _read_date),
    (re.compile(rf"\b(?P<name>{'|'.join(_NAMED_DAYS)})\b(?:'s)?", re.IGNORECASE), _read_named_day),
    (
        re.compile(
            rf"(?<!\bevery )(?:\b(?P<which>{_WHICH}|on|from|until|till|by|since) "
            rf"|{_BARE})(?P<day>{DAY})\b{_NO_HABIT}{_NO_DATE}(?: (?P<later>week|fortnight)\b)?",
            re.I,
        ),
        _read_weekday,
    ),
    (
        re.compile(
            r"""
            \b(?P<which>last|this\ past|this\ coming|this|next|coming)\ (?P<unit>weekend|week|month|year)
            \b(?:'s)?(?!\ of\b)
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        _read_period,
    ),
    (
        re.compile(r"\bthe (?P<unit>weekend|week|month|year) (?P<which>after next|before last)\b", re.I),
        _read_period,
    ),
    (
        re.compile(
            rf"\b(?P<which>last|this past|this coming|this|next) (?P<season>{'|'.join(SEASONS)})\b(?! of\b)",
            re.IGNORECASE,
        ),
        _read_season,
    ),
    (
        re.compile(
            rf"\b(?:a )?(?P<n>{NUMBER})(?: of)? (?P<unit>minute|hour|day|night|weekend|week|month"
            rf"|year)s? (?:ago|back)\b",
            re.IGNORECASE,
        ),
        lambda match, now, tense: _read_distance(match, now, -1),
    ),
    (
        re.compile(
            rf"\bin (?:about |a )?(?P<n>{NUMBER})(?: of)? (?P<unit>day|week|month|year)s?\b(?!')",
            re.IGNORECASE,
        ),
        _read_ahead,
    ),
    (
        re.compile(rf"\b(?P<which>last|this past|this coming|this|next) (?P<month>{MONTH})\b", re.I),
        _read_which_month,
    ),
    (
        re.compile(
            rf"\b(?:[Ii]n|by|from|since|until|till|during|for|early|late|mid|end of|beginning of|middle of)[ -]"
            rf"(?:early |late |mid[- ]?)?(?P<month>(?-i:{MONTH})|(?<!for )(?-i:{MONTH.lower()}))\b"
            r"(?!['’]?\w)(?!,? \d)",
        ),
        _read_bare_month,
    ),
    (
        re.compile(
            r"\b(?:in|since|until|during|early|late) (?:early |late )?(?P<year>(?:19|20)\d\d)\b(?!-)",
            re.IGNORECASE,
        ),
        _read_date,
    ),
)
