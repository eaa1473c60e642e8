"""What the English reader makes of counts, suppositions, reminders and short sentences, as people say them."""

from __future__ import annotations

import pytest

from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["I have three apprentices in the shop.", "Kyle has moved to Leeds, so it's two now."],
            [
                "The user has three apprentices in the shop.",
                "Kyle has moved to Leeds.",
                "The user has two apprentices in the shop now.",
            ],
        ),
        (
            ["Our band has five members. It's four now, the drummer quit."],
            ["The drummer quit.", "The user's band has four members now."],
        ),
        (
            ["We have four lambs.", "That makes six."],
            ["The user has four lambs.", "The user has six lambs now."],
        ),
        (
            ["My lesson was at one.", "It's two now."],
            ["The user's lesson was at one.", 'The user said on 9 October 2026: "It\'s two now."'],
        ),
    ],
)
def test_a_bare_number_counts_what_was_counted_before(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages) == kept


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (["I have one hen.", "I bought another, so that makes two."], "The user has two hens now."),
        (["I've got two cats.", "Poor Miso died. So it's one now."], "The user has got one cat now."),
        (
            ["I've booked eight seats for the panto.", "Uncle Jim is coming too, so that makes nine."],
            "The user has booked nine seats for the panto now.",
        ),
    ],
)
def test_what_is_counted_anew_agrees_with_its_number(messages: list[str], kept: str) -> None:
    assert texts(*messages)[-1] == kept


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Lost one colony over winter, sadly, varroa.", "The Warré swarmed, so that makes four."),
        ("I sold two bikes last week.", "Another went, so that makes three."),
        ("I have one child.", "The twins arrived, so that makes three."),
        ("I have three allotments.", "Dug up one lettuce, so that makes two."),
    ],
)
def test_what_happened_or_fits_no_number_is_not_counted_anew(first: str, then: str) -> None:
    assert texts(first, then)[-1] == f'The user said on 9 October 2026: "{then}"'


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "If we get the grant, we'll buy two new kilns and hire a second potter.",
            ["If the user gets the grant, the user will buy two new kilns and hire a second potter."],
        ),
        (
            "What if I sold the flat? I would live on a boat and my kids would go to school in Hull.",
            [
                'The user said on 9 October 2026: "What if I sold the flat? I would live on a boat and my kids'
                ' would go to school in Hull."'
            ],
        ),
        (
            "My grandfather would take us fishing every Sunday.",
            ["The user's grandfather would take the user fishing every Sunday."],
        ),
    ],
)
def test_what_would_follow_is_told_with_its_condition(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Dentist appointment at 3, remember it.",
            "The user wants to keep a note: Dentist appointment at 3.",
        ),
        ("Mum's hip operation, don't forget it.", "The user wants to keep a note: Mum's hip operation."),
        ("Pick up the dry cleaning, remember this.", "The user plans to pick up the dry cleaning."),
    ],
)
def test_only_an_action_to_remember_is_a_plan(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_a_value_before_a_word_of_correction_takes_the_place_of_the_last_one() -> None:
    assert texts("I prefer Delta.", "United, actually.") == ["The user prefers United."]


@pytest.mark.parametrize(
    ("message", "is_home"),
    [
        ("We're in Porto now.", True),
        ("We moved house to Galway last spring.", True),
        ("I'm in Berlin this week for a conference.", False),
        ("I'm in the garden now.", False),
    ],
)
def test_where_somebody_is_for_good_is_a_residence(message: str, is_home: bool) -> None:
    assert any(draft.slot == "residence" for draft in remember(message)) is is_home


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        # What is closed on Mondays is the shop, and a hairdresser's is one.
        (
            "I run a hairdresser's in Leith. Closed on Mondays.",
            [
                "The user runs a hairdresser's in Leith.",
                'The user said on 9 October 2026: "Closed on Mondays."',
            ],
        ),
        (
            "The head wants to cut two posts. I voted against it.",
            [
                "The head wants to cut two posts.",
                'The user said on 9 October 2026: "The head wants to cut two posts. I voted against it."',
            ],
        ),
        ("We meet on Sunday afternoons at Petra's.", ["The user meets on Sunday afternoons at Petra's."]),
        (
            "Mum's had a fall. She's 84.",
            ["The user's mum has had a fall.", "The user's mum is 84."],
        ),
        ("I've gone over to days, thank god.", ["The user has gone over to days."]),
        ("My wife's vegetarian by the way.", ["The user's wife is vegetarian."]),
        (
            "I'm in the choir and the concert is in January.",
            ["The user is in the choir.", "The concert is in January 2027."],
        ),
    ],
)
def test_short_and_spoken_sentences_are_not_misread(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_a_corrected_amount_keeps_its_unit_once() -> None:
    messages = ("We've got a budget gap of 86 thousand.", "Sorry, I said 86, it's 68 thousand.")
    assert texts(*messages) == ["The user has got a budget gap of 68 thousand."]


def test_who_moves_in_with_somebody_leaves_the_old_home() -> None:
    (draft,) = remember("Mum's moved in with Moira now.")
    assert (draft.slot, draft.is_end) == ("mother:residence", True)


@pytest.mark.parametrize(
    ("message", "slot", "value", "is_end"),
    [
        ("We live in Bergen now, not in Porto anymore.", "residence", "Bergen", False),
        ("I work at Acme now, no longer at Globex.", "employer", "Acme", False),
        ("I'm based in Turin these days, not Milan any more.", "residence", "Turin", False),
        ("I don't live in Porto any more.", "residence", "Porto", True),
        ("I sold the van, not the car.", "vehicle", "van", True),
    ],
)
def test_what_holds_is_not_ended_by_what_it_replaced(
    message: str, slot: str, value: str, is_end: bool
) -> None:
    draft = remember(message)[0]

    assert (draft.slot, draft.value, draft.is_end) == (slot, value, is_end)


@pytest.mark.parametrize(
    ("message", "employers"),
    [
        ("I quit Globex, I'm at Acme now.", [("Globex", True), ("Acme", False)]),
        ("I left Siemens last month. I'm with Bosch now.", [("Siemens", True), ("Bosch", False)]),
        ("I was laid off from Nokia, I'm at Ericsson now.", [("Nokia", True), ("Ericsson", False)]),
        ("I'm at Heathrow now.", []),
        ("I quit smoking. I'm at Berlin Central now.", []),
    ],
)
def test_leaving_one_firm_and_being_at_another_is_working_there(
    message: str, employers: list[tuple[str, bool]]
) -> None:
    states = [(draft.value, draft.is_end) for draft in remember(message) if draft.slot == "employer"]

    assert states == employers


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I'd put 2,500 aside.", ['The user said on 9 October 2026: "I\'d put 2,500 aside."']),
        (
            "I eat chicken now, but never pork.",
            ['The user said on 9 October 2026: "I eat chicken now, but never pork."'],
        ),
        ("I smoke but never drink.", ["The user smokes.", "The user never drinks."]),
        (
            "I usually take it to Gary's on Mill Road.",
            ['The user said on 9 October 2026: "I usually take it to Gary\'s on Mill Road."'],
        ),
        (
            "Our cat Miso isn't eating. The vet thinks it's her teeth. She's thirteen.",
            [
                "The user's cat Miso is not eating.",
                'The user said on 9 October 2026: "The vet thinks it\'s her teeth."',
                "The user's cat is thirteen.",
            ],
        ),
        (
            "He's moving to Bristol, so she'll be with me from May.",
            [
                'The user said on 9 October 2026: "He\'s moving to Bristol"',
                'The user said on 9 October 2026: "she\'ll be with me from May"',
            ],
        ),
        (
            "I'm not a morning person but my husband is up at five.",
            ["The user is not a morning person.", "The user's husband is up at five."],
        ),
        (
            "I have two brothers: Dermot, who's a plumber, and Conor, who moved to Perth in 2015.",
            [
                "The user has two brothers: Dermot, who is a plumber, and Conor, who moved to Perth in 2015.",
            ],
        ),
        (
            "I'm on earlies this week and lates next week.",
            [
                "The user is on earlies this week (the week of 5 October 2026)"
                " and lates next week (the week of 12 October 2026)."
            ],
        ),
        ("I almost bought a boat. Glad I didn't.", ["The user almost bought a boat."]),
        (
            "She told me the baby's due in March. My sister, I mean.",
            ["The user's sister told the user the baby's due in March 2027."],
        ),
        ("My phone is dead, so text me.", ["The user's phone is dead."]),
        ("I put in 400 every month.", ['The user said on 9 October 2026: "I put in 400 every month."']),
        ("Not eggs, I'm sick of eggs.", ['The user said on 9 October 2026: "Not eggs, I\'m sick of eggs"']),
        (
            "I'm thrilled that the train was cancelled again.",
            ['The user said on 9 October 2026: "I\'m thrilled that the train was cancelled again."'],
        ),
        ("I'm left-handed, can you show me the steps for that?", ["The user is left-handed."]),
    ],
)
def test_what_no_form_makes_certain_is_quoted_as_it_was_said(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I booked the hall for 12 May.", "The user booked the hall for 12 May 2027."),
        ("We booked on 12 May.", "The user booked on 12 May 2026."),
        (
            "They moved the exam to 3 March.",
            'The user said on 9 October 2026: "They moved the exam to 3 March."',
        ),
        ("My scan was supposed to be on the 20th.", "The user's scan was supposed to be on the 20th."),
    ],
)
def test_what_was_set_for_a_day_lies_ahead(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "states"),
    [
        ("I resigned from the hospital.", [("employer", "the hospital", True)]),
        ("I've resigned as head chef.", [("job", "head chef", True)]),
        ("I stepped down as treasurer of the club.", [("job", "treasurer", True)]),
        (
            "I no longer live in Porto but in Bergen.",
            [("residence", "Porto", True), ("residence", "Bergen", False)],
        ),
        (
            "I don't live in Porto any more but in Bergen.",
            [("residence", "Porto", True), ("residence", "Bergen", False)],
        ),
        (
            "My sister no longer works for Shell but for Equinor.",
            [("sister:employer", "Shell", True), ("sister:employer", "Equinor", False)],
        ),
        ("I no longer drive a van but a Skoda.", [("vehicle", "van", True), ("vehicle", "Skoda", False)]),
        ("My husband is Irish.", [("", "", False)]),
        ("I'm meeting the solicitor on Thursday.", [("", "", False)]),
        ("We joined the waiting list.", [("", "", False)]),
    ],
)
def test_ends_and_what_holds_instead_have_their_states(
    message: str, states: list[tuple[str, str, bool]]
) -> None:
    assert [(draft.slot, draft.value, draft.is_end) for draft in remember(message)] == states


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["I prefer a window seat on flights.", "Aisle, actually."],
            "The user prefers an aisle seat on flights.",
        ),
        (["I ordered a coffee.", "A tea, actually."], "The user ordered a tea."),
        (["I'd like coffee with breakfast.", "Actually tea."], "The user would like tea with breakfast."),
        (["We booked the beach house.", "Sorry, the lake house."], "The user booked the lake house."),
        (
            ["They'll ring me on Friday.", "Not Friday, sorry, Monday."],
            'The user said on 9 October 2026: "They\'ll ring me on Monday."',
        ),
        (["My door code is 7719.", "Sorry, the code ends in 91, so 7791."], "The user's door code is 7791."),
        (
            ["Rehearsals are Tuesdays, no sorry, they moved them to Wednesdays this term."],
            "Rehearsals are Wednesdays this term.",
        ),
    ],
)
def test_another_thing_takes_the_place_of_the_one_that_was_named(messages: list[str], kept: str) -> None:
    assert texts(*messages) == [kept]


