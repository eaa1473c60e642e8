"""Days that were moved, and days whose month the clause before them names."""

from __future__ import annotations

import pytest

from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("The launch slipped to December 9.", "2026-12-09"),
        ("We moved the party from the 14th to the 21st.", "2026-10-21"),
        ("They've put my appointment back from the 5th to the 19th.", "2026-10-19"),
        ("I've been signed off until the 17th of April.", "2027-04-17"),
        ("I paid the plumber on the 3rd.", "2026-10-03"),
        ("I sent the forms on the 2nd.", "2026-10-02"),
        ("I get paid on the 25th.", "2026-10-25"),
        ("I was off from Monday to Wednesday.", "2026-10-05"),
        ("I have a new desk from Monday.", "2026-10-12"),
    ],
)
def test_what_is_moved_is_on_its_new_day(message: str, day: str) -> None:
    (memory,) = remember(message)
    assert str(memory.event_time)[:10] == day


@pytest.mark.parametrize(
    "message",
    ["I switched from Monday to Thursday.", "They moved me to Tuesday mornings.", "I switched to Thursdays."],
)
def test_a_new_weekday_of_each_week_has_no_date(message: str) -> None:
    (memory,) = remember(message)
    assert memory.event_time is None


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("We go on August 3rd and we're back by the 17th.", "The user is back by the 17th of August 2027."),
        ("We fly out June 12th and come back on the 19th.", "The user comes back on the 19th of June 2027."),
        ("We fly out on 28 December and return on the 4th.", "The user returns on the 4th of January 2027."),
        (
            "I flew out on March 3rd and came back on the 10th.",
            "The user came back on the 10th of March 2026.",
        ),
        (
            "I paid in full on August 3rd and I leave on the 17th.",
            "The user leaves on the 17th (17 October 2026).",
        ),
        (
            "My birthday is August 3rd and rent is due on the 17th.",
            "Rent is due on the 17th (17 October 2026).",
        ),
    ],
)
def test_an_end_is_of_the_month_of_its_beginning(message: str, kept: str) -> None:
    assert texts(message)[-1] == kept


def test_a_course_ends_after_it_begins() -> None:
    assert texts("The course runs from the 4th to the 11th.") == [
        "The course runs from the 4th (4 November 2026) to the 11th (11 November 2026)."
    ]


def test_a_club_whose_name_begins_like_an_order_is_remembered() -> None:
    assert texts("Book club has moved to Sundays at 4.") == ["Book club has moved to Sundays at 4."]
    assert texts("Book a table for Sunday at 4.") == []
