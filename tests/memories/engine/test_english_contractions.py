"""What "'s", "it", a short name and a perfect mean in English talk, and what is over once it is said to be."""

from __future__ import annotations

import re

import pytest

from memories.values import MemoryKind
from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My uncle's never used a computer.", "The user's uncle has never used a computer."),
        ("My sister's painted the fence.", "The user's sister has painted the fence."),
        ("My brother's never had to pay a gas bill.", "The user's brother has never had to pay a gas bill."),
        ("My brother's only just learned to float.", "The user's brother has only just learned to float."),
        ("My brother's done three marathons.", "The user's brother has done three marathons."),
        ("My sister's never even been to a funeral.", "The user's sister has never even been to a funeral."),
        ("My dad's never flown.", "The user's dad has never flown."),
        ("My cousin's never seen snow.", "The user's cousin has never seen snow."),
        ("The van's never let me down.", "The van has never let the user down."),
        ("Mum's given up smoking.", "The user's mum has given up smoking."),
        ("My boss's never satisfied.", "The user's boss is never satisfied."),
        ("My sister's called Ana.", "The user's sister is called Ana."),
        ("We sing in St Anne's on Tuesday evenings.", "The user sings in St Anne's on Tuesday evenings."),
        ("The shop in Leeds's on strike.", "The shop in Leeds is on strike."),
        ("My flat's in Leith.", "The user's flat is in Leith."),
        ("We stayed at my aunt's in Bath.", "The user stayed at their aunt's in Bath."),
        ("We're going to my brother's for lunch.", "The user is going to their brother's for lunch."),
        (
            "I went to my wife's gran's on Monday.",
            "The user went to their wife's gran's on Monday (5 October 2026).",
        ),
        ("The kettle in the kitchen's not working.", "The kettle in the kitchen is not working."),
        ("Vet's taken Biscuit off the Metacam.", "Vet has taken Biscuit off the Metacam."),
        ("The council's given us a grant.", "The council has given the user a grant."),
        ("Mum's fallen down the stairs.", "The user's mum has fallen down the stairs."),
        ("The shop's closed Mondays.", "The shop is closed Mondays."),
        ("The kitchen's painted blue.", "The kitchen is painted blue."),
        ("Ben's vegan.", "Ben is vegan."),
    ],
)
def test_an_ending_is_an_owner_a_state_or_what_was_done(message: str, kept: str) -> None:
    assert texts(message) == [kept]


def test_a_family_that_needs_something_is_not_what_its_member_is() -> None:
    (family,) = texts("My fiancé's family need it.")
    assert "fiancé's family need it" in family


@pytest.mark.parametrize(
    "message",
    [
        "Same flat, Maria's place.",
        "Different school, Ellie's choice.",
        "Sam's lost weight.",
        "Tom's offered a place at Bath.",
    ],
)
def test_an_ending_that_may_be_an_owner_or_either_verb_is_quoted(message: str) -> None:
    (kept,) = texts(message)
    assert kept.endswith(f'"{message}"')


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        (
            "My wheelchair's left brake has gone. It's a Quickie Helium.",
            "My wheelchair's left brake has gone. It's a Quickie Helium.",
        ),
        (
            "The wedding is in May. Oh, and it's eighty guests.",
            "The wedding is in May. Oh, and it's eighty guests.",
        ),
        ("My wife works days. We see each other at tea.", "We see each other at tea"),
    ],
)
def test_what_nobody_can_tell_it_of_is_quoted(message: str, quoted: str) -> None:
    assert f'"{quoted}"' in texts(message)[-1]


def test_a_name_that_answers_a_question_is_whom_the_answer_goes_on_about() -> None:
    talk = ("I rent half a plot.", "> Who do you share it with?", "Old Reggie. He grows leeks for shows.")
    assert texts(*talk)[-1] == "Old Reggie grows leeks for shows."


def test_an_answer_with_a_doer_of_its_own_is_not_the_users_doing() -> None:
    talk = ("My mother lives with us.", "> Do you get any help?", "A carer comes on Wednesday afternoons.")
    assert texts(*talk)[-1] == "A carer comes on Wednesday afternoons."


def test_who_has_somebody_at_weekends_has_somebody_else() -> None:
    assert texts("Our dog Pickle is old. Gareth has her at weekends.")[-1] == (
        "Gareth has the user's dog Pickle at weekends."
    )