def test_what_is_said_beside_an_answer_is_a_statement_of_its_own() -> None:
    messages = (
        "I applied to extend my visa.",
        "> What visa are you on?",
        "Skilled worker, my employer is Harlow Marine.",
    )
    assert texts(*messages)[-1] == "The user's employer is Harlow Marine."


@pytest.mark.parametrize(
    ("message", "stored"),
    [
        ("Correction to what I told you in May, the deposit is 300.", "The deposit is 300."),
        ("Small correction of something I said last week: the vet comes at nine.", "The vet comes at nine."),
    ],
)
def test_a_correction_of_an_earlier_talk_is_stored_as_a_plain_statement(message: str, stored: str) -> None:
    assert stored in texts(message)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My sister, Ana, and I share a flat.", ["The user and their sister Ana share a flat."]),
        ("My cousin, Ben, and his wife have a farm.", ["The user's cousin Ben and his wife have a farm."]),
        ("My husband Luc and I are vegan.", ["The user and their husband Luc are vegan."]),
        ("My wife and I are moving to Bath.", ["The user and their wife are moving to Bath."]),
    ],
)
def test_two_people_are_two(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I was born and raised in Trieste.", ["The user was born and raised in Trieste."]),
        ("My car was stolen and found in Bern.", ["The user's car was stolen and found in Bern."]),
        (
            "I was raised Catholic but converted at 30.",
            ["The user was raised Catholic.", "The user converted at 30."],
        ),
        (
            "I was diagnosed with asthma and given an inhaler.",
            ["The user was diagnosed with asthma.", "The user was given an inhaler."],
        ),
    ],
)
def test_what_was_done_to_somebody_is_told_apart_from_what_they_did(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_an_order_before_a_statement_has_no_subject_of_its() -> None:
    assert texts("Never mind the mess, we have builders in.") == [
        'The user said on 9 October 2026: "Never mind the mess"',
        "The user has builders in.",
    ]
