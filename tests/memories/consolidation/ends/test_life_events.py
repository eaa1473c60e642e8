"""A turn in somebody's life leaves behind what held before: found, born, elected, allowed, alone, stopped, begun."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "The user found a flat in Leith, moving in on 1 June 2026.",
            "The user is looking for a flat in Leith.",
        ),
        (
            "The user finally had their cataract operation in June.",
            "The user is waiting for a cataract operation.",
        ),
        ("The user has been given an allotment.", "The user is on a waiting list for an allotment."),
        ("The user has bought a new boiler.", "The user needs a new boiler."),
        ("The user has got a car, a little Fiat.", "The user does not have a car."),
        ("The user's sister has got a new job at Ikea.", "The user's sister is looking for a new job."),
        ("The user tried oysters in Whitstable.", "The user has never tried oysters."),
        ("The user went to Iceland in March 2026.", "The user has never been to Iceland."),
        ("The user's mum is out of hospital, back home.", "The user's mum is in hospital."),
        ('The user said on 14 April 2026: "Off the crutches at last!"', "The user is on crutches."),
        ("The user's sister had the baby last night.", "The user's sister is pregnant."),
        (
            'The user said on 2 May 2026: "Had the baby on Thursday, a little boy."',
            "The user is six months pregnant.",
        ),
        ("The user has got a boyfriend.", "The user is single."),
        ("The baby was born on Sunday.", "The user is pregnant."),
        ("The user's cancer is back.", "The user is in remission."),
        ("The user has stepped down from the committee.", "The user is on the committee."),
        ("The user does not need the wheelchair any more.", "The user uses a wheelchair outdoors."),
        ("The user's brother got out in March 2026.", "The user's brother is in prison."),
        ("The user's line manager is back.", "The user's line manager is on leave."),
        ("The user has moved the spare keys to the shed.", "The user keeps the spare keys under the mat."),
        ('The user said on 14 April 2026: "Leo and I called it off."', "The user is engaged to Leo."),
        ("The user has started a job at the library.", "The user is unemployed at the moment."),
        ("The user's mum has gone into a care home.", "The user's mum lives with the user."),
        ("The user's dad's cancer is back.", "The user's dad is in remission."),
        (
            "The user has been elected chair of the film society.",
            "The user is secretary of the film society.",
        ),
        ("The user has got their own office now.", "The user shares an office with Beth."),
        ("Pets are fine now.", "The user's landlord will not allow pets."),
        ("The kitchen is finished at last.", "The user is renovating the kitchen."),
        ("The user has had laser surgery so no more glasses.", "The user wears glasses."),
        ("The user has stopped learning Welsh, no time.", "The user is learning Welsh on Duolingo."),
        ("The user has started cycling to work.", "The user walks to work."),
        ("The user has been getting up at seven since they changed shifts.", "The user gets up at six."),
        ("The user only swims on Fridays now.", "The user swims on Tuesdays and Fridays."),
    ],
)
def test_what_held_before_a_turn_is_over(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user had a job interview on Monday.", "The user is looking for a job."),
        ("The user got a phone call from their bank.", "The user needs a new phone."),
        ("The user had children over for tea.", "The user has no children."),
        ("The user had a kidney stone last week.", "The user is waiting for a kidney."),
        ("The user found a flat in York for their son.", "The user is looking for a flat in Leith."),
        ("The user got a nap at noon.", "The user needs a nap every day."),
        ("The user borrowed a car for the weekend.", "The user does not have a car."),
        ("The user's sister got engaged.", "The user is single."),
        ("A friend of the user's got engaged.", "The user is single."),
        ("A colleague had the baby.", "The user is pregnant."),
        ("The boss had the baby.", "The user is pregnant."),
        ("Two friends got married.", "The user is engaged to Leo."),
        ("Sue has stepped down from the committee.", "The user is on the committee."),
        ("The user's aunt does not need the wheelchair any more.", "The user uses a wheelchair outdoors."),
        ("The user's brother's friend got out in March 2026.", "The user's brother is in prison."),
        ("The user is back from leave.", "The user's line manager is on leave."),
        ("The user has moved the garden bench to the shed.", "The user keeps the spare keys under the mat."),
        ("The user's cousin had the baby.", "The user is pregnant."),
        ("The user's brother has started a new job.", "The user is unemployed at the moment."),
        ("The user's dad has moved out.", "The user's mum lives with the user."),
        ("The user's dad is back from holiday.", "The user's dad is in remission."),
        ("The user is out of milk.", "The user is in a band."),
        ("Tom has been elected chair of the rowing club.", "The user is treasurer of the rowing club."),
        ("The user's sister has got her own office now.", "The user shares an office with Beth."),
        ("The user has started walking to the shops as well.", "The user walks to work."),
        ("The user has been getting headaches since Monday.", "The user gets up at six."),
        ("The user only runs when it is dry.", "The user runs on Mondays and Thursdays."),
        ("The user's teacher has stopped playing the cello.", "The user plays the cello."),
        ("The user's brother has upgraded to a 32 inch screen.", "The user's screen is 24 inches."),
    ],
)
def test_what_only_sounds_like_a_turn_ends_nothing(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")
