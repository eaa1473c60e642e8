"""Whom and what later sentences, requests and short answers mean, and what is made of them."""

from __future__ import annotations

import re

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import MemoryKind, Turn
from tests.support.english_talks import DAY, remember, texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        # Anyone who is called by a relation to somebody named is known by the name.
        (
            "My bandmate Quentin broke his wrist. He fell off a unicycle. His sister Lavinia plays instead.",
            [
                "The user's bandmate Quentin broke his wrist.",
                "The user's bandmate Quentin fell off a unicycle.",
                "The user's bandmate Quentin's sister Lavinia plays instead.",
            ],
        ),
        (
            "My star pupil is Ignatius. His mother Rosalind is a surgeon, she pays for everything.",
            [
                "The user's star pupil is Ignatius.",
                "Ignatius's mother Rosalind is a surgeon.",
                "Ignatius's mother Rosalind pays for everything.",
            ],
        ),
        (
            "My colleague Piet is from Ghent. He keeps bees.",
            ["The user's colleague Piet is from Ghent.", "The user's colleague Piet keeps bees."],
        ),
    ],
)
def test_relatives_of_somebody_named_are_followed(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Can you draft a price list for my kennel in Tralee, and quote everything in euros?",
            [
                "The user wants the assistant to quote everything in euros.",
                "The user has a kennel in Tralee.",
            ],
        ),
        (
            "Write a waiver for my escape room in Leuven, and keep in mind that minors need a signature.",
            ["The user has an escape room in Leuven.", "Minors need a signature."],
        ),
        ("Write a short story about my cat in Paris, and keep in mind that dragons live there.", []),
        ("Could you write a note to my landlord in German and sign it as Priya?", []),
    ],
)
def test_requests_tell_what_is_the_users(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        ("What does the shop sell?", "Kites and string.", "The shop sells kites and string."),
        (
            "How many artists work there?",
            "Three, plus a trainee.",
            "Three artists work there, plus a trainee.",
        ),
        ("How long is a session?", "Two hours.", "A session is two hours."),
        ("Which practice?", "Lakeview in Penrith.", "The practice is Lakeview in Penrith."),
        ("Who is Gwendoline?", "Our conductor.", "Gwendoline is the user's conductor."),
        (
            "Your height and inseam?",
            "1.84, and 87.",
            "The user's height is 1.84 and the user's inseam is 87.",
        ),
    ],
)
def test_short_answers_about_other_things_are_statements(question: str, answer: str, kept: str) -> None:
    assert texts("Hello.", f"> I see. {question}", answer) == [kept]


