"""Which memories a later statement ends, and which it leaves alone."""

from __future__ import annotations

import pytest

from memories.consolidation.outdated import is_outdated


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "The user gave up the van at the end of August 2025.",
            "The user sells cheese from a van on Fridays.",
        ),
        ("The user sold the tandem.", "The user has a tandem."),
        ("The user quit chess.", "The user plays chess at the Rook club on Tuesdays."),
        ("The user has moved up to first alto.", "The user is in the second altos."),
        ("The user has moved to the night shift.", "The user works the day shift at a bakery."),
    ],
)
def test_a_later_statement_ends_the_memory_that_it_means(new: str, old: str) -> None:
    assert is_outdated(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user sold a painting.", "The user has a painting by Klee in the hall."),
        ("The user gave up coffee.", "The user likes coffee ice cream."),
        ("The user sold the old car.", "The user drives a new car to work."),
        ("The user switched to a new bank.", "The user works near a bank in Leeds."),
        ("The user switched to oat milk.", "The user drinks oat milk every morning."),
        ("The user moved to the second floor.", "The user has a workshop on the ground floor."),
        ("The user quit the job.", "The user's sister has a job at the zoo."),
    ],
)
def test_what_is_about_another_thing_stays(new: str, old: str) -> None:
    assert not is_outdated(new, old)
