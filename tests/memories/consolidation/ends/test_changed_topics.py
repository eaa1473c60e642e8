"""A thing that was replaced, changed or mended, or is at last what it was not: what was said of it before is over."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user had the boiler replaced with a heat pump.", "The user's boiler is a 1998 Baxi."),
        ("The user has rewritten the API in Go.", "The API is written in Ruby."),
        ("The user has repainted the bedroom green.", "The user's bedroom is blue."),
        (
            'The user said on 2 May 2026: "They changed my inhaler to a pink one."',
            "The user's inhaler is the brown one.",
        ),
        ("The user moved their desk to the wall.", "The user's desk is by the window."),
        ("The roofer has fixed the roof.", "The roof leaks."),
        ("The user's laptop has been repaired.", "The user's laptop is broken."),
        ("The lift is working again.", "The lift does not work."),
        ("The baby is finally sleeping through.", "The user's baby is not sleeping through."),
        ('The user said on 2 May 2026: "The pup\'s house-trained at last."', "The user's pup is not house-trained."),
        ("The user's mum's cholesterol is back to normal.", "The user's mum has high cholesterol."),
        ("The visa has come through.", "The user is waiting for their visa."),
        ("The user finished Middlemarch, on to Bleak House.", "The user is reading Middlemarch."),
        ("The user has handed in their notice at the café.", "The user has got a part-time job in a café."),
        ("The user passed their driving test.", "The user is learning to drive."),
        ("The user's daughter has started school.", "The user's daughter is at nursery."),
        ("The user has swapped to plot 22.", "The user's allotment is plot 14."),
    ],
)  # fmt: skip
def test_what_was_said_of_it_before_is_over(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The dishwasher has been fixed.", "The user's dishwasher is a Bosch."),
        ("The plumber fixed the boiler.", "The boiler is in the loft."),
        ("The user got the car repaired.", "The user's car is red."),
        ("The user's brother has replaced the fence with a wall.", "The user's fence is wooden."),
        ("A neighbour has replaced the fence with a wall.", "The user's fence is wooden."),
        ("The neighbours had the roof fixed.", "The roof leaks."),
        ("Their neighbour painted the bedroom green.", "The user's bedroom is blue."),
        ("The user replaced the bedroom door.", "The user's bedroom is blue."),
        ("The user replaced the website's logo.", "The user's website is about beetles."),
        ("The user changed their car insurance to Aviva.", "The user's car is a Fiat."),
        ("The user painted the bedroom door.", "The user's bedroom is blue."),
        ("The user has raised their desk to 110 cm.", "The user's desk is by the window."),
        ("The user's cholesterol is back to normal.", "The user's mum has high cholesterol."),
        ("The user's brother's visa has come through.", "The user is waiting for their visa."),
        ("The user's nephew is finally walking.", "The user's daughter is not walking yet."),
        ("The user's wife finished Emma.", "The user is reading Emma."),
        ("Sam has fixed his roof.", "The roof leaks."),
        ("The user's sister passed her driving test.", "The user is learning to drive."),
    ],
)
def test_another_thing_or_another_ones_ends_nothing(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")
