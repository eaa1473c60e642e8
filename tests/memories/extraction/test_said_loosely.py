"""What the English reader makes of loosely joined talk: actions of "them", things with a number, asides."""

from __future__ import annotations

import pytest

from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "They've upped dad's co-careldopa to five times a day.",
            "The user's dad's co-careldopa has been upped to five times a day.",
        ),
        ("They've put my rent up to 900.", "The user's rent has been put up to 900."),
        ("They've cut my hours to 20.", "The user's hours have been cut to 20."),
        ("They've moved mum to ward 12.", "The user's mum has been moved to ward 12."),
        ("They've got me on nights.", "The user is on nights."),
        ("They gave me a new locker, 142.", "The user was given a new locker, 142."),
        ("They've made me deputy head.", "The user has been made deputy head."),
        ("They've cut the number 12 so I walk.", "The number 12 has been cut so the user walks."),
        ("They put Dad on thickened fluids.", "The user's dad was put on thickened fluids."),
    ],
)  # fmt: skip
def test_what_they_did_is_said_of_whom_it_was_done_to(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    "message",
    [
        "They made me laugh.",
        "They've got me a present.",
        "They put me through hell.",
        "They put me on nights when we're short.",
        "They'd put me on nights if I asked.",
        "They might move me to Leeds.",
        "Have they moved mum to ward 12?",
        "I hope they've moved mum to ward 12.",
        "Tom says they've put him on nights.",
        "They never gave me a locker.",
    ],
)
def test_what_they_may_do_or_say_is_not_written_as_done(message: str) -> None:
    assert not any(
        text.startswith(("The user was", "The user has been", "The user is")) for text in texts(message)
    )


