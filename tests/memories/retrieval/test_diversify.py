"""When more is relevant than wanted, what says something new comes before what says it again."""

from __future__ import annotations

import numpy as np

from memories.engine.calibration.background_similarity import Background
from memories.engine.local.embedder import LocalE5
from memories.retrieval.ranking.diversify import select_diverse


def chosen(texts: list[str], relativity: list[float], limit: int) -> list[str]:
    engine = LocalE5()
    vectors = np.array(engine.embed_passages(texts))
    spread = Background(engine).spread
    places = select_diverse(
        np.array(relativity),
        vectors,
        has_vector=np.ones(len(texts), dtype=bool),
        lengths=np.array([len(text.split()) for text in texts]),
        spread=spread,
        limit=limit,
    )
    return [texts[place] for place in places]


def test_another_hobby_comes_before_the_same_one_in_other_words() -> None:
    texts = ["The user loves to swim.", "The user really likes swimming.", "The user collects stamps."]

    assert chosen(texts, [0.8, 0.7, 0.66], 2) == [texts[0], texts[2]]


def test_what_is_far_less_relevant_does_not_come_in_for_being_different() -> None:
    texts = ["The user loves to swim.", "The user really likes swimming.", "The user collects stamps."]

    assert chosen(texts, [0.9, 0.85, 0.3], 2) == texts[:2]


def test_nothing_is_left_out_while_there_is_room() -> None:
    texts = ["The user loves to swim.", "The user really likes swimming."]

    assert chosen(texts, [0.8, 0.7], 5) == texts


def test_of_the_later_ones_the_shorter_comes_first_and_the_first_nine_stay() -> None:
    relativity = np.array([*np.linspace(0.95, 0.9, 9), 0.61, 0.6])
    lengths = np.array([*[200] * 9, 60, 6])

    places = select_diverse(
        relativity,
        np.zeros((11, 4)),
        has_vector=np.zeros(11, dtype=bool),
        lengths=lengths,
        spread=0.2,
        limit=10,
    )

    assert places == [*range(9), 10]


def test_memories_without_a_vector_are_taken_by_their_relativity() -> None:
    relativity = np.array([0.9, 0.8, 0.7])

    assert select_diverse(
        relativity,
        np.zeros((3, 4)),
        has_vector=np.zeros(3, dtype=bool),
        lengths=np.full(3, 5),
        spread=0.2,
        limit=2,
    ) == [
        0,
        1,
    ]