def test_a_pronoun_of_the_question_is_not_guessed() -> None:
    *_, last = texts("My height is 1.84.", "> What will you use it for?", "Touring.")
    assert last.endswith('asked "What will you use it for?": "Touring."')


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My rent is 900 euros, no wait, 950 euros.", "The user's rent is 950 euros."),
        (
            "The train leaves at 7:15, sorry, 7:40 from platform two.",
            "The train leaves at 7:40 from platform two.",
        ),
        ("I have two dogs, no cats.", "The user has two dogs, no cats."),
    ],
)
def test_a_slip_of_the_tongue_gives_way_to_the_value_that_is_meant(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_somebody_who_greets_says_a_name() -> None:
    assert texts("Hello, Merrick here. I fly hawks.") == [
        "The user's name is Merrick.",
        "The user flies hawks.",
    ]
    assert texts("Same here.") == []


def test_nobody_is_quoted_with_words_in_another_order() -> None:
    message = "You won't believe it, the alarm failed, and while I lay there my brother rang, he's getting a pacemaker."
    assert not any("You while" in text for text in texts(message))


def test_what_a_toolbox_holds_is_no_question() -> None:
    assert texts("What's in my toolbox:\n- two spirit levels\n- a pull saw") == [
        "The user's toolbox holds: two spirit levels.",
        "The user's toolbox holds: a pull saw.",
    ]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I was called for jury service last Friday and it starts in January.",
            [
                "The user was called for jury service last Friday (2 October 2026).",
                "The jury service starts in January 2027.",
            ],
        ),
        (
            "The printer died. Helen cancelled the demo, so now it's on the 24th.",
            ["The printer died.", "Helen cancelled the demo.", "The demo is on the 24th (24 October 2026)."],
        ),
        (
            "We are 42 members and the fee is 35 pounds.",
            ['The user said on 9 October 2026: "We are 42 members"', "The fee is 35 pounds."],
        ),
    ],
)
def test_it_is_the_thing_that_was_named_last(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_two_names_put_against_each_other_correct() -> None:
    assert texts("We adopted a greyhound called Biscuit.", "Bicket, not Biscuit, autocorrect.") == [
        "The user adopted a greyhound called Bicket."
    ]
    assert texts("The plumber charges 60 an hour.", "Correction: 65, he put it up.") == [
        "The plumber charges 65 an hour."
    ]


@pytest.mark.parametrize(
    ("talk", "kept"),
    [
        (("We moved for my wife's job, she's a geologist.",), "The user's wife is a geologist."),
        (("My husband's deaf in one ear.",), "The user's husband is deaf in one ear."),
        (("I asked Mr Lund about Ida's maths.", "> How old is Ida?", "Nine."), "Ida is nine."),
        (("My niece Ida plays chess.", "> How old is she?", "Nine."), "The user's niece Ida is nine."),
        (("Hello.", "> Are you from Ghent?", "No, Bruges."), "The user is from Bruges."),
        (("Hello.", "> When is the exam?", "12 November."), "The exam is on 12 November 2026."),
        (("I have a new apprentice, Tamsin.", "She is allergic to nuts."), "Tamsin is allergic to nuts."),
    ],
)
def test_owners_and_people_asked_about_are_known_later(talk: tuple[str, ...], kept: str) -> None:
    assert texts(*talk)[-1] == kept


@pytest.mark.parametrize(
    "talk",
    [
        # What only might be, what is done, and what another clause names: no rule knows what stands for it.
        ("If I were rich I'd buy a yacht.", "It was 150 until May."),
        ("The plumber wants 400. My mate will do it for 90.",),
        ("I dislike group tours. We did one in Peru.",),
    ],
)
def test_what_it_and_one_mean_is_not_guessed(talk: tuple[str, ...]) -> None:
    assert texts(*talk)[-1].startswith("The user said on 9 October 2026: ")


@pytest.mark.parametrize("message", ["I'd rather eat gravel.", "I'd rather chew nails than fly with them."])
def test_what_nobody_would_choose_is_quoted_and_no_preference(message: str) -> None:
    (draft,) = remember(message)
    assert (draft.kind, draft.slot) == (MemoryKind.FACT, "")
    assert message in draft.text


def test_what_one_would_rather_do_is_a_preference() -> None:
    for message in (
        "I'd rather eat rice than pasta.",
        "I'd rather eat at home.",
        "I'd rather take the train.",
    ):
        assert [draft.kind for draft in remember(message)] == [MemoryKind.PREFERENCE]


@pytest.mark.parametrize(
    ("talk", "kept"),
    [
        (
            ("My flight is on the 4th of May, no wait, the 5th.",),
            "The user's flight is on the 5th of May 2027.",
        ),
        (
            ("My flight is on the 10th of May.", "Scrap that, my flight is on the 11th."),
            "The user's flight is on the 11th of May 2027.",
        ),
        (
            ("My eye test is on 12 November.", "Scrap that, make it the 14th."),
            "The user's eye test is on 14th November 2026.",
        ),
    ],
)
def test_another_day_of_the_month_takes_the_place_of_the_day_alone(talk: tuple[str, ...], kept: str) -> None:
    assert texts(*talk) == [kept]


def test_only_a_job_names_an_employer() -> None:
    for message in (
        "I started training for a half marathon.",
        "I'm studying for an MSc.",
        "I'm ready for Easter.",
    ):
        assert not any(draft.slot in ("employer", "job") for draft in remember(message))
    assert remember("I'm head chef at Nobu.")[0].slot in ("employer", "job")


def test_what_the_assistant_says_out_of_courtesy_or_once_more_is_not_kept() -> None:
    for reply in ("Nice to meet you, Mayas!", "That's a lovely reason.", "You live in Tralee."):
        turns = [Turn("user", "I live in Tralee.", DAY), Turn("assistant", reply, DAY)]
        assert not any(draft.speaker for draft in LocalExtractor().extract(turns, []))


def test_what_somebody_is_is_nobody_else() -> None:
    assert not any(text.startswith("A nurse") for text in texts("My mother is a nurse.", "He is from Turin."))


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ("My sister-in-law Petra is a midwife.", "She lives in Graz."),
            "The user's sister-in-law Petra lives in Graz.",
        ),
        (
            ("My brother-in-law owns a garage.", "He hates winter."),
            "The user's brother-in-law hates winter.",
        ),
        (("My father in law has diabetes.", "He takes insulin."), "The user's father in law takes insulin."),
    ],
)
def test_relatives_by_marriage_stay_so_behind_a_pronoun(messages: tuple[str, ...], kept: str) -> None:
    assert kept in texts(*messages)


