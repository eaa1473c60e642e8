"""Which day it is that English counts from another. It is Wednesday, 14 October 2026."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memories.text.time.english import date_english

WEDNESDAY = datetime(2026, 10, 14, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("I went to my brother's wedding in April last year.", "2025-04-01"),
        ("i went in april of last year", "2025-04-01"),
        ("We're going to Wales in April next year.", "2027-04-01"),
        ("I had the baby in the summer of 2019.", "2019-06-01"),
        ("It's booked for the 9th of next month.", "2026-11-09"),
        ("It happened on the ninth of last month.", "2026-09-09"),
        ("I have the dentist the first Tuesday of next month.", "2026-11-03"),
        ("The clocks go back the last Sunday of this month.", "2026-10-25"),
        ("My nan turns ninety the Saturday after next.", "2026-10-24"),
        ("We moved in the Saturday before last.", "2026-10-03"),
        ("I saw that film the night before last.", "2026-10-12"),
        ("They broke up at the weekend.", "2026-10-10"),
        ("We went to the beach over the weekend.", "2026-10-10"),
        ("I'm working at the weekend.", "2026-10-17"),
        ("We met two years ago this month.", "2024-10-01"),
        ("We got married 20 years ago today.", "2006-10-14"),
        ("I lost my mum ten years ago this Sunday.", "2016-10-18"),
        ("A year and a half ago I quit.", "2025-04-01"),
        ("I start a week on Friday.", "2026-10-23"),
        ("She is in Tromso till Wednesday.", "2026-10-21"),
        ("She is in Tromso till Friday.", "2026-10-16"),
        ("I have an exam a week today.", "2026-10-21"),
        ("We got the keys a week last Tuesday.", "2026-10-06"),
        ("I'm off Monday week.", "2026-10-26"),
        ("I was there a fortnight ago.", "2026-09-30"),
        ("I leave in a fortnight.", "2026-10-28"),
        ("My cousin's wedding is a month from now.", "2026-11-01"),
        ("I had an interview on Monday the 5th.", "2026-10-05"),
        ("The exam is on Monday 19th.", "2026-10-19"),
        ("We left on Monday 5 October.", "2026-10-05"),
        ("I saw him Friday.", "2026-10-09"),
        ("We're going to see her Sunday for lunch.", "2026-10-18"),
        ("It was Wednesday just gone.", "2026-10-07"),
        ("I've got two gigs booked in March.", "2027-03-01"),
        ("We went to Rome last Easter.", "2026-04-05"),
        ("I broke my leg on Boxing Day.", "2025-12-26"),
        ("I've got a race on Boxing Day.", "2026-12-26"),
        ("We'll go in the new year.", "2027-01-01"),
    ],
)
def test_a_day_is_counted_from_another(sentence: str, day: str) -> None:
    at = date_english(sentence, WEDNESDAY).at
    assert at is not None
    assert str(at.date()) == day


@pytest.mark.parametrize(
    "sentence",
    [
        "We usually meet over the weekend.",
        "I work at the weekend.",
        "I worked Monday to Friday.",
        "I worked Monday, Tuesday and Friday.",
        "She loved Sunday dinners.",
        "We had a Sunday roast.",
        "The clinic opens Monday.",
        "My shift is Friday.",
        "If I saw him Friday I would scream.",
        "I never saw him Friday.",
        "It runs every other Saturday.",
        "I may go.",
        "I spent half a year there.",
    ],
)
def test_a_habit_or_a_span_is_no_day(sentence: str) -> None:
    assert date_english(sentence, WEDNESDAY).at is None


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("We went in April last year.", "We went in April last year (April 2025)."),
        ("We left on Monday 5 October.", "We left on Monday 5 October 2026."),
        (
            "I lost my mum ten years ago this Sunday.",
            "I lost my mum ten years ago this Sunday (18 October 2016).",
        ),
    ],
)
def test_one_day_is_written_once(sentence: str, written: str) -> None:
    assert date_english(sentence, WEDNESDAY).text == written


@pytest.mark.parametrize(
    "word",
    [
        "a week on ",
        "two years ago ",
        "at the weekend ",
        "Monday the 5th ",
        "got a June lined up ",
        "Fri Friday ",
    ],
)
def test_repeated_words_take_no_time(word: str) -> None:
    text = (word * 200)[:2_000]
    start = time.process_time()
    date_english(text, WEDNESDAY)
    assert time.process_time() - start < 1


def test_on_a_monday_monday_week_is_in_a_fortnight() -> None:
    monday = datetime(2026, 10, 5, 9, tzinfo=UTC)
    for sentence in ("I start Monday week.", "I start on Monday week."):
        at = date_english(sentence, monday).at
        assert at is not None
        assert str(at.date()) == "2026-10-19"
