"""What the English reader makes of users' sentences, class by class: the sentences and their memories."""

from __future__ import annotations

import pytest

from memories.values import MemoryKind
from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I play the cello in a quartet, collect fountain pens and volunteer at the food bank on Thursdays.",
            [
                "The user plays the cello in a quartet.",
                "The user collects fountain pens.",
                "The user volunteers at the food bank on Thursdays.",
            ],
        ),
        (
            "My husband Tom drives a night bus and our daughter Ines just started secondary school.",
            [
                "The user's husband Tom drives a night bus.",
                "The user's daughter Ines just started secondary school.",
            ],
        ),
        (
            "We have twin girls named Nell and Ada who are six.",
            ["The user has twin girls named Nell and Ada.", "The user's twin girls Nell and Ada are six."],
        ),
        ("I have epilepsy, so I can't drive.", ["The user has epilepsy.", "The user cannot drive."]),
    ],
)
def test_each_thing_said_is_a_memory(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["My brother Callum is visiting from Perth. He's a coeliac."],
            ["The user's brother Callum is visiting from Perth.", "The user's brother Callum is a coeliac."],
        ),
        (
            ["My dad's 79 and lives alone in Sligo.", "He's on blood thinners, so no aspirin."],
            [
                "The user's dad is 79.",
                "The user's dad lives alone in Sligo.",
                "The user's dad is on blood thinners, so no aspirin.",
            ],
        ),
    ],
)
def test_pronouns_get_their_names(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages) == kept


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        ("I share an office with Marta and Yusuf. She runs payroll.", "all"),
        ("We've got a Transit and a Berlingo. It kicks in second.", "all"),
        ("My niece and my daughter row together. Her hands are blistered by Sunday.", "all"),
        ("I owe Karim and Joel a lift each. They live way out past Dungarvan where no bus goes.", "all"),
        ("Thanks! It keeps stalling.", "It keeps stalling."),
        ("They closed the pool for the whole of August.", "They closed the pool for the whole of August."),
    ],
)
def test_a_pronoun_that_may_mean_more_than_one_is_quoted_with_what_was_said_before(
    message: str, quoted: str
) -> None:
    assert (
        texts(message)[-1] == f'The user said on 9 October 2026: "{message if quoted == "all" else quoted}"'
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Our vet is in Skipton, no wait, Settle.", "The user's vet is in Settle."),
        ("The parcel goes to Ghent, sorry, Bruges.", "The parcel goes to Bruges."),
        ("My boss is Ingrid, no wait, Astrid.", "The user's boss is Astrid."),
        ("My son goes to St Mary's, no, St Joseph's.", "The user's son goes to St Joseph's."),
        (
            "I work for Solberg, no, sorry, for Kverneland since May.",
            "The user works for Kverneland since May 2026.",
        ),
        ("My sister lives with Paul, actually Anna was late.", "The user's sister lives with Paul."),
    ],
)
def test_a_name_that_is_put_right_in_the_same_breath_takes_the_place_of_the_wrong_one(
    message: str, kept: str
) -> None:
    assert texts(message)[0] == kept


def test_what_a_sentence_does_not_say_in_these_words_is_quoted_whole() -> None:
    message = "We kept Mustard, adopted him in March."
    assert f'The user said on 9 October 2026: "{message}"' in texts(message)


def test_when_nobody_can_tell_of_what_is_quoted() -> None:
    messages = ("My office goes to the attic.", "Actually it's the month after next, the builders are late.")
    assert not any("office is" in text for text in texts(*messages))


