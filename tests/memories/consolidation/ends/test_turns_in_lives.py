"""What comes to an end by a turn in somebody's life: their own flat, a care home, an exam passed, another rota."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.similarity import ComparedText, Similarity, compare_statements


def _is_over(new: str, old: str) -> bool:
    is_changed = compare_statements(ComparedText(new), ComparedText(old), 0.6) == Similarity.CHANGED
    return is_changed or ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user's grandson Felix is staying with the user.", "Felix has finally got his own flat."),
        ("The user's cousin Kai is staying with the user.", "Kai has gone back to his mum."),
        (
            "The user's nan lives on her own in Paignton.",
            "The user's nan has gone into a care home in Torquay.",
        ),
        ("Dialysis is on Mondays at the Renal Unit.", "The transplant was on Tuesday, so no more dialysis."),
        ("The user is doing their HGV class 1.", "The user passed their HGV class 1."),
        (
            "The user is on propranolol 80mg.",
            'The user said on 14 April 2026: "They\'ve taken me off the propranolol"',
        ),
        ("The user is on call every fourth week.", "The user is on call every sixth week now."),
        ("The user is on call every 3 weeks.", "The user is on call every 5 weeks now."),
    ],
)
def test_a_turn_ends_what_was(old: str, new: str) -> None:
    assert _is_over(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user's grandson Felix is staying with the user.", "Felix wants his own flat."),
        ("The user's grandson Felix is staying with the user.", "The user's brother has got his own flat."),
        ("The user's grandson Felix is staying with the user.", "Felix's mum has got her own flat."),
        ("The user's nan lives on her own in Paignton.", "The user's neighbour has gone into a care home."),
        ("The user's nan lives on her own in Paignton.", "The user's nan has gone into hospital for a week."),
        ("Dialysis is on Mondays.", "No more dialysis questions please."),
        ("Dialysis is on Mondays.", "No more cake for the user."),
        ("Chemo is on Tuesdays.", "The user's aunt says no more chemo for her."),
        ("The user is doing their HGV class 1.", "Dave passed his HGV class 1."),
        ("The user is reading Middlemarch.", "The user passed Middlemarch on to Jo."),
        ("The user is on propranolol.", "They have taken Sam off propranolol."),
        ("The user is on call every fourth week.", "The user goes to the dentist every sixth month now."),
        ("The user is on call every fourth week.", "Sunil is on call every sixth week now."),
        ("The user is on call every fourth week.", "The user would like to be on call every sixth week."),
    ],
)
def test_what_is_anothers_or_not_certain_ends_nothing(old: str, new: str) -> None:
    assert not _is_over(new, old)
