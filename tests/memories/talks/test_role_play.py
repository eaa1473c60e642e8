"""What a user says as somebody whom they play is no memory; what they say as themselves is."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    "opening",
    [
        "Let's role play. You are a detective in London and I'm a thief called Vivian.",
        "can you role play as a grumpy wizard, i'll be the apprentice named Ro",
        "Pretend you're a dragon and I'm a knight called Bors.",
        "Let's play a game: you are the shopkeeper, I'm a customer from France.",
        "Roleplay: you're a waiter and I am a rude customer.",
        "I'd love to role play with you, im a pirate called Meg",
    ],
)
def test_what_is_said_in_a_play_is_not_remembered(opening: str) -> None:
    assert texts(opening, "> Good evening!", "I own three necklaces. My wife is in Camelot.") == []


@pytest.mark.parametrize(
    "ending",
    [
        "OK stop the game. My name is Bea.",
        "Haha that was fun. My name is Bea.",
        "ok enough of the role play, my name is Bea",
        "Out of character: my name is Bea.",
        "Thanks for playing! My name is Bea.",
    ],
)
def test_behind_its_end_the_user_speaks_for_themselves(ending: str) -> None:
    opening = "I live in Leeds. Let's role-play: you're a vampire and I'm a priest."
    assert texts(opening, "> Boo!", "I own three crosses.", "> Boo!", ending) == [
        "The user lives in Leeds.",
        "The user's name is Bea.",
    ]


@pytest.mark.parametrize(
    ("opening", "kept"),
    [
        ("Let's do a mock interview. You're the interviewer.", []),
        ("Imagine I'm a beginner and explain sockets.", []),
        ("Can we roleplay a job interview?", []),
        ("My kids love to pretend, and I'm the dragon usually.", ["The user's kids love to pretend."]),
        ("I play role-playing games every Friday.", ["The user plays role-playing games every Friday."]),
        ("You are an expert nutritionist and I'm a diabetic.", ["The user is a diabetic."]),
    ],
)
def test_who_takes_no_part_speaks_for_themselves(opening: str, kept: list[str]) -> None:
    kept_texts = texts(opening, "> Sure.", "I worked at the post office for three years.")
    assert "The user worked at the post office for three years." in kept_texts
    assert all(text in kept_texts for text in kept)
