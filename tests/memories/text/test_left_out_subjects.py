"""The "I" that hasty writers leave out: put back before a verb of theirs, and nowhere else."""

from __future__ import annotations

import pytest

from memories.text.en.verbs import with_subject
from tests.support.extraction.extraction import remember, texts


@pytest.mark.parametrize(
    "clause",
    [
        "Family visiting us this weekend",
        "Emily flying to Beijing tomorrow",
        "Holly moved to Leeds last week",
        "Assembly starting at nine today",
        "Belly dancing on Tuesdays with Ann",
        "Lovely walking weather today here",
        "Elderly people walking along the beach",
        "Butterfly gardening with the children again",
    ],
)
def test_what_ends_like_an_adverb_is_not_taken_for_one(clause: str) -> None:
    assert with_subject(clause) == clause


@pytest.mark.parametrize(
    "clause",
    [
        "Finally moved to Porto",
        "Recently started running again",
        "Quickly ran home after work",
        "Sadly lost the match again",
        "Shed ten pounds this year",
        "Flying to Beijing tomorrow",
    ],
)
def test_the_subject_is_put_back(clause: str) -> None:
    assert with_subject(clause).startswith("I ")


def test_somebody_else_is_not_taken_for_the_user() -> None:
    assert not [text for text in texts(remember("Emily moved to Leeds last week.")) if "user" in text]
