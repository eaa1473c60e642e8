"""What a clause leaves to the words before it: it is filled in where that is certain, and quoted where it is not."""

from __future__ import annotations

import pytest

from tests.support.english_talks import remember, texts

SAID = 'The user said on 9 October 2026: "{}"'


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My partner's vegan but I'm not.", ["The user's partner is vegan.", "The user is not vegan."]),
        ("I'm vegan and so is my wife.", ["The user is vegan.", "The user's wife is vegan."]),
        (
            "I don't drink and neither does my husband.",
            ["The user does not drink.", "The user's husband does not drink."],
        ),
        ("My wife eats meat but I don't.", ["The user's wife eats meat.", "The user does not eat meat."]),
        ("My wife doesn't drink but I do.", ["The user's wife does not drink.", "The user drinks."]),
        ("My sister can swim and I can't.", ["The user's sister can swim.", "The user cannot swim."]),
        (
            "My parents have been to Japan but I haven't.",
            ["The user's parents have been to Japan.", "The user has not been to Japan."],
        ),
    ],
)
def test_an_auxiliary_alone_says_what_the_clause_before_it_says(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("My brother sold his car but I didn't.", "The user's brother sold his car."),
        (
            "My boss wants me to move to Leeds and I said no.",
            "The user's boss wants the user to move to Leeds.",
        ),
        ("I gave up sugar for Lent and I'm not missing it.", "The user gave up sugar for Lent."),
        (
            "I ran the Leeds half in 1:52 in May 2025, my best so far.",
            "The user ran the Leeds half in 1:52 in May 2025.",
        ),
        (
            "The kids start back on 2 November and my leave ends the day before.",
            "The kids start back on 2 November 2026.",
        ),
    ],
)
def test_what_only_the_whole_sentence_tells_is_quoted_with_all_of_it(message: str, first: str) -> None:
    assert texts(message) == [first, SAID.format(message)]


@pytest.mark.parametrize(
    "message",
    ["I live in Oslo, you know.", "We moved to Oslo in 2019, we'll see.", "My mum likes tea, I think."],
)
def test_what_only_leads_to_something_is_not_quoted(message: str) -> None:
    assert len(texts(message)) == 1


