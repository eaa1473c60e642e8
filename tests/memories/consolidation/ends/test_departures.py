"""How people say that they are done with a place, a person or a pursuit; and what sounds like it and ends nothing."""

from __future__ import annotations

import time

import pytest

from memories.consolidation.ends.other_states import ends_memory


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is having IVF at the Lister clinic.", "The user has called time on IVF."),
        (
            "The user plays wheelchair rugby for the Dragons.",
            "The user hung up their gloves with the Dragons after the nationals.",
        ),
        (
            "The user's brother Leo sings in the user's band.",
            "Leo has jacked in the band to become a plumber.",
        ),
        ("The user goes to a book club in Hove.", "The user knocked the book club on the head."),
        (
            "The user is a verger at Ripon cathedral.",
            "Today (14 April 2026) was the user's last day as verger.",
        ),
        (
            "The user works at the bakery.",
            "The user had their last shift at the bakery on Friday (10 April 2026).",
        ),
        ("The user works at the garden centre twenty hours a week.", "The garden centre let the user go."),
        ("The user has a job at Lidl in Hull.", "Lidl made the user redundant last week."),
        ("The user is seeing Josh.", "Josh dumped the user by text."),
        ("The user's boyfriend is Josh.", "Josh walked out on the user last week."),
        (
            "The user takes Madopar four times a day.",
            "The user's consultant has swapped the user off Madopar onto Sinemet.",
        ),
        ("The user has four beehives.", "The user is down to three hives after the winter."),
        ("The user keeps 12 hens.", "The user is down to 9 hens now."),
        (
            "The user is staying in a caravan in their uncle's yard.",
            "The user finally got back into their own house on Saturday (11 April 2026).",
        ),
        (
            "The user lives in Hove at their sister's.",
            "The user has got their own place in Worthing at last.",
        ),
        ("The user's nan lives on her own in Barnsley.", "The user has moved nan into a home in Wombwell."),
        (
            "The user runs with Bea on Sunday mornings.",
            "Bea's knee is knackered so the user runs alone these days.",
        ),
        ("The user has a physio called Hettie.", "Hettie has left the practice."),
        ("The user's realtor is Denise.", "The user gave Denise the boot."),
        ("The user's manager is Derek.", "Derek got the push."),
        ("The user plays sax in a big band.", "The user flogged their sax to pay for the boiler."),
        ("The user is doing a sports science course.", "The user had to jack in their course."),
        ("The user sings in the big band on Wednesdays.", "The big band folded."),
        ("The user uses Redis Sentinel.", "The user ripped out Redis Sentinel."),
        ("The user runs Postgres 15 on RDS.", "The user cut over to Postgres 17 last night (13 April 2026)."),
    ],
)
def test_who_has_parted_with_something_has_it_no_more(old: str, new: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is having IVF at the Lister clinic.", "The user's sister has called time on IVF."),
        ("The user is having IVF at the Lister clinic.", "The user nearly called time on IVF."),
        ("The user is having IVF at the Lister clinic.", "The user has called time on IVF for now."),
        ("The user works at the office.", "The user called it a day at the office at five."),
        (
            "The user plays wheelchair rugby for the Dragons.",
            "The user hung up their coat at the Dragons today (14 April 2026).",
        ),
        (
            "The user plays wheelchair rugby for the Dragons.",
            "The user's captain hung up his gloves with the Dragons.",
        ),
        (
            "The user plays wheelchair rugby for the Dragons.",
            "The user hung up their gloves with the Panthers.",
        ),
        ("The user loves the Dragons.", "The user hung up their gloves with the Dragons."),
        (
            "The user is a verger at Ripon cathedral.",
            "Friday (17 April 2026) is the user's last day as verger.",
        ),
        ("The user is a verger at Ripon cathedral.", "Today was Gareth's last day as verger."),
        ("The user is a verger at Ripon cathedral.", "Today was the user's last day as treasurer."),
        ("The user works at the bakery.", "If Friday was the user's last day at the bakery, they would cry."),
        ("The user works at the garden centre.", "The garden centre let Priya go."),
        ("The user works at the garden centre.", "The garden centre let the user go early."),
        ("The user works at the garden centre.", "The pub let the user go."),
        ("The user shops at the garden centre.", "The garden centre let the user go."),
        ("The user works at the garden centre.", "The garden centre might let the user go."),
        ("The user is seeing Josh.", "Josh dumped Ella by text."),
        ("The user is seeing Josh.", "Josh left the user a note on the fridge."),
        ("The user is seeing Josh.", "Josh left the user in charge of the shop."),
        ("The user plays chess with Josh.", "Josh dumped the user."),
        ("The user is seeing Josh's physio.", "Josh dumped the user."),
        ("The user takes Madopar four times a day.", "The doctor has swapped Sam off Madopar onto Sinemet."),
        (
            "The user takes Madopar four times a day.",
            "The doctor may have swapped the user off Madopar onto Sinemet.",
        ),
        ("The user has four beehives.", "The user is down to three eggs."),
        ("The user has four beehives.", "The neighbour is down to three hives."),
        ("The user has four beehives.", "The user is down to four hives."),
        ("The user has four beehives.", "The user is down to three hives this week."),
        ("The user is staying in a caravan.", "The user will be back in their own house by Christmas."),
        ("The user is staying in a caravan.", "The user's brother got back into his own house."),
        ("The user owns a caravan.", "The user got back into their own house."),
        (
            "The user lives in Hove with their husband.",
            "The user's sister has got her own place in Worthing.",
        ),
        ("The user lives in Hove.", "The user has got their own place in the choir."),
        (
            "The user's nan lives on her own in Barnsley.",
            "The user has moved their mum into a home in Wombwell.",
        ),
        ("The user's nan lives on her own in Barnsley.", "The user has not moved nan into a home."),
        ("The user runs with Bea on Sunday mornings.", "The user ran alone yesterday (13 April 2026)."),
        ("The user runs with Bea on Sunday mornings.", "The user swims alone these days."),
        ("The user has a dog called Hettie.", "Hettie has left the practice."),
        ("The user has a physio called Hettie.", "Mo has left the practice."),
        ("The user's realtor is Denise.", "The user gave Denise the boots."),
        ("The user's realtor is Denise.", "The user's sister gave Denise the boot."),
        ("The user's daughter is Denise.", "The user gave Denise the push."),
        ("The user's realtor is Denise.", "The user gave Marta the boot."),
        ("The user's manager is Derek.", "Derek nearly got the push."),
        ("The user plays sax in a big band.", "The user flogged their old trumpet."),
        ("The user plays sax in a big band.", "The user's brother flogged his sax."),
        ("The user is giving a presentation.", "The user had to give the presentation twice."),
        ("The user sings in the big band on Wednesdays.", "The choir folded."),
        ("The user sings in the big band on Wednesdays.", "The user folded the chairs of the big band."),
        ("The user uses Redis Sentinel.", "The user ripped out Nagios."),
    ],
)
def test_what_is_anothers_unsure_or_for_a_day_ends_nothing(old: str, new: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    "word", ["Anna ", "has ", "the user ", "let the ", "last day ", "called time on ", "is down to three "]
)
def test_repeated_words_take_no_time(word: str) -> None:
    statement = f"The user {word * 200}"[:480]
    start = time.process_time()
    ends_memory(statement, "The user works at the bakery.", "en")
    assert time.process_time() - start < 1
