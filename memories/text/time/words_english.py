"""What English times are made of: names of months and days, amounts, and how a day is written."""

from __future__ import annotations

import re
from datetime import datetime

from memories.text.en.case import fold_case
from memories.text.time.dates import MONTHS, Mention

MONTH = "|".join(
    (*MONTHS, "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sept", "Sep", "Oct", "Nov", "Dec")
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Short names only with a capital: "the last sun", "on sat".
DAY = "|".join(DAYS) + "|(?-i:Mon|Tues|Tue|Wed|Thurs|Thur|Thu|Fri|Sat|Sun)"
NUMBERS = {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 3} | dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
)
NUMBER = rf"\d{{1,3}}|{'|'.join(NUMBERS)}"
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}


def format_day(day: datetime) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def format_month(day: datetime) -> str:
    return f"{MONTHS[day.month - 1]} {day.year}"


def build_mention(match: re.Match[str], at: datetime, words: str, missing: str = "") -> Mention:
    return Mention(match.start(), match.end(), at, words, missing)


def get_month_number(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month[:3].lower() == fold_case(name[:3]))


def get_weekday_number(name: str) -> int:
    return next(n for n, day in enumerate(DAYS) if day[:3] == fold_case(name[:3]))


def parse_amount(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[fold_case(word)]
