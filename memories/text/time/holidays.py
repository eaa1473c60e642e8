"""Days that people name instead of dates."""

from __future__ import annotations

from datetime import datetime, timedelta

from memories.text.time.dates import on_day

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
}
# First days by the lunar calendar (month, day); other years are known by their year alone.
_LUNAR = {
    "spring festival": {
        2018: (2, 16),
        2019: (2, 5),
        2020: (1, 25),
        2021: (2, 12),
        2022: (2, 1),
        2023: (1, 22),
        2024: (2, 10),
        2025: (1, 29),
        2026: (2, 17),
        2027: (2, 6),
        2028: (1, 26),
        2029: (2, 13),
        2030: (2, 3),
    },
    "dragon boat": {
        2020: (6, 25),
        2021: (6, 14),
        2022: (6, 3),
        2023: (6, 22),
        2024: (6, 10),
        2025: (5, 31),
        2026: (6, 19),
        2027: (6, 9),
        2028: (5, 28),
    },
    "mid-autumn": {
        2020: (10, 1),
        2021: (9, 21),
        2022: (9, 10),
        2023: (9, 29),
        2024: (9, 17),
        2025: (10, 6),
        2026: (9, 25),
        2027: (9, 15),
        2028: (10, 3),
    },
}
_SAME = {
    "chinese new year": "spring festival",
    "lunar new year": "spring festival",
    "春节": "spring festival",
    "过年": "spring festival",
    "端午": "dragon boat",
    "中秋": "mid-autumn",
    "mid autumn": "mid-autumn",
}
NAMES = (*FIXED, *_LUNAR, *_SAME, "thanksgiving")


def first_day(name: str, year: int, timestamp: datetime) -> datetime | None:
    """The day on which that year's holiday began; None where it is not known."""
    name = _SAME.get(name, name)
    if name == "thanksgiving":
        first = on_day(timestamp, year, 11, 1)
        return first + timedelta(days=(3 - first.weekday()) % 7 + 21) if first else None
    month_and_day = FIXED.get(name) or _LUNAR.get(name, {}).get(year)
    return on_day(timestamp, year, *month_and_day) if month_and_day else None
