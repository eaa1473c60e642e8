"""Which day an English weekday is. It is Friday, 20 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.text.time.english import find_english_times

FRIDAY = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "days"),
    [
        ("I fly out next Wednesday and come back on Friday.", [25, 27]),
        ("We leave on Thursday and return on Monday.", [26, 30]),
        ("The course starts next Monday and ends on Thursday.", [23, 26]),
        ("The clinic is closed from Tuesday until Friday.", [24, 27]),
        ("Ana is away from Wednesday and gets back on Saturday.", [25, 28]),
        ("I went on Monday and came back on Wednesday.", [16, 18]),
        ("I meet Ana on Monday and Bob on Thursday.", [23, 26]),
        ("The van is due back on Tuesday.", [24]),
    ],
)
def test_what_ends_on_a_weekday_ends_after_it_begins(sentence: str, days: list[int]) -> None:
    assert [mention.at.day for mention in find_english_times(sentence, FRIDAY)] == days


@pytest.mark.parametrize(
    "sentence",
    [
        "I have lessons on Wednesday and Saturday afternoons.",
        "The market is on Friday, Saturday and Sunday nights.",
        "Bins go out on Tuesday and Fridays.",
    ],
)
def test_days_of_every_week_are_no_dates(sentence: str) -> None:
    assert not find_english_times(sentence, FRIDAY)
