"""Idioms that name what is over; and those that name another's, or are said of something that only sounds like it."""

from __future__ import annotations

import time

import pytest

from memories.consolidation.ends.other_states import ends_memory

SHOP = "The user has got a Saturday job in a shoe shop."
BEES = "The user keeps bees."
LEAVE = "The user's wife is on maternity leave."
UNCLE = "The user's uncle drives the 38 bus."
MUM = "The user's mum is in Ward 7 at the Royal."
SISTER = "The user's sister lives with the user."
PUPIL = "The user's stepson is in Year 11."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is doing a course in stained glass.", "The user knocked the stained glass on the head."),
        ("The user has a nanny share with the Okafors.", "The nanny share with the Okafors fell through."),
        ("The user runs a market stall selling cheese.", "The cheese stall is no more."),
        (SHOP, "The shoe shop gave the user the elbow."),
        ("The user is a governor at St Mark's.", "The user's term as governor ended in July 2025."),
        ("The user plays five-a-side on Mondays.", "The user's knees have called time on five-a-side."),
        ("The user sings in the choir.", "The divorce put paid to the choir."),
        ("The user's partner is Jools.", "Jools walked out in March 2026."),
        ("The user is seeing a guy called Rafa.", 'The user said on 14 April 2026: "Rafa\'s history."'),
        (BEES, "The user lost the bees over the winter, all three hives."),
        ("The user banks with Monzo.", "The user moved everything over from Monzo to Starling."),
        ("The user has an allotment on Vale Road.", "The council took the allotment back off the user."),
        (
            "The user is a member of the Labour party.",
            'The user said on 14 April 2026: "Tore up my Labour card."',
        ),
        ("The user takes sertraline.", "The user weaned themselves off the sertraline, feeling fine."),
        ("The user goes to Weight Watchers.", "The user has not been to Weight Watchers since Easter."),
        ("The user drives the school minibus.", "Someone else drives the minibus these days."),
        ("The user's brother lives in the annexe.", "The user's brother has got his own place now."),
        ("The user has a temporary crown.", "Proper crown has been fitted."),
        (LEAVE, "The user's wife went back to work last Monday (13 April 2026)."),
        (PUPIL, "The user's stepson has left school."),
        (
            "The user's grandad lives in sheltered housing.",
            "The user said their goodbyes to their grandad on Thursday (9 April 2026), he slipped away.",
        ),
        ("The user works for an estate agent in Luton.", "The user got their P45 from the estate agent."),
        ("The user runs a bakery with Selma.", "Selma bought the user out of the bakery."),
        ("The user uses a retainer at night.", "No need for the retainer any more, dentist says."),
        ("The user is signed up to HelloFresh.", "HelloFresh is cancelled."),
        ("The user has a horse on loan called Duchess.", "Duchess went back to her owner in August 2025."),
        ("The user has an au pair from Lyon.", "The user's au pair is flown home."),
        ("The user's sister lodges with the user.", "The user's sister has flown the nest."),
        ("The user goes fishing with Abdul on Sundays.", "Abdul and the user have fallen out for good."),
        (UNCLE, "The user's uncle retired last week."),
        (MUM, "The user's mum has been let out."),
        ("The user is bidding for the Harrogate contract.", "The user lost out on Harrogate."),
    ],
)
def test_what_an_idiom_names_is_over(old: str, new: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SHOP, "The shoe shop gave the user's sister the elbow."),
        (SHOP, "The shoe shop gave the user a discount."),
        ("The user has a house in Hove.", "The house sale fell through."),
        ("The user has a table by the window.", "The table folded down."),
        ("The user is a member of the Labour party.", "The user tore up their Tory card."),
        ("The user plays in the band.", "The band nearly folded."),
        ("The user sings in the choir.", "The cold put paid to the choir picnic."),
        ("The user sings in the choir.", "Covid might put paid to the choir."),
        ("The user goes to Weight Watchers.", "The user has not been to Weight Watchers this week."),
        ("The user banks with Monzo.", "The user transferred £40 from Monzo to Dave."),
        ("The user's partner is Jools.", "Jools walked out to the shops."),
        ("The user's partner is Jools.", "Jools walked out of the cinema."),
        ("The user is seeing Rafa.", "Dev is history."),
        ("The user is seeing Rafa.", "Rafa's history exam was a nightmare."),
        (LEAVE, "The user went back to work last Monday."),
        (LEAVE, "The user's wife goes back to work in May 2026."),
        (PUPIL, "The user's stepson left school at three to see the dentist."),
        ("The user's son is at university.", "The user's son left school last year."),
        ("The user drives the minibus.", "Someone else drives the minibus on Fridays."),
        ("The user drives the minibus.", "Someone else cleans the minibus these days."),
        (BEES, "The user lost their bee book."),
        ("The user takes the train to work.", "The user got out of the train at Leeds."),
        ("The user works at the library.", "The user wrapped up at the library at five."),
        ("The user is married to Glen.", "The user waved goodbye to Glen at the station."),
        ("The user lives with Ana.", "Ana moved out of the way."),
        ("The user is a governor at St Mark's.", "The chair's term as governor ended in July 2025."),
        ("The user has a dog.", "The neighbour's dog is no more."),
        (UNCLE, "The user's uncle retired hurt in the second innings."),
        (UNCLE, "The user's uncle's boss retired last week."),
        ("The user teaches at the conservatoire.", "The user retired on 31 March 2024 from the tax office."),
        (MUM, "The user's mum has been let out for a walk."),
        (MUM, "The user's mum might be discharged on Friday."),
        ("The user gets a bus to work.", "The bus was cancelled."),
        (SISTER, "The user's sister moved out of the spare room into the loft."),
        (SISTER, "The user's sister left home for work already."),
        (
            "The user is treasurer of the allotment society.",
            "The council took the allotment back off the user.",
        ),
        ("The user shops at the bakery.", "Selma bought the user out of the bakery."),
        (
            "The user works in the kitchens at the Grand.",
            "The user said goodbye to their grandad at the station.",
        ),
        ("The user cares for their grandad.", "The user waved goodbye to their grandad at the station."),
        ("The user works in a shoe shop.", "The shoe shop gave the user the boot in the wrong size."),
        ("The user's son is in Year 11.", "The user's son started reception on Monday."),
        ("The user drinks wine most nights.", "They have taken the user off nights at the bakery."),
        ("The user has a nanny.", "The user's sister's nanny has flown home."),
        ("The user goes fishing with Abdul.", "Abdul and the user fell out of the boat."),
        ("The user runs a bakery with Selma.", "Selma bought the user a coat."),
        ("The user has a horse called Duchess.", "Duchess went back to the field."),
    ],
)
def test_what_is_anothers_or_no_idiom_ends_nothing(old: str, new: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    "words", ["The shoe shop ", "has been ", "of the term ", "lost all the ", "put paid to "]
)
def test_a_long_run_of_idioms_is_read_in_time(words: str) -> None:
    text = f"The {(words * 60)[:480]}"
    start = time.monotonic()
    ends_memory(text, BEES, "en")
    assert time.monotonic() - start < 1
