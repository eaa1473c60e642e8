"""Denials without a subject: orders to the assistant, habits of the user, and what "we" are together."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I'm a night owl, don't schedule anything before ten.",
            ["The user is a night owl.", "The user wants the assistant not to schedule anything before ten."],
        ),
        (
            "I hate mornings, never book early flights.",
            ["The user hates mornings.", "The user wants the assistant never to book early flights."],
        ),
        (
            "I'm on a budget, don't recommend anything over 50 euros.",
            [
                "The user is on a budget.",
                "The user wants the assistant not to recommend anything over 50 euros.",
            ],
        ),
        (
            "I work nights. Don't ring before two.",
            ["The user works nights.", "The user wants the assistant not to ring before two."],
        ),
        (
            "Never put me in a window seat.",
            ["The user wants the assistant never to put the user in a window seat."],
        ),
    ],
)
def test_what_only_an_assistant_does_is_an_order(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I live alone, don't drive, don't smoke.",
            ["The user lives alone.", "The user does not drive.", "The user does not smoke."],
        ),
        ("I'm retired, don't work any more.", ["The user is retired.", "The user does not work any more."]),
        ("I'm new here, don't know anyone.", ["The user is new here.", "The user does not know anyone."]),
        ("I take the bus, never drive.", ["The user takes the bus.", "The user never drives."]),
        ("I like tea, never coffee.", ["The user likes tea, never coffee."]),
    ],
)
def test_a_habit_without_a_subject_is_the_users(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize("message", ["Don't send that.", "Don't book it yet.", "Please don't do that now."])
def test_an_order_about_what_is_at_hand_does_not_stand(message: str) -> None:
    assert texts(message) == []


@pytest.mark.parametrize(
    "message", ["We are a family of five.", "We're a nonprofit in Ghent.", "We are nurses."]
)
def test_what_several_are_together_is_quoted(message: str) -> None:
    (kept,) = texts(message)
    assert kept.startswith("The user said on ")
    assert message.rstrip(".") in kept


def test_what_somebody_always_did_is_no_order() -> None:
    assert texts("Lemon drizzle, always has.") != [
        "The user wants the assistant to lemon drizzle, always has."
    ]
    assert texts("Always summarise in three bullets.") == [
        "The user wants the assistant to summarise in three bullets."
    ]


# -- Reports, troubles and names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("MRI came back. It's not the meniscus after all, it's a cartilage thing.", "MRI is"),
        ("My X-ray came back, it's a hairline fracture.", "X-ray is"),
        ("The survey came in. It's a Grade II listed house.", "survey is"),
        ("The car keeps stalling. It's the alternator.", "car is"),
        ("The house was noisy at night. It was the fridge.", "house was the"),
    ],
)
def test_what_a_report_told_of_is_not_the_report(message: str, wrong: str) -> None:
    assert not any(wrong in text for text in texts(message))
    assert any(
        message in text or message.partition(". ")[2] in text for text in texts(message) if '"' in text
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("The parcel came. It's a lamp.", "The parcel is a lamp."),
        ("I bought a bike. It's a Trek.", "The user's bike is a Trek."),
        ("My bike is red. It's the old model.", "The user's bike is the old model."),
        ("The test came back. It's positive.", "The test is positive."),
    ],
)
def test_a_thing_is_still_what_it_is_said_to_be(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("Vet's taken Biscuit off the Metacam. She gets Librela injections now.", "Vet gets"),
        ("The midwife weighed Ottilie and was pleased. She sleeps through now.", "midwife sleeps"),
        ("The tutor gave Amira a mock test. She has maths on Fridays.", "tutor has maths"),
    ],
)
def test_somebody_by_name_whom_something_was_done_to_may_be_the_next_she(message: str, wrong: str) -> None:
    assert not any(wrong in text for text in texts(message))


def test_an_animal_that_is_called_she_is_meant_rather_than_the_vet() -> None:
    message = "Vet's taken Biscuit off the Metacam, it upset her stomach. She gets injections instead."
    assert (
        texts("My dog Biscuit is on Metacam.", message)[-1]
        == "The user's dog Biscuit gets injections instead."
    )