def test_an_animal_that_is_she_is_not_he() -> None:
    text = "We share the dog. She's with me in the week. Gareth has her at weekends, and he isn't allowed to walk her."
    assert texts(text)[-1] == "Gareth is not allowed to walk the dog."


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("I've been called for jury duty on 8 September.", "2027-09-08"),
        ("I've booked a table on Thursday.", "2026-10-15"),
        ("I went to court on 8 October.", "2026-10-08"),
        ("I've been off sick since Thursday.", "2026-10-08"),
    ],
)
def test_the_day_that_something_was_booked_for_lies_ahead(message: str, day: str) -> None:
    (draft,) = remember(message)
    assert draft.event_time is not None
    assert draft.event_time.date().isoformat() == day


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ["> When is the concert?", "13 November. Actually no, they moved it, it's the 20th."],
            "The concert is on 20th November 2026.",
        ),
        (
            ["We close at six.", "No, that was last year, half past seven now."],
            "The user closes at half past seven.",
        ),
        (["Bea can't have honey... no, nuts it was."], "Bea cannot have nuts."),
        (["A canoe costs 55 pounds a day, actually 58."], "A canoe costs 58 pounds a day."),
    ],
)
def test_only_the_corrected_value_is_kept(messages: list[str], kept: str) -> None:
    assert texts(*messages)[-1] == kept


def test_what_is_named_before_the_feeling_is_what_it_is_about() -> None:
    (draft,) = remember("No courgettes, I can't stand them.")
    assert (draft.kind, draft.text) == (MemoryKind.PREFERENCE, "The user cannot stand courgettes.")


@pytest.mark.parametrize(
    ("message", "slot"),
    [
        ("I no longer drink coffee.", "likes:coffe"),
        ("We don't eat meat any more.", "likes:meat"),
        ("I no longer prefer aisle seats.", "taste:seat"),
    ],
)
def test_a_taste_that_is_over_ends_the_one_before_and_is_none(message: str, slot: str) -> None:
    (draft,) = remember(message)
    assert (draft.kind, draft.slot, draft.is_end) == (MemoryKind.FACT, slot, True)


@pytest.mark.parametrize(
    "message",
    [
        "I don't like apples anymore.",
        "I no longer enjoy crosswords.",
        "We don't really love the sea any more.",
    ],
)
def test_a_liking_that_is_over_is_a_dislike_of_today(message: str) -> None:
    (draft,) = remember(message)
    assert draft.kind == MemoryKind.PREFERENCE
    assert re.search("not|no longer", draft.text)


@pytest.mark.parametrize(
    ("message", "slot"),
    [
        ("I drive a crane.", ""),
        ("I drive a night bus, the N38.", ""),
        ("My uncle's never used a computer.", ""),
        ("I drive a 2014 Fiesta.", "vehicle"),
        ("I drive an old Volvo.", "vehicle"),
    ],
)
def test_what_is_driven_for_a_living_is_no_car_of_the_users(message: str, slot: str) -> None:
    (draft,) = remember(message)
    assert draft.slot == slot


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (["We lost 6–3 last night, no, 6–2."], "The user lost 6–2 last night (8 October 2026)."),
        (
            ["I rent a flat.", "> What are you paying now?", "860. The boiler broke."],
            "The user is paying 860 now.",
        ),
        (["My cousin had a boy.", "> What is the baby called?", "Rafferty."], "The baby is called Rafferty."),
        (["We've adopted a greyhound called Duchess. She raced in Ireland."], "Duchess raced in Ireland."),
        (["My son is thirteen. He's being bullied."], "The user's son is being bullied."),
        (["Old Wilf brings me rhubarb, but I don't eat it."], "The user does not eat the rhubarb."),
    ],
)
def test_what_was_said_is_kept_as_it_was_meant(messages: list[str], kept: str) -> None:
    assert kept in texts(*messages)


def test_after_an_animal_and_a_woman_she_may_be_either() -> None:
    message = "Our dog Pip is old. She bites. My partner's mum has two cats, so she's not allowed there."
    assert not any("mum is not allowed" in text for text in texts(message))


def test_both_days_of_a_span_are_of_the_month_that_is_named() -> None:
    (draft,) = remember("I'm going to Wales from the 4th to the 11th of July.")
    assert "from the 4th (4 July 2027) to the 11th of July 2027" in draft.text


def test_no_cats_are_no_place_where_somebody_raced() -> None:
    talk = ("She raced in Ireland.", "> Is she good with other pets?", "Not cats.")
    assert not any("in Not" in text for text in texts(*talk))


def test_her_boyfriend_is_the_next_he() -> None:
    messages = (
        "My partner hates the smell, he was sick.",
        "One of them's bringing her boyfriend, he only eats fish.",
    )
    assert texts(*messages)[-1].endswith('her boyfriend, he only eats fish."')


def test_one_word_that_says_which_is_no_thing_that_somebody_has() -> None:
    assert texts("My visa runs out.", "> Which visa do you have?", "Graduate.")[-1].endswith('"Graduate."')


def test_what_somebody_does_not_allow_stays_beside_the_wish() -> None:
    assert "The lab will not allow it." in texts("I wish I could work from home, but the lab won't allow it.")