def test_a_number_alone_is_quoted_with_what_it_counts() -> None:
    message = "What should I cook for eight people? Two are coeliac and one hates fish."
    assert texts(message) == [SAID.format(message)]
    assert texts("Two of my kids are coeliac.") == ["Two of the user's kids are coeliac."]
    assert texts("Two kids in my class are coeliac.") == ["Two kids in the user's class are coeliac."]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My dad and I restore clocks.", ["The user and their dad restore clocks."]),
        ("My two brothers and I farm together.", ["The user and their two brothers farm together."]),
        (
            "I coach the under-tens and my husband referees.",
            ["The user coaches the under-tens.", "The user's husband referees."],
        ),
        (
            "I'd been drinking for ten years before I stopped in 2021.",
            ["The user had been drinking for ten years before they stopped in 2021."],
        ),
    ],
)
def test_who_does_it_is_found_where_the_parser_is_led_astray(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_the_drummer_and_the_user_do_it_together() -> None:
    message = "My band split up but the drummer and I still jam on Sundays."
    assert texts(message) == ["The user's band split up.", "The drummer and the user still jam on Sundays."]


def test_what_follows_with_then_and_says_nothing_alone_is_quoted_with_all_of_it() -> None:
    message = "My wife's on maternity leave until May 2027, then we'll swap."
    assert texts(message) == ["The user's wife is on maternity leave until May 2027.", SAID.format(message)]


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["I had a dog called Rex.", "He died last spring."],
            "The user's dog Rex died last spring (spring 2026).",
        ),
        (["I saw a dog in the park.", "He was limping."], "The dog was limping."),
    ],
)
def test_an_animal_is_called_by_its_name_or_as_one_that_is_known(messages: list[str], kept: str) -> None:
    assert texts(*messages)[-1] == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I'm getting my knee scanned on Thursday week.",
            "The user is getting their knee scanned on Thursday week (22 October 2026).",
        ),
        ("The wedding is on Saturday fortnight.", "The wedding is on Saturday fortnight (24 October 2026)."),
        (
            "Our midwife left, so Joan's covering till June.",
            "The user's midwife left, so Joan's covering till June 2027.",
        ),
        ("I lived in Ghent until June.", "The user lived in Ghent until June 2026."),
    ],
)
def test_a_day_ahead_is_no_day_of_the_past(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    "message",
    [
        "No one in my family has ever gone to university, I'll be the first.",
        "Tell me a joke about cats. I have three.",
    ],
)
def test_what_hangs_on_the_words_before_is_quoted_with_them_alone(message: str) -> None:
    assert texts(message) == [SAID.format(message)]


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("I had two glasses of wine and I shouldn't have.", "The user had two glasses of wine."),
        ("I bought a van and it's my brother's.", "The user bought a van."),
        ("I want to learn Dutch but I don't have to.", "The user wants to learn Dutch."),
        ("I have two sisters and I'm the youngest.", "The user has two sisters."),
    ],
)
def test_an_end_that_leaves_something_out_is_quoted_with_the_sentence(message: str, first: str) -> None:
    assert texts(message) == [first, SAID.format(message)]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I was the first to arrive.", "The user was the first to arrive."),
        ("I'm the oldest of five.", "The user is the oldest of five."),
        ("I failed to mention I'm colour-blind.", "The user is colour-blind."),
    ],
)
def test_what_says_all_is_told_of_the_user(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["She's left me for her boss.", "My wife, that is."],
            ["The user's wife has left the user for her boss."],
        ),
        (
            ["He filed for divorce in February.", "I mean my husband."],
            ["The user's husband filed for divorce in February 2026."],
        ),
        (
            ["She told me the baby's due in March.", "We swim on Fridays.", "I mean my sister."],
            [
                'The user said on 9 October 2026: "She told me the baby\'s due in March."',
                "The user swims on Fridays.",
            ],
        ),
    ],
)
def test_whom_a_pronoun_meant_may_be_said_afterwards(messages: list[str], kept: list[str]) -> None:
    assert texts(*messages)[: len(kept)] == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My carer's off sick, so can you suggest meals?", ["The user's carer is off sick."]),
        ("I use a screen reader, so please describe images.", ["The user uses a screen reader."]),
        ("We own the house together.", [SAID.format("We own the house together.")]),
        ("My wife and I run the shop together.", ["The user and their wife run the shop together."]),
        (
            "I have to be at mass by nine, I'm reading.",
            [
                "The user has to be at mass by nine.",
                SAID.format("I have to be at mass by nine, I'm reading."),
            ],
        ),
    ],
)
def test_nothing_is_said_of_the_user_alone_that_others_take_part_in(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("I left the army in 2014 and I've been a locksmith since.", "The user left the army in 2014."),
        (
            "My daughter wants to quit ballet and I'm letting her.",
            "The user's daughter wants to quit ballet.",
        ),
    ],
)
def test_since_when_and_what_somebody_lets_another_do_stays_with_the_sentence(
    message: str, first: str
) -> None:
    assert texts(message) == [first, SAID.format(message)]


