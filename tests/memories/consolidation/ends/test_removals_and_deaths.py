"""Who is turned out or dropped from something, who has died, what was handed back; and what only sounds like it."""

from __future__ import annotations

import time

import pytest

from memories.consolidation.ends.other_states import ends_memory

SON = "The user's son plays cricket for the county."
GRAN = "The user's gran lives in Whitby."
GLEN = "The user is married to Glen."
HENS = "The user keeps six hens in the garden."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SON, "The user's son has been dropped by the county."),
        (SON, "The county released the user's son last week."),
        ("The user is on the parent council.", "The user stepped off the parent council in March 2026."),
        (
            "The user is treasurer of the allotment society.",
            "The user got voted off as treasurer of the allotment society.",
        ),
        ("The user lodges with Mrs Hanley.", "The user has been turfed out by Mrs Hanley."),
        ("The user works at Halfords as a mechanic.", "The user handed their notice in at Halfords."),
        ("The user's sister is a nurse at St James's.", "The user's sister has been struck off."),
        (GRAN, "The user's gran passed."),
        (GRAN, "The user's gran died on Sunday (12 April 2026)."),
        ("The user's gran Edie is on warfarin.", "The user's gran passed away last night (13 April 2026)."),
        (
            "The user's aunt Dolores is in a hospice in Kent.",
            "Aunt Dolores slipped away on Sunday (12 April 2026).",
        ),
        ("The user's cat Biscuit is on thyroid tablets.", "The user had to have Biscuit put to sleep."),
        ("The user has a Labrador called Bruno.", "Bruno crossed the rainbow bridge this morning."),
        ("The user looks after their gran.", "The user's gran died."),
        ("The user rents a studio in Salford.", "The user gave the studio in Salford back."),
        (
            "The user has a season ticket at Anfield.",
            'The user said on 14 April 2026: "Didn\'t renew the season ticket this year."',
        ),
        ("The user has a gym membership at PureGym.", "The user binned the PureGym membership."),
        ("The user drives a Skoda Octavia.", "The Octavia has been scrapped."),
        ("The user uses Spotify for music.", "Spotify has been given the boot here."),
        (HENS, "The fox got all the hens."),
        ("The user takes the N29 to work.", 'The user said on 14 April 2026: "No more N29 for me."'),
        ("The user has braces.", "Braces came off yesterday (13 April 2026)."),
        ("The user is writing their PhD thesis on peat bogs.", "Thesis is in."),
        ("The user is looking for a flat in Leith.", "Flat found in Leith."),
        ("The user is a vegetarian.", "The user fell off the veggie wagon."),
        ("The user is dating Priya.", "The user and Priya are done."),
        (GLEN, "Glen and the user split in the autumn."),
        (
            "The user smokes ten a day.",
            'The user said on 14 April 2026: "Haven\'t touched a cigarette since February."',
        ),
        ("The user's daughter is in Year 6.", "The user's daughter has gone up to secondary now."),
        ("The user is allergic to penicillin.", "Turns out the penicillin allergy was never real."),
        ("The user fosters two boys, Kai and Leon.", "Kai and Leon have gone back to their mum."),
        (
            "The user is pregnant with their second.",
            'The user said on 14 April 2026: "Our second, born at 4am, 7lb 2oz."',
        ),
    ],
)
def test_what_was_taken_away_or_handed_back_is_over(old: str, new: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SON, "The user's son has been dropped for Saturday's match."),
        (SON, "The user's son was dropped off at the county ground."),
        (SON, "The user's son got dropped from the school team."),
        (SON, "The user's nephew has been dropped by the county."),
        ("The user lodges with Mrs Hanley.", "The user was turfed out of the pub."),
        ("The user works at the hospital.", "The user was discharged from the hospital yesterday."),
        ("The user lives in Manchester.", "The user pulled out of Manchester on the M60 at six."),
        ("The user works at Halfords.", "The user might hand their notice in at Halfords."),
        ("The user works at Halfords.", "Marek handed his notice in at Halfords."),
        ("The user's sister is a nurse.", "The user's sister was struck off the mailing list."),
        (GRAN, "The user's gran passed the driving test in 1962."),
        (GRAN, "The user's gran passed on her recipe for parkin."),
        (GRAN, "The user's gran passed with flying colours."),
        (GRAN, "The user's gran nearly died last night."),
        (GRAN, "The user's gran's sister died."),
        (GRAN, "The user's friend's gran died."),
        (GRAN, "The user's gran died years ago."),
        ("The user's mum lives in Hull.", "The user's mum passed."),
        ("The user's gran is called Edie.", "The user's gran died."),
        ("The user's gran Edie lives in Whitby.", "The user's gran Mavis died on Sunday."),
        ("The user's daughter lives with the user.", "The user's daughter is no longer with the user."),
        ("The user's cat Biscuit is on thyroid tablets.", "Biscuit was put to sleep for the scan."),
        ("The user's cat Biscuit is on thyroid tablets.", "The user lost Biscuit in the park."),
        ("The user rents a studio in Salford.", "The user handed the keys of the office to the caretaker."),
        ("The user has a season ticket at Anfield.", "The user's dad did not renew his season ticket."),
        ("The user has a gym membership at PureGym.", "The user binned the PureGym flyer."),
        ("The user drives a Golf.", "The neighbour's Golf has been scrapped."),
        ("The user has 412 ewes.", "The user returned to Britain in October 2024."),
        ("The user owns a caravan in Tenby.", "The user sold in a week."),
        (HENS, "The fox got one of the hens."),
        (HENS, "The fox got the neighbour's hens."),
        ("The user takes the N29 to work.", 'The user said on 14 April 2026: "No more N29 for my brother."'),
        ("The user has braces.", "The user's sister's braces came off."),
        ("The user has braces.", "The user's braces come off in June 2026."),
        ("The user is writing their thesis.", "The thesis is in a mess."),
        ("The user is looking for a flat in Leith.", "Flat found in York."),
        ("The user is vegan.", "The user nearly fell off the vegan wagon."),
        ("The user is vegan.", "The user fell off the wagon last night."),
        ("The user is dating Priya.", "The user and Priya are through to the final."),
        (GLEN, "Glen and the user split the bill."),
        (GLEN, "Glen and the user are done with the decorating."),
        (GLEN, "Glen and the user separated the recycling."),
        (
            "The user drinks wine most nights.",
            'The user said on 14 April 2026: "Haven\'t had a drop of rain since May."',
        ),
        ("The user's daughter is in Year 6.", "The user's niece has gone up to secondary."),
        ("The user's daughter is in Year 6.", "The user's daughter will go up to secondary in September."),
        ("The user's son is at nursery.", "The user's son started reception duty for his badge."),
        ("The user has a Labrador called Bruno.", "Bruno crossed the bridge this morning."),
        ("The user is allergic to penicillin.", "Turns out the nut allergy was never real."),
        ("The user fosters two boys, Kai and Leon.", "Kai has gone back to school."),
        ("The user is pregnant.", "The user's second cousin was born in Leeds."),
    ],
)
def test_what_is_anothers_unsure_or_of_another_kind_stays(old: str, new: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    "words",
    [
        "The user has been dropped ",
        "The user's gran sadly ",
        "The user and Priya have ",
        "has been taken out of the ",
        "Kai and Leon ",
        "no more N29 ",
        "the old ",
    ],
)
def test_a_long_run_of_the_same_words_is_read_in_time(words: str) -> None:
    text = (words * 60)[:490]
    start = time.monotonic()
    ends_memory(text, "The user has a dog called Rex.", "en")
    assert time.monotonic() - start < 1
