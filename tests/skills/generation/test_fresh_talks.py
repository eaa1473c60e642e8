"""Skills from conversations of many trades, in both languages: what they say, and that a stranger could follow them."""

from __future__ import annotations

import pytest

from skills.generation.compose import compose_skill
from skills.generation.episode_weight import compute_weight, suffice_for_skill
from skills.packages.skill_md import write_skill_md
from skills.reading.findings import Known, Method
from skills.reading.quality import is_sound
from skills.reading.split_conversation import read_conversation_by_rules
from tests.support.skills.fresh_talks import FreshTalk, fresh_talks

TALKS = {talk.name: talk for talk in fresh_talks()}


def write_methods(talk: FreshTalk) -> list[Method]:
    readings = read_conversation_by_rules(talk.turns, range(len(talk.turns)))
    known = [Known(at, 1, reading, compute_weight(reading), 0.0) for at, reading in enumerate(readings)]
    made = [compose_skill([episode]) for episode in known if suffice_for_skill([episode])]
    return [method for method in made if method is not None]


@pytest.mark.parametrize("name", TALKS)
def test_a_talk_gives_the_skills_that_follow_from_it(name: str) -> None:
    talk = TALKS[name]

    methods = write_methods(talk)

    assert len(methods) == talk.skills
    text = "\n".join(write_skill_md(method.value, method.language) for method in methods).casefold()
    assert [row for row in talk.must if not any(phrase.casefold() in text for phrase in row)] == []
    assert [phrase for phrase in talk.never if phrase.casefold() in text] == []


@pytest.mark.parametrize("name", TALKS)
def test_each_item_stands_by_itself(name: str) -> None:
    for method in write_methods(TALKS[name]):
        steps = [line.split(". ", 1)[1] for line in method.value["procedure"].splitlines()]
        items = [*steps, *method.value["experience"], *method.value["preference"]]
        assert [text for text in items if not is_sound(text, method.language)] == []
