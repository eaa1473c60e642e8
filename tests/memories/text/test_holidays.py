"""Days that people name: lunar ones are known for every year that a person may speak of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.text.time.holidays import get_first_day

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "year", "day"),
    [
        ("春节", 2026, "2026-02-17"),
        ("spring festival", 2035, "2035-02-08"),
        ("端午", 2019, "2019-06-07"),
        ("dragon boat", 2031, "2031-06-24"),
        ("mid autumn", 2032, "2032-09-19"),
        ("中秋", 1999, "1999-09-24"),
        ("thanksgiving", 2026, "2026-11-26"),
        ("christmas", 2040, "2040-12-25"),
    ],
)
def test_a_holiday_has_its_day_in_each_year(name: str, year: int, day: str) -> None:
    first_day = get_first_day(name, year, NOW)

    assert first_day is not None
    assert first_day.date().isoformat() == day


@pytest.mark.parametrize("year", [1850, 2150])
def test_no_lunar_day_is_made_up_beyond_the_calendar(year: int) -> None:
    assert get_first_day("春节", year, NOW) is None