def test_they_who_are_known_stay_who_they_are() -> None:
    assert (
        texts("My parents are kind. They've given me a new car.")[-1]
        == "The user's parents have given the user a new car."
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Got an allotment, plot 22 on Moor Lane.", "The user got an allotment, plot 22 on Moor Lane."),
        ("I bought a plane, share 3 of a Cessna.", "The user bought a plane, share 3 of a Cessna."),
        (
            "I got the ward manager post, start date 1 December.",
            "The user got the ward manager post, start date 1 December 2026.",
        ),
    ],
)  # fmt: skip
def test_a_thing_with_a_number_behind_a_comma_is_no_action(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I got a dog, walk 3 miles a day.", "The user walks 3 miles a day."),
        ("I joined the gym, train 3 times a week.", "The user trains 3 times a week."),
        ("I passed my test, drive to work now.", "The user drives to work now."),
        ("I moved to Leeds, work 4 days a week.", "The user works 4 days a week."),
    ],
)
def test_an_action_behind_a_comma_stays_an_action(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Don't tell them but the bard's patron is the villain.", "The bard's patron is the villain."),
        ("Don't tell anyone, but I'm applying to Kew.", "The user is applying to Kew."),
        ("New term, so I'm teaching Year 4.", "The user is teaching Year 4."),
        ("New year, new me, so I'm off the drink.", "The user is off the drink."),
    ],
)
def test_an_aside_before_what_is_said_is_no_part_of_it(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_what_is_not_to_be_said_is_still_asked_for() -> None:
    assert texts("Don't tell me the ending.") == [
        "The user wants the assistant not to tell the user the ending."
    ]


def test_who_speaks_it_is_not_it() -> None:
    assert not any("nain on" in text for text in texts("My nain spoke it but my mum never passed it on."))


@pytest.mark.parametrize(
    ("message", "year"),
    [
        ("I signed up for the choir in January.", 2027),
        ("We've enrolled on a course in March.", 2027),
        ("I signed up for the gym in August.", 2026),
        ("I enrolled at the college in September 2024.", 2024),
        ("I joined the choir in January.", 2026),
    ],
)
def test_the_month_of_what_one_signed_up_for_is_ahead_where_that_is_near(message: str, year: int) -> None:
    assert [draft.event_time.year for draft in remember(message) if draft.event_time] == [year]


@pytest.mark.parametrize(
    "message",
    [
        "I got my blood results back. It's my thyroid.",
        "Vet called about Molly. It's her kidneys.",
        "Dad's in hospital again. It's his heart.",
    ],
)
def test_what_ails_somebody_is_kept_with_the_words_before(message: str) -> None:
    assert texts(message)[-1] == f'The user said on 9 October 2026: "{message}"'


@pytest.mark.parametrize("message", ["I dropped the cake. It's my fault.", "Thanks. It's my turn."])
def test_whose_turn_or_fault_it_is_is_no_part_of_anybody(message: str) -> None:
    assert not any("It's my" in text for text in texts(message))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Back at work since Monday.", "The user has been back at work since Monday (5 October 2026)."),
        ("Off work with a bad back.", "The user is off work with a bad back."),
        ("New locker, 88.", "The user has got a new locker, 88."),
        ("New 5k PB: 20:58!", "The user has got a new 5k PB, 20:58."),
        ("I brew a porter every November.", "The user brews a porter every November."),
        ("I knit for a shop in Lerwick.", "The user knits for a shop in Lerwick."),
        ("Up to 40 people came.", "Up to 40 people came."),
        ("Out of the blue, Dad rang.", "Out of the blue, the user's dad rang."),
    ],
)
def test_hasty_notes_are_said_of_the_user(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_what_passed_its_test_is_a_thing() -> None:
    memories = texts("My car's a 2CV. Passed its MOT in June, no advisories.")
    assert memories[-1] == "The user's car passed its MOT in June 2026, no advisories."


def test_whom_one_drives_is_no_vehicle() -> None:
    drafts = remember("I drive my mum to dialysis Mondays, Wednesdays and Fridays.")
    assert not any("vehicle" in draft.slot for draft in drafts)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I've got two kids with my ex and I have them Wednesdays and every other weekend.",
            [
                "The user has got two kids with their ex.",
                "The user has their kids Wednesdays and every other weekend.",
            ],
        ),
        (
            "I work in Leeds and my wife works in York Mondays.",
            ["The user works in Leeds.", "The user's wife works in York Mondays."],
        ),
        (
            "I play football Mondays and my son swims.",
            ["The user plays football Mondays.", "The user's son swims."],
        ),
    ],
)
def test_days_are_of_the_clause_that_they_stand_in(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


def test_years_that_are_not_full_yet_are_full_on_a_day_to_come() -> None:
    assert texts("Been sober four years in November.") == [
        "The user has been sober four years in November 2026."
    ]
    assert texts("I've been here since June.") == ["The user has been here since June 2026."]


@pytest.mark.parametrize("message", ["I teach at a Title I school.", "My grandad fought in World War I."])
def test_a_numeral_is_nobody(message: str) -> None:
    assert "the user school" not in texts(message)[0]
    assert "War the user" not in texts(message)[0]


def test_sentences_in_pidgin_are_quoted() -> None:
    assert texts("I dey Port Harcourt and I dey run shop.")[0].endswith(
        '"I dey Port Harcourt and I dey run shop."'
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I'm a court interpreter, Polish and Slovak.",
            "The user is a court interpreter, Polish and Slovak.",
        ),
        ("I'm Slovak.", "The user is Slovak."),
        ("I'm Georgia.", "The user's name is Georgia."),
        ("Me, I'm a plasterer.", "The user is a plasterer."),
        ("I eat outside, don't tell her.", "The user eats outside."),
    ],
)
def test_asides_and_languages_are_nobodys_name_or_order(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_who_turned_nine_is_nine() -> None:
    assert remember("Reece turned 9 yesterday.")[0].slot == "reece:age"


def test_an_apology_for_being_late_tells_nothing() -> None:
    assert texts("Sorry I'm late! My car's in the garage.") == ["The user's car is in the garage."]
    assert texts("Sorry, I'm late with my rent.") == ["The user is late with their rent."]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("He's been dropped by the county, my son.", "The user's son has been dropped by the county."),
        ("She lives in Leeds, my sister Jo.", "The user's sister Jo lives in Leeds."),
        ("He's a plumber, my brother.", "The user's brother is a plumber."),
        ("It's gone, the caravan.", "The caravan has gone."),
        ("Home's Bristol these days.", "The user lives in Bristol now."),
        ("Bristol is home now.", "The user lives in Bristol now."),
        ("I co-run a bakery with Selma.", "The user co-runs a bakery with Selma."),
        ("Vegetarian now, me.", "The user is vegetarian now."),
        ("We call Fife home now.", "The user lives in Fife now."),
    ],
)
def test_spoken_word_orders_are_read_as_plain_ones(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    "message",
    [
        "He's lovely, my love.",
        "She's coming on Sunday, my mum says.",
        "It's in Leith, the Shore.",
        "It rained, the whole time.",
        "Priya is home now.",
        "Mum's home now.",
        "Is Bristol home now?",
        "Bristol is home for my sister now.",
        "Home is lovely now.",
    ],
)
def test_what_only_sounds_like_it_is_not_rewritten(message: str) -> None:
    memories = texts(message)

    assert not any(
        "lives in" in text or text.startswith(("The user's love", "The shore")) for text in memories
    )


@pytest.mark.parametrize(
    "message",
    [
        "If I passed I'd apply tomorrow.",
        "If I passed, I'd apply tomorrow.",
        "I'd apply tomorrow if I passed.",
    ],
)
def test_what_would_be_done_on_a_day_is_no_arrangement(message: str) -> None:
    assert texts(message) == []


@pytest.mark.parametrize(
    "message",
    ["If it rains we'll go to the pub on Friday.", "I'd like to see Ana on Friday if she's free."],
)
def test_what_may_well_be_done_on_a_day_is_kept(message: str) -> None:
    assert texts(message)


@pytest.mark.parametrize(
    ("message", "is_kept"),
    [
        ("Please give me references in Harvard style.", True),
        ("Please put dates in ISO format.", True),
        ("Give me dates in June.", False),
        ("Give me prices in euros for this hotel.", False),
        ("Show me prices in Lidl.", False),
        ("Give me five sources in APA style.", False),
    ],
)
def test_how_answers_are_to_be_written_holds_for_all_of_them(message: str, is_kept: bool) -> None:
    assert bool(texts(message)) == is_kept


def test_who_needs_somebody_no_more_orders_nothing() -> None:
    assert not any("assistant" in text for text in texts("Idris doesn't need me any more, he passed."))