def test_what_somebody_else_has_is_not_the_users() -> None:
    for messages in (
        ("My neighbour Bill has three dogs.", "He walks them at six."),
        ("My wife has two brothers.", "They live in Oslo."),
    ):
        assert not any(
            wrong in " ".join(texts(*messages)) for wrong in ("user's dogs", "user's two", "user's brothers")
        )


def test_a_name_that_nobody_introduced_may_be_whom_a_pronoun_means() -> None:
    kept = texts(
        "My gran lives with my uncle Derek. He wants to sell her house.",
        "She keeps asking for Arthur. He died in 2009.",
    )

    assert "The user's uncle Derek wants to sell the user's gran's house." in kept
    assert kept[-1] == 'The user said on 9 October 2026: "He died in 2009."'


def test_it_is_what_something_is_called_only_where_a_day_is_told() -> None:
    assert (
        texts("We have tickets for the concert. It's on 12 April.")[-1] == "The concert is on 12 April 2027."
    )
    assert texts("She switched from the flute to the oboe. It's grade 5 in November.")[-1].endswith(
        '"It\'s grade 5 in November."'
    )


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["We adopted a greyhound.", "> How is she settling in?", "Scared of the stairs."],
            'The user said on 9 October 2026, asked "How is she settling in?": "Scared of the stairs."',
        ),
        (
            ["She rang at noon.", "I'm no dog person, that was my wife's idea.", "She hates men with hats."],
            'The user said on 9 October 2026: "She hates men with hats."',
        ),
        (
            ["Priya had twins.", "I'd like to go part time.", "They're talking about moving the office."],
            'The user said on 9 October 2026: "They\'re talking about moving the office."',
        ),
        (
            ["I'm not a dog person, it was my wife's idea."],
            "The user said on 9 October 2026: \"I'm not a dog person, it was my wife's idea.\"",
        ),
    ],
)
def test_what_may_be_said_of_somebody_else_is_quoted(messages: list[str], kept: str) -> None:
    assert texts(*messages)[-1] == kept


def test_the_user_has_not_died() -> None:
    assert not any("user died" in text for text in texts("We used to have a cat, Mog, died two years ago."))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "My wife Ana does the accounts, send invoices to ana.silva@example.com, not to me.",
            ["The user's wife Ana does the accounts."],
        ),
        (
            "My wife Ana is the contact: send invoices to ana.silva@example.com, not to me.",
            ["The user's wife Ana is the contact."],
        ),
        ("My landlord moved, write to his agent instead.", ["The user's landlord moved."]),
        (
            "My wife Ana works nights, do not ring before noon.",
            ["The user's wife Ana works nights.", "The user wants the assistant not to ring before noon."],
        ),
        (
            "My wife Ana is asleep, do not ring before noon.",
            ["The user's wife Ana is asleep.", "The user wants the assistant not to ring before noon."],
        ),
    ],
)
def test_an_order_behind_what_somebody_does_is_no_action_of_theirs(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "My doctor Lee retired, don't book with her again.",
        "My brother drives the van, pay him in cash.",
        "My wife works nights and do not ring her.",
        "My son hates peas, leave them out.",
    ],
)
def test_an_order_about_somebody_is_nothing_that_they_do(message: str) -> None:
    for text in texts(message):
        assert "said on" in text or not re.search(r"\b(?:do not|pay|leave|book)\b", text)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "My wife Ana can cook, bake and sew.",
            [f"The user's wife Ana can {action}." for action in ("cook", "bake", "sew")],
        ),
        ("My dad does not drive or fly.", ["The user's dad does not drive.", "The user's dad does not fly."]),
        ("My aunt came, saw and left.", ["The user's aunt came.", "The user's aunt saw and left."]),
        ("My mother helped me pack and move.", ["The user's mother helped the user pack and move."]),
    ],
)
def test_what_somebody_does_besides_is_their_action(message: str, expected: list[str]) -> None:
    assert texts(message) == expected
