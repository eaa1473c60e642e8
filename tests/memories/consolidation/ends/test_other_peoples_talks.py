"""What one person says ends nothing that somebody else said of quite other things.

Each fact of the labelled conversations meets those of the others. Some hundred thousand pairs would take half a minute;
every ninth shows a rule that ends what it has nothing to do with.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from benchmarks.talks_quality import load
from memories.consolidation.ends.chinese.ended_by_words import is_outdated_in_chinese
from memories.consolidation.ends.ended_by_words import is_outdated
from memories.text.clauses.changing.habits import replaces_habit

EVERY = 9


def ends_in_english(new: str, old: str) -> bool:
    return is_outdated(new, old) or replaces_habit(new, old)


@pytest.mark.parametrize(("language", "ends"), [("en", ends_in_english), ("zh", is_outdated_in_chinese)])
def test_a_fact_of_one_talk_ends_none_of_another(language: str, ends: Callable[[str, str], bool]) -> None:
    facts = [
        (talk.label["id"], fact["gold"])
        for talk in load([], False, 1000)
        for fact in talk.label["facts"]
        if talk.label["language"] == language
    ]
    pairs = [(fact, other) for fact, other in product(facts, facts) if fact[0] != other[0]][::EVERY]

    ended = [(new, old) for (_, new), (_, old) in pairs if ends(new, old)]

    assert len(pairs) > 10_000
    assert ended == []


def test_saying_how_things_stand_now_ends_nothing_else_of_the_user() -> None:
    for new in (
        "The user is on 212 hours total now.",
        "The user is officially a Hangzhou resident now.",
        "The user has been at the Royal Infirmary since 2019.",
    ):
        for old in (
            "The user is a sole trader.",
            "The user is driving a 2014 Skoda Octavia estate.",
            "The user has a kennel in Tralee.",
            "The user is on Postgres 14.",
            "The user is writing up their PhD at Durham.",
        ):
            assert not is_outdated(new, old)
            assert not replaces_habit(new, old)