def test_a_sentence_that_a_longer_quotation_holds_is_quoted_once() -> None:
    message = "I dropped one of the schools, Saint Olave's, they stopped paying. So it's two now."
    assert texts(message) == [
        "The user dropped one of the schools, Saint Olave's.",
        f'The user said on 9 October 2026: "{message}"',
    ]


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["The train to Leeds is at 9:15 from platform 4.", "> Noted.", "Sorry, I said 9:15, it's 9:50."],
            ["The train to Leeds is at 9:50 from platform 4."],
        ),
        (
            ["We've ordered six chairs for the terrace. Actually make that eight."],
            ["The user has ordered eight chairs for the terrace."],
        ),
        (["My locker code is 4471. No wait, 4417."], ["The user's locker code is 4417."]),
        (
            ["I'm meeting the surveyor on Tuesday at ten.", "> Shall I note it?", "Not Tuesday, Wednesday."],
            ["The user is meeting the surveyor on Wednesday (14 October 2026) at ten."],
        ),
    ],
)
def test_a_correction_restates_what_it_puts_right(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages) == kept


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (["> What are you allergic to?", "Kiwi."], ["The user is allergic to Kiwi."]),
        (["> How long have you been a nurse?", "Nine years."], ["The user has been a nurse for nine years."]),
        (["> Do you ride off-road?", "No, never."], ["The user does not ride off-road."]),
        (["> Do you have any pets?", "Yes, a tortoise."], ["The user has a tortoise."]),
        (
            ["> How long does it take?", "Four years."],
            ['The user said on 9 October 2026, asked "How long does it take?": "Four years."'],
        ),
        (["> Shall I note it?", "Yes please."], []),
    ],
)
def test_a_short_answer_takes_its_question_along(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "House rules: metric units only, no puns, and cite your sources.",
            [
                "The user wants metric units only.",
                "The user does not want puns.",
                "The user wants the assistant to cite its sources.",
            ],
        ),
        (
            "Whenever I ask for code, use tabs.",
            ["The user wants the assistant to use tabs whenever the user asks for code."],
        ),
        ("Write me a haiku about rain. Make it sad.", []),
    ],
)
def test_standing_orders_are_preferences_and_requests_are_nothing(message: str, kept: list[str]) -> None:
    drafts = remember(message)

    assert [draft.text for draft in drafts] == kept
    assert all(draft.kind is MemoryKind.PREFERENCE for draft in drafts)


@pytest.mark.parametrize(
    "message",
    [
        "I absolutely cannot stand cilantro.",
        "I have a severe dislike of crowded beaches.",
        "I'd rather take trains than fly.",
        "I strongly prefer aisle seats.",
        "I always avoid anything with lactose.",
        "I just love espresso short and bitter, no sugar.",
    ],
)
def test_the_strength_of_a_preference_does_not_hide_it(message: str) -> None:
    (draft,) = remember(message)

    assert (draft.kind, draft.preference_type) == (MemoryKind.PREFERENCE, "explicit_preference")


@pytest.mark.parametrize(
    "message",
    ["I just love filling in timesheets at midnight.", "Oh great, another reorganisation."],
)
def test_irony_is_quoted(message: str) -> None:
    (draft,) = remember(message)

    assert (draft.kind, draft.text) == (MemoryKind.FACT, f'The user said on 9 October 2026: "{message}"')


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("The recital is on 7 November.", "The recital is on 7 November 2026."),
        ("Rehearsals run three times a week.", "Rehearsals run three times a week."),
        ("From Monday I'm in Ghent.", "From Monday (12 October 2026) the user is in Ghent."),
        ("My passport expires next March.", "The user's passport expires next March (March 2027)."),
    ],
)
def test_dates_are_resolved_in_their_own_clause(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Can you suggest a week of lunches? My daughter is allergic to kiwi.",
            ["The user's daughter is allergic to kiwi."],
        ),
        (
            "As a left-handed beginner on the guitar, which model should I buy?",
            ["The user is a left-handed beginner on the guitar."],
        ),
        ("What's the difference between an alligator and a crocodile?", []),
        ("Set up a reminder text for my aunt, she pays me every other Friday.", None),
    ],
)
def test_facts_inside_requests_are_kept(message: str, kept: list[str] | None) -> None:
    if kept is None:
        assert any("every other Friday" in text for text in texts(message))
    else:
        assert texts(message) == kept


def test_other_languages_are_quoted_and_code_is_left_out() -> None:
    assert texts("Ich wohne in Graz und arbeite als Tischler.") == [
        'The user said on 9 October 2026: "Ich wohne in Graz und arbeite als Tischler."'
    ]
    assert texts("```\nmy_total = 3\n```\nERROR 2026-10-08 12:00:01 worker: refused\nI use tabs.") == [
        "The user uses tabs."
    ]


