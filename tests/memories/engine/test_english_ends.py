"""What ended is said together with what it was, and what only looks like a verb or a list is none."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I used to run but stopped in 2020.", ["The user used to run but stopped in 2020."]),
        ("I used to smoke a pack a day but quit.", ["The user used to smoke a pack a day but quit."]),
        ("I studied law and then dropped out.", ["The user studied law and then dropped out."]),
        (
            "My brother worked at the docks and left in 2019.",
            ["The user's brother worked at the docks and left in 2019."],
        ),
        # What these end, they say themselves.
        (
            "My aunt quit her job and joined a circus.",
            ["The user's aunt quit her job.", "The user's aunt joined a circus."],
        ),
        ("We rented a van and left at six.", ["The user rented a van.", "The user left at six."]),
        # A past that looks like an infinitive.
        (
            "I used to bike to work but hurt my knee.",
            ["The user used to bike to work.", "The user hurt their knee."],
        ),
    ],
)
def test_an_end_is_said_with_what_ended(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I speak Tagalog at home and English at work.",
            "The user speaks Tagalog at home and English at work.",
        ),
        ("My kids are 4 and 7.", "The user's kids are 4 and 7."),
    ],
)
def test_languages_are_no_verbs_and_ages_of_several_stay_together(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I'm not a fan of horror movies but I love thrillers.",
            ["The user is not a fan of horror movies.", "The user loves thrillers."],
        ),
        (
            "I'm not much of a cook but we bake on Sundays.",
            ["The user is not much of a cook.", "The user bakes on Sundays."],
        ),
        ("My team lead, Priya, moved to Kraków.", ["The user's team lead Priya moved to Kraków."]),
        (
            "Our night nurse, Mr Bello, sings in a choir.",
            ["The user's night nurse Mr Bello sings in a choir."],
        ),
    ],
)
def test_what_is_said_after_a_denial_and_of_somebody_by_name_stays_whole(
    message: str, kept: list[str]
) -> None:
    assert texts(message) == kept
