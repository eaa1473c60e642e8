"""What is remembered of English without its apostrophes and full stops, as it is texted or dictated."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("my mums a nurse", "The user's mum is a nurse."),
        ("my grandmas turning 90", "The user's grandma is turning 90."),
        ("my cats been sick since sunday", "The user's cat has been sick since Sunday (4 October 2026)."),
        ("my dads in hospital", "The user's dad is in hospital."),
        ("my landlords selling the flat", "The user's landlord is selling the flat."),
        ("my girlfriends vegan", "The user's girlfriend is vegan."),
        ("my sons school is shut", "The user's son's school is shut."),
        ("my moms birthday is in may", "The user's mom's birthday is in May 2027."),
        ("my tutors name is Okafor", "The user's tutor's name is Okafor."),
        ("the boilers been off since friday", "The boiler has been off since Friday (2 October 2026)."),
        ("my names priya", "The user's name is Priya."),
    ],
)
def test_missing_apostrophes_are_put_back(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My cats are sick.", "The user's cats are sick."),
        ("My brothers always laugh at me.", "The user's brothers always laugh at the user."),
        ("My brothers phone me every day.", "The user's brothers phone the user every day."),
        ("My friends in York call me Bo.", "The user's friends in York call the user Bo."),
        ("My cousins have a farm.", "The user's cousins have a farm."),
        ("My teachers gave me a prize.", "The user's teachers gave the user a prize."),
        ("My sisters both live in Leeds.", "The user's sisters both live in Leeds."),
        ("My name is hard to spell.", "The user's name is hard to spell."),
        ("The company changed its name.", "The company changed its name."),
        ("My boss is leaving.", "The user's boss is leaving."),
    ],
)
def test_plurals_stay(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_a_name_told_in_one_breath_is_a_statement_of_its_own() -> None:
    assert texts("we've got a lodger her name is ximena she pays 500") == [
        "The user has got a lodger.",
        "The user's lodger's name is Ximena.",
        "The user's lodger pays 500.",
    ]
    assert texts("my dog is ill her names luna") == [
        "The user's dog is ill.",
        "The user's dog's name is Luna.",
    ]


@pytest.mark.parametrize(
    "message", ["i think his name is gary", "I forgot what her name is but she was nice."]
)
def test_a_name_that_somebody_thinks_of_stays_in_its_sentence(message: str) -> None:
    (kept, *_) = texts(message)
    assert message[:20] in kept