@pytest.mark.parametrize(
    "message", ["and then we went to the market " * 1_500, "I own book number 7. " * 150]
)
def test_a_message_without_end_gives_a_bounded_number_of_memories(message: str) -> None:
    assert 0 < len(remember(message)) <= 60


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My sister collects the keys on the 27th.", "on the 27th (27 October 2026)"),
        ("I paid the deposit on the 2nd.", "on the 2nd (2 October 2026)"),
        ("The museum opens on the first Saturday of December.", "(5 December 2026)"),
        ("I plan to be away from November.", "from November 2026"),
        ("I have rented a workshop since March.", "since March 2026"),
        ("I moved to the 5th floor.", "to the 5th floor."),
    ],
)
def test_days_and_months_without_a_year_are_those_that_the_clause_means(message: str, kept: str) -> None:
    assert any(kept in text for text in texts(message)), texts(message)


def test_a_quotation_says_whom_its_pronoun_means_and_when_it_happens() -> None:
    (_, quoted) = remember(
        "Our new lodger is called Tamsin.", "She, for what it is worth, off to Malta on the 20th with no one."
    )

    assert quoted.text.startswith("The user said about the user's new lodger on 9 October 2026:")
    assert quoted.event_time is not None
    assert quoted.event_time.date().isoformat() == "2026-10-20"


def test_what_no_statement_of_a_sentence_says_is_quoted() -> None:
    kept = texts("I rent a darkroom in Leith, forty square metres, enlarger included.")

    assert any("darkroom in Leith" in text for text in kept)
    assert any("enlarger included" in text for text in kept)


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["My sister runs a farm shop near Hexham.", "Actually it's not Hexham, it's Corbridge."],
            ["The user's sister runs a farm shop near Corbridge."],
        ),
        (["My son is five.", "He's not five, he's six."], ["The user's son is six."]),
        (
            ["My uncle sang in the Alhambra.", "No, sorry, the Lyceum, not the Alhambra."],
            ["The user's uncle sang in the Lyceum."],
        ),
        (
            ["My funding stops in July.", "Wait, I said July, the funding ends in August."],
            ["The user's funding stops in August 2027."],
        ),
        (
            ["I coach at Osterley on Tuesdays and Thursdays, no wait, Tuesdays and Saturdays."],
            ["The user coaches at Osterley on Tuesdays and Saturdays."],
        ),
    ],
)
def test_a_denied_value_gives_way_to_the_one_that_holds(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            'My landlord wrote: "I am raising the rent to 900. I live in Spain now."',
            "My landlord wrote: 'I am raising the rent to 900. I live in Spain now.'",
        ),
        (
            'Here is a review of us:\n"The coffee was cold. I live in Aberystwyth."',
            "Here is a review of us: 'The coffee was cold. I live in Aberystwyth.'",
        ),
        ("Ran 10k in 52 minutes. Used to be 58.", "Used to be 58."),
        ("I always mix those up.", "I always mix those up."),
        (
            "Two of the hens have mites, the others are clear.",
            "Two of the hens have mites, the others are clear.",
        ),
    ],
)
def test_what_others_wrote_and_what_leaves_out_its_noun_is_quoted(message: str, kept: str) -> None:
    assert texts(message)[-1] == f'The user said on 9 October 2026: "{kept}"'


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Don't give me salads, I hate salad.",
            ["The user wants the assistant not to give the user salads.", "The user hates salad."],
        ),
        (
            "Never suggest running, my knees are bad.",
            ["The user wants the assistant never to suggest running.", "The user's knees are bad."],
        ),
        ("Oh and I carry a whistle in my bag.", ["The user carries a whistle in their bag."]),
        ("I quit the choir in January.", ["The user quit the choir in January 2026."]),
    ],
)
def test_orders_stand_beside_their_reasons(message: str, kept: list[str]) -> None:
    assert texts(message) == kept