def test_of_two_days_of_a_move_the_second_one_is_dated() -> None:
    assert texts("Mum's operation got moved from the 3rd to the 17th.") == [
        "The user's mum's operation got moved from the 3rd to the 17th (17 October 2026)."
    ]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I grew up Methodist but I haven't been in years.",
            ["The user grew up Methodist.", SAID.format("I grew up Methodist but I haven't been in years.")],
        ),
        ("There are two bathrooms in our flat.", ["There are two bathrooms in the user's flat."]),
        ("My mother-in-law moved in, heaven help us.", ["The user's mother-in-law moved in."]),
    ],
)
def test_where_and_of_what_only_the_sentence_tells(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_a_pronoun_means_whom_the_clause_has_given_a_name() -> None:
    assert texts("My mum's carer is called Bernadette, she comes every morning.") == [
        "The user's mum's carer is called Bernadette.",
        "Bernadette comes every morning.",
    ]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "My nan's ring went to my cousin, which hurt.",
            ["The user's nan's ring went to the user's cousin, which hurt."],
        ),
        ("My cousin, who is a nurse, moved.", ["The user's cousin is a nurse.", "The user's cousin moved."]),
    ],
)
def test_which_is_said_of_no_person(message: str, kept: list[str]) -> None:
    assert sorted(texts(message)) == sorted(kept)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Olives are fine, I love those.", "The user loves olives."),
        ("Horror films are out, I hate them.", "The user hates horror films."),
        ("No olives, I hate those.", "The user hates olives."),
    ],
)
def test_those_are_what_was_named_and_not_the_clause_that_named_them(message: str, expected: str) -> None:
    assert texts(message) == [expected]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Driving a 2014 Octavia estate, 130,000 miles, MOT's due 20 March.",
            ["The user is driving a 2014 Octavia estate, 130,000 miles.", "MOT is due 20 March 2027."],
        ),
        (
            "Living in Leeds with two cats, rent is 900.",
            ["The user is living in Leeds with two cats.", "The user's rent is 900."],
        ),
        (
            "Running a café, my sister does the books.",
            ["The user is running a café.", "The user's sister does the books."],
        ),
        ("Driving to work is a pain.", ["Driving to work is a pain."]),
        ("Speaking of dogs, the beagle is ill.", ["Speaking of dogs, the beagle is ill."]),
        ("Running late as usual, the bus never came.", ["Running late as usual, the bus never came."]),
    ],
)
def test_what_the_user_is_doing_stands_apart_from_what_is_said_of_other_things(
    message: str, kept: list[str]
) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    "message",
    [
        "Green, I can't stand blue.",
        "The tutor, I freeze up in front of others.",
        "Iris, my gran was called Ivy.",
    ],
)
def test_a_bare_noun_before_what_the_user_says_is_quoted(message: str) -> None:
    assert texts(message) == [SAID.format(message)]


@pytest.mark.parametrize(
    "message",
    [
        "Mornings, I swim.",
        "A lifelong vegan, I avoid leather.",
        "Yesterday, I went to the dentist.",
        "Big news, I got the job.",
        "Rex, my dog, is ill.",
    ],
)
def test_a_time_or_a_kind_of_person_may_stand_before_what_the_user_says(message: str) -> None:
    assert not any("said on" in text for text in texts(message))


@pytest.mark.parametrize(
    "message",
    [
        "What could I cook for four people tonight? Something with aubergine would be nice.",
        "Where should we eat in Porto? A terrace would be lovely.",
        "Could you plan my week? Mornings would be best.",
    ],
)
def test_what_answer_would_be_welcome_is_no_memory(message: str) -> None:
    assert texts(message) == []


def test_what_would_be_welcome_without_a_request_is_kept() -> None:
    assert texts("A week in Crete would be nice.") == ["A week in Crete would be nice."]


def test_irony_may_go_on_in_the_next_sentence() -> None:
    message = "Oh brilliant, another rail replacement bus. Exactly how I wanted to spend my birthday."
    assert texts(message)[-1] == SAID.format("Exactly how I wanted to spend my birthday.")
    assert texts("Oh perfect, my flight's cancelled. I land in Oslo on Friday instead.")[-1] == (
        "The user lands in Oslo on Friday (9 October 2026) instead."
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I sing alto in the Bach choir, rehearsals on Tuesdays in St Mark's.",
            ["The user sings alto in the Bach choir.", "Rehearsals are on Tuesdays in St Mark's."],
        ),
        (
            "I joined a book club, meetings every second Thursday.",
            ["The user joined a book club.", "Meetings are every second Thursday."],
        ),
        (
            "My daughter Nell does ballet, classes on Saturdays at ten.",
            [
                "The user's daughter Nell does ballet.",
                "The user's daughter Nell's classes are on Saturdays at ten.",
            ],
        ),
        (
            "I eat porridge on weekdays, pancakes on Sundays.",
            ["The user eats porridge on weekdays, pancakes on Sundays."],
        ),
        ("I teach French, Spanish on Fridays.", ["The user teaches French, Spanish on Fridays."]),
        ("I take swimming lessons on Mondays.", ["The user takes swimming lessons on Mondays."]),
    ],
)
def test_what_takes_place_at_a_time_of_its_own_is_a_statement_of_its_own(
    message: str, kept: list[str]
) -> None:
    assert texts(message) == kept


def test_what_has_moved_to_another_day_lives_nowhere() -> None:
    messages = (
        "I sing in the choir, rehearsals on Tuesdays in St Mark's.",
        "Rehearsals have moved to Wednesdays.",
    )
    assert "Rehearsals have moved to Wednesdays." in texts(*messages)
    assert not any(draft.slot.endswith("residence") for draft in remember(*messages))
