"""Whom a request for a text names, and what is said of them beside it."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Write a birthday speech for my dad. He was a postman in Hull.",
            "The user's dad was a postman in Hull.",
        ),
        ("Could you write a poem for my mum? She turns 70 on 9 May.", "The user's mum turns 70 on 9 May"),
        ("Write a poem for my wife. It should rhyme. She hates clichés.", "The user's wife hates clichés."),
        (
            "Write a bedtime story for my daughter Mia. She loves dinosaurs.",
            "The user's daughter Mia loves dinosaurs.",
        ),
        (
            "Could you draft an email to my landlord? He hasn't fixed the boiler.",
            "The user's landlord has not fixed the boiler.",
        ),
        (
            "Draft a eulogy for our neighbour. She ran the allotments.",
            "The user's neighbour ran the allotments.",
        ),
    ],
)
def test_for_whom_a_text_is_wanted_is_real(message: str, kept: str) -> None:
    assert any(text.startswith(kept) for text in texts(message))


@pytest.mark.parametrize(
    "message",
    [
        "Write a story about a girl called Mia. She lives on a farm.",
        "Write a poem about a lonely fisherman. He mends nets.",
        "Write a story in which my dog Rex saves the day. He flies to the moon.",
        "Write a story for my class about a fox. He steals eggs.",
        "Write a poem to my future self. I hope she is rich.",
    ],
)
def test_who_is_made_up_is_nobody(message: str) -> None:
    assert [text for text in texts(message) if "said on" not in text] == []


@pytest.mark.parametrize("when", ["on the 21st of March", "in May", "on a Sunday", "next Friday"])
def test_a_month_or_day_is_nobody_who_is_meant_by_he(when: str) -> None:
    message = f"Can you help me plan a trip for my husband Tunde? It's {when}."

    assert "The user's husband Tunde is mad about jollof." in texts(message, "He's mad about jollof.")


def test_ones_own_daughter_keeps_her_name() -> None:
    assert texts("My own daughter Saoirse plays scrum-half, she's ten.") == [
        "The user's daughter Saoirse plays scrum-half.",
        "The user's daughter Saoirse is ten.",
    ]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My mum's a nurse and knits.", "The user's mum also knits."),
        ("My cousin Boz is a plumber and drums in a band.", "The user's cousin Boz also drums in a band."),
        ("My sister was a dancer and models for a living.", "The user's sister also models for a living."),
        ("My son is a nurse and sails at weekends.", "The user's son is a nurse and also sails at weekends."),
    ],
)
def test_what_somebody_does_besides_being_something_is_no_noun(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    "message",
    [
        "My brother is a lover of cats and dogs.",
        "The shop is a hardware and tools store.",
        "My house is a mix of bricks and stones.",
    ],
)
def test_two_nouns_stay_together(message: str) -> None:
    (memory,) = texts(message)

    assert "also" not in memory
