"""What is remembered of English as people text it: pictures, openers, small letters, missing owners."""

from __future__ import annotations

import pytest

from memories.values import MemoryKind
from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "my bus was late 😡 the driver said nothing",
            ["The user's bus was late.", "The driver said nothing."],
        ),
        ("got a new bike 🚲 it's a Trek", ["The user got a new bike.", "The user's bike is a Trek."]),
        ("my dog is sick 🐶🤒", ["The user's dog is sick."]),
        ("we won the final!!! 🎉🎉", ["The user won the final."]),
        ("i ❤️ my cat", ["The user loves their cat."]),
    ],
)
def test_pictures_end_sentences_and_are_no_words(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_pictures_within_a_clause_stay() -> None:
    assert texts("my cat eats 🐟 on fridays") == ["The user's cat eats 🐟 on Fridays."]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("ugh the boiler broke again", "The boiler broke again."),
        ("yeah thanks oh and we're keeping the old door", "The user is keeping the old door."),
        ("hey so my manager has left", "The user's manager has left."),
        ("oh, one thing actually, I keep bees", "The user keeps bees."),
        ("my sister got a job in dublin smh", "The user's sister got a job in dublin."),
        ("my landlord is selling the flat ffs", "The user's landlord is selling the flat."),
        ("gotta work late on friday", "The user has to work late on Friday (9 October 2026)."),
        ("i wanna learn the cello", "The user wants to learn the cello."),
        ("had the flu last week", "The user had the flu last week (the week before 9 October 2026)."),
        ("We waited like two hours.", "The user waited about two hours."),
        ("hubby works nights", "The user's hubby works nights."),
        ("boss wants the report", "The user's boss wants the report."),
        ("mum's in hospital with a broken hip", "The user's mum is in hospital with a broken hip."),
        ("Dog food is dear.", "Dog food is dear."),
        ("I'm restoring a '68 Mustang with my dad.", "The user is restoring a '68 Mustang with their dad."),
        ("ugh got a C in chem", "The user got a C in chem."),
    ],
)
def test_loose_words_give_plain_statements(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_who_introduces_themselves_as_in_india_has_a_name() -> None:
    assert texts("Myself Raghav, I teach physics in Pune.") == [
        "The user's name is Raghav.",
        "The user teaches physics in Pune.",
    ]


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("moved to york in may", "2026-05-01"),
        ("i've had this job since oct", "2026-10-01"),
        ("In june I start a course.", "2027-06-01"),
        ("I'm flying to Tokyo on April 2, back on the 16th.", "2027-04-02"),
        ("The party is on friday at 3, no wait, saturday.", "2026-10-10"),
    ],
)
def test_times_in_small_letters_and_put_right_are_dated(message: str, day: str) -> None:
    (memory,) = remember(message)
    assert str(memory.event_time)[:10] == day


@pytest.mark.parametrize(
    ("message", "dated"),
    [
        ("I'm flying to Tokyo on April 2, back on the 16th.", "the 16th (16 April 2027)"),
        ("We'll be in Crete from July 30 till the 8th.", "the 8th (8 August 2027)"),
        ("The vet is on friday the 4th, scratch that, monday the 7th.", "Monday the 7th (7 December 2026)"),
        ("I pay it on the 3rd.", "the 3rd"),
    ],
)
def test_a_day_behind_a_date_is_of_its_month(message: str, dated: str) -> None:
    assert dated in texts(message)[0]


@pytest.mark.parametrize(
    "message",
    ["No idea.", "not sure yet", "I don't know.", "Haven't a clue, to be honest.", "dunno tbh"],
)
def test_who_does_not_know_answers_nothing(message: str) -> None:
    assert texts("> Which one do you prefer?", message) == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I must ask that you avoid contractions.", "The user wants the assistant to avoid contractions."),
        ("I'd rather you didn't use emojis.", "The user wants the assistant not to use emojis."),
        ("It would help if you could use bullet points.", "The user wants the assistant to use bullet points."),
    ],
)  # fmt: skip
def test_what_is_asked_for_politely_is_a_preference(message: str, kept: str) -> None:
    (memory,) = remember(message)
    assert (memory.kind, memory.text) == (MemoryKind.PREFERENCE, kept)


@pytest.mark.parametrize(
    "message",
    [
        "I'd be grateful if you could book a table for tonight.",
        "I'd rather you came on Sunday.",
        "We usually eat around eight.",
        "I usually cook on Sundays.",
        "i used to play chess like 6 hrs a day lol not anymore",
    ],
)
def test_what_is_asked_once_or_done_at_some_time_is_no_preference(message: str) -> None:
    assert all(memory.kind is MemoryKind.FACT for memory in remember(message))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ('My boss said "never again".', 'The user\'s boss said "never again".'),
        ("My favourite film is 'Jaws'.", "The user's favourite film is 'Jaws'."),
        ('My favourite song is "Hallelujah".', "The user's favourite song is Hallelujah."),
        ('I can\'t stand "Friends".', "The user cannot stand Friends."),
        ('I live in "The Old Rectory".', "The user lives in The Old Rectory."),
        ("A friend of mine plays the tuba.", "A friend of the user's plays the tuba."),
    ],
)
def test_quotations_are_whole_and_mine_is_the_users(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_a_question_tells_of_an_animal_that_was_not_named_before() -> None:
    assert texts("Can my cat eat tuna?") == ["The user has a cat."]
    assert texts("My dog Rex is ill.", "> Oh no!", "Can my dog eat rice?") == ["The user's dog Rex is ill."]
    assert texts("Could you write a story about my dog?") == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I had a date with a guy called Marc. He's a paediatrician.", "Marc is a paediatrician."),
        ("I met a woman called Ines at work, she's from Porto.", "Ines is from Porto."),
        ("I have a friend called Sam. He is a baker.", "The user's friend Sam is a baker."),
        ("im a nurse in Hull, been here 14 years", "The user has been here 14 years."),
    ],
)
def test_what_is_said_of_somebody_goes_on_about_them(message: str, kept: str) -> None:
    assert texts(message)[-1] == kept


@pytest.mark.parametrize(
    "message",
    [
        "I should be grateful for assistance with a letter.",
        "I'd appreciate some ideas for trips.",
        "We would welcome advice on mortgages.",
    ],
)
def test_who_asks_for_help_tells_nothing(message: str) -> None:
    assert texts(message) == []


def test_who_likes_or_owes_something_asks_for_nothing() -> None:
    assert texts("I appreciate my mum's help.") == ["The user appreciates their mum's help."]
    assert texts("I'd be glad of a lie-in.") == ["The user would be glad of a lie-in."]


def test_an_activity_that_begins_a_sentence_is_not_what_the_user_does() -> None:
    assert not any("is lambing" in text for text in texts("Lambing starts on April 10th."))
    assert texts("Moving to York in May.") == ["The user is moving to York in May 2027."]
