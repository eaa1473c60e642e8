"""Of which year an English month is that names none. It is Friday, 20 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.text.time.english import find_english_times

FRIDAY = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "month"),
    [
        ("I have an Interrail pass until the end of August.", (2027, 8)),
        ("My visa is good until July.", (2027, 7)),
        ("I had a gym membership until June.", (2026, 6)),
        ("I lived with my aunt until March.", (2026, 3)),
        ("I drove until the end of October without insurance.", (2026, 10)),
        ("I have the exam at the end of May.", (2027, 5)),
        ("I have a conference in June.", (2027, 6)),
        ("We had a trip in September.", (2026, 9)),
        ("I bought tickets for the opera in Verona on 7 July.", (2027, 7)),
        ("I had tickets for the match on 2 March but missed it.", (2026, 3)),
    ],
)
def test_what_lasts_until_a_month_ends_ahead_unless_it_is_told_in_the_past(
    sentence: str, month: tuple[int, int]
) -> None:
    (mention,) = find_english_times(sentence, FRIDAY)

    assert (mention.at.year, mention.at.month) == month


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("I start on the first of February.", (2027, 2, 1)),
        ("The concert is on the twenty-second of May.", (2027, 5, 22)),
        ("I am moving out on the thirty first of January.", (2027, 1, 31)),
        ("We met on the first of November.", (2026, 11, 1)),
    ],
)
def test_a_day_may_be_written_out(sentence: str, day: tuple[int, int, int]) -> None:
    (mention,) = find_english_times(sentence, FRIDAY)

    assert (mention.at.year, mention.at.month, mention.at.day) == day


@pytest.mark.parametrize("sentence", ["I was born on 3 June.", "She was born on the third of June."])
def test_a_birth_is_of_no_year_that_is_not_named(sentence: str) -> None:
    assert find_english_times(sentence, FRIDAY) == []


def test_a_weekday_that_comes_again_has_no_date() -> None:
    assert find_english_times("We meet every last Thursday.", FRIDAY) == []
    assert len(find_english_times("We met last Thursday.", FRIDAY)) == 1


@pytest.mark.parametrize(
    ("sentence", "month"),
    [
        ("I've deferred to Chester in October.", (2027, 10)),
        ("We have rebooked the cottage in August.", (2027, 8)),
        ("My sister's signed up for a pottery course in March.", (2027, 3)),
        ("He has been offered a place at Bath in September.", (2027, 9)),
        ("I've agreed to speak at the school in May.", (2027, 5)),
        ("I got the ward post, band 7, start on 1 July.", (2027, 7)),
        ("We exchanged contracts, move in on 28 February.", (2027, 2)),
        ("I passed my theory, practical test on 3 February.", (2027, 2)),
        # What was done then, though behind a comma or in the perfect.
        ("I have visited my aunt in October.", (2026, 10)),
        ("I signed up for the gym in March.", (2026, 3)),
        ("I've decided since the fire in March.", (2026, 3)),
        ("I broke my wrist, skiing in February.", (2026, 2)),
        ("We sold the house, got the keys in February.", (2026, 2)),
        ("We went to Lisbon, Portugal in February.", (2026, 2)),
    ],
)
def test_what_has_been_arranged_or_starts_lies_ahead_though_it_is_said_in_the_past(
    sentence: str, month: tuple[int, int]
) -> None:
    (mention,) = find_english_times(sentence, FRIDAY)

    assert (mention.at.year, mention.at.month) == month


def test_the_sentence_before_tells_nothing_of_when_a_day_is() -> None:
    assert find_english_times("Got the Didcot job! I start there on 13 April", FRIDAY)[0].at.year == 2027
