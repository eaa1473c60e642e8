"""What is gone, healed or no longer offered, and what one was given another of: the older statement of it is over."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.ends.remaining import find_remaining_english


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Number 9 has been cut so the user takes the tram.", "The user gets the number 9 to the shop."),
        ("The 46 bus has been axed, so the user cycles.", "The user gets the number 46 bus to college."),
        ("Vimto Light has been discontinued.", "The user drinks Vimto Light."),
        ("The Hartham lido has closed down for good.", "The user swims at the Hartham lido."),
        ("St Jude's has closed so the user has gone to All Saints.", "The user plays the organ at St Jude's."),
        ("Broadwood has gone to the tip.", "The user has got an old Broadwood upright that will not stay in tune."),
        ("The Corsa has been written off.", "The user drives a Corsa."),
        ("The ferrets have been rehomed.", "The user keeps two ferrets."),
        ("The 7:10 has been withdrawn.", "The user takes the 7:10 to Marylebone."),
        ("The Lambretta has been nicked.", "The user has got a Lambretta."),
        ("The burst pipe has been mended.", "The user has a burst pipe in the cellar."),
        ("The plumber has mended the pipe.", "The user has a burst pipe in the cellar."),
        ("Piet has moved out.", "The user has got a lodger, Piet, in the box room."),
        ("The rash has cleared up.", "The user has got a rash on their arm."),
        ("The damp has gone.", "The damp in the bathroom is the user's only headache."),
        ("The user's dad's cough has cleared up.", "The user's dad has a cough."),
        ("New house, so the user has got rid of the caravan.", "The user has got a caravan at Filey."),
        ("The user's dad went into Tynedale House last week.", "The user's dad lives with the user in Hexham."),
    ],
)  # fmt: skip
def test_what_is_gone_is_over(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The 64 bus has been axed.", "The user gets the number 46 bus to college."),
        ("The 46 bus might be axed.", "The user gets the number 46 bus to college."),
        ("The user's mum's bus has been cut.", "The user gets the number 46 bus to college."),
        ("The 46 bus has been axed.", "The user loves the number 46 bus."),
        ("The user's brother's Yamaha has been stolen.", "The user has a Yamaha."),
        ("The Yamaha has gone to the garage.", "The user has a Yamaha."),
        ("Broadwood Street has been closed.", "The user plays the Broadwood in the hall."),
        ("The user's son's cough has cleared up.", "The user has a cough."),
        ("The rash has cleared up.", "The user's son has a rash."),
        ("The rash has cleared up.", "The user has arthritis."),
        ("The hens have settled down.", "The user has got two hens."),
        ("The kids have gone.", "The user has two kids."),
        ("The dog has gone.", "The user has a dog."),
        ("They have shut down the kitchen at the Crown.", "The user eats at the Crown on Fridays."),
        ("The 7:10 was cancelled this morning so the user got the 7:34.", "The user takes the 7:10 to Marylebone."),
        ("A Lambretta got nicked outside the pub.", "The user has got a Lambretta."),
        ("The changing rooms at Tooting lido are shut.", "The user swims at Tooting lido."),
        ("The user's brother has mended the pipe.", "The user has a burst pipe in the cellar."),
        ("The user has packed in the call-outs.", "The user is a locksmith with a van, mostly call-outs at night."),
        ("The garden has gone mad.", "The user has a garden with a pond."),
        ("The cottage hospital in Wales has been closed down.", "The user has a cottage in Wales."),
        ("The piano stool has gone to the tip.", "The user has a piano."),
        ("St Jude's has closed for the day.", "The user plays the organ at St Jude's."),
        ("The user's dad went to Tynedale House for lunch.", "The user's dad lives with the user."),
        ("The bakery is closed this week so the user has given up bread.", "The user eats bread."),
    ],
)  # fmt: skip
def test_what_is_not_gone_stands(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user was given a new locker, 142.", "The user's locker is 117."),
        ("The user was given a new badge number, 5120.", "The user's badge number is 4471."),
        ("The user has been given a new mooring at Barton.", "The user's mooring is at Sawley."),
        ("The user has got a new deadlift PB, 150.", "The user's deadlift PB is 140."),
        ("The user has got a new 5k PB, 20:58.", "The user's personal best for the 5k is 21:30."),
        ("The user is back on earlies.", "The user is on lates at the depot."),
        ("The user has been put on earlies.", "The user is on lates."),
        ("The user is on days now.", "The user works nights at the bakery."),
        (
            "The user's dad's co-careldopa has been upped to five times a day.",
            "The user's dad takes co-careldopa four times a day.",
        ),
        ("The user's thyroxine has been upped to 100.", "The user's dose of thyroxine is 75mcg."),
    ],
)
def test_another_of_what_one_has_one_of_is_in_its_place(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user has got a new locker key.", "The user's locker is 117."),
        ("The user got a new desk lamp, by Anglepoise.", "The user's desk is by the lift."),
        ("The user has been given a new meeting room, 310.", "The user's room is 204."),
        ("The user was given a new badge number, 12.", "The user's phone number is 07700 900123."),
        ("The user has got a new half marathon PB, 1:52.", "The user's 10k PB is 25:02."),
        ("Tom got a new PB, 24:10.", "The user's PB is 25:02."),
        ("The user's wife is back on days.", "The user works nights at the bakery."),
        ("The user is back on earlies.", "The user works nights at weekends."),
        ("The user is back on earlies next week.", "The user is on nights."),
        ("The user might be back on days.", "The user is on nights."),
        ("The user is back on earlies.", "The user is on warfarin."),
        (
            "The user's mum's co-careldopa has been upped to five times a day.",
            "The user's dad takes co-careldopa four times a day.",
        ),
        (
            "The user's dad's warfarin has been upped to 4mg.",
            "The user's dad takes co-careldopa four times a day and warfarin at night.",
        ),
    ],
)
def test_another_thing_takes_no_place(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")


def test_where_one_works_remains_when_the_shift_changes() -> None:
    assert (
        find_remaining_english("The user is on days now.", "The user works nights at the bakery.")
        == "The user works at the bakery."
    )


def test_what_is_played_is_played_for_the_new_club() -> None:
    assert (
        find_remaining_english(
            "The user has transferred to the Exeter Otters.",
            "The user plays wheelchair basketball for the Bristol Blazers.",
        )
        == "The user plays wheelchair basketball for the Exeter Otters."
    )
