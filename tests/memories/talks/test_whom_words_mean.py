"""Whom "she" and "it" mean where several people and things were named, and what is said of nobody in particular."""

from __future__ import annotations

import pytest

from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ["I live in Utrecht with my boyfriend Sander and two hamsters.", "He's a physiotherapist."],
            "The user's boyfriend Sander is a physiotherapist.",
        ),
        (
            ["I kept the dog.", "He rides in the cab with me."],
            "The user's dog rides in the cab with the user.",
        ),
        (
            [
                "We get our oysters from a bloke called Pete.",
                "The inspector came yesterday, she gave us five stars.",
            ],
            "The inspector gave the user five stars.",
        ),
        (["I bought a bike.", "I love it. It's red and it cost 300."], "The user's bike is red."),
        (["I bought a bike.", "lol yes. It's red."], "The user's bike is red."),
    ],
)
def test_a_pronoun_means_who_was_named_for_it(messages: list[str], expected: str) -> None:
    assert expected in texts(*messages)


@pytest.mark.parametrize(
    ("messages", "wrong"),
    [
        (
            ["We do brunch on Sundays.", "We pay 12 euros a month for hosting, it was on AWS."],
            "brunch was on",
        ),
        (["I do mostly Rotterdam and Antwerp runs.", "She kept the house."], "Antwerp kept"),
        (["We hired a tractor from Watson's.", "One of the heifers calved, she had twins."], "Watson had"),
        (["My lad Tom does the milking.", "One of the heifers calved, she had twins."], "Tom had"),
        (["My brother Neil lives in Perth.", "I've been seeing someone, his name is Phil."], "Neil's name"),
        (["My sous chef Marco quit on Sunday.", "Pete brings oysters, he's 70."], "chef is 70"),
    ],
)
def test_nobody_gets_what_was_said_of_another(messages: list[str], wrong: str) -> None:
    assert not any(wrong in text for text in texts(*messages))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Never been on a plane in my life.", "The user has never been on a plane in their life."),
        ("never eaten oysters", "The user has never eaten oysters."),
        ("Never use emojis.", "The user wants the assistant not to use emojis."),
        (
            "never cut corners in your answers",
            "The user wants the assistant never to cut corners in its answers.",
        ),
    ],
)
def test_what_never_was_is_no_order(message: str, expected: str) -> None:
    assert texts(message) == [expected]


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("I work from Monday to Thursday.", "None"),
        ("The surgery opens from Tuesday to Saturday.", "None"),
        ("My shifts are from Monday to Wednesday now.", "None"),
        ("Her office hours run from Tuesday to Thursday.", "None"),
        ("I look after my grandson from Monday to Friday.", "None"),
        ("The ferry runs from Friday to Sunday.", "None"),
        ("My holidays are from Monday to Thursday.", "2026-10-12"),
        ("I'm in Paris from Monday to Thursday.", "2026-10-12"),
        ("I was in Paris from Monday to Thursday.", "2026-10-05"),
        ("My dad works from Monday to Friday next week.", "2026-10-12"),
        ("I will work from Monday to Thursday.", "2026-10-12"),
    ],
)
def test_the_days_of_every_week_are_not_those_of_one(message: str, day: str) -> None:
    (memory,) = remember(message)
    assert str(memory.event_time)[:10] == day
