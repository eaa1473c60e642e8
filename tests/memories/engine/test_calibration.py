"""What the calibration of the default model makes of questions and statements that it was not fitted on."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

from memories.engine.calibration.background_similarity import Background
from memories.engine.calibration.labelled import digest_labelled, load_people, load_unrelated
from memories.engine.calibration.model import SHIPPED, Calibration, load_calibration
from memories.engine.local.embedder import LocalE5
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import ASSISTANT, Candidate
from memories.retrieval.ranking.ranker import Ranked
from memories.text.words.language_detection import detect_language
from memories.values import MemoryKind
from tests.support.ranking import NOW, memory, ranked

THRESHOLD = 0.45


class Search(Protocol):
    def __call__(self, text: str, memories: list[Candidate]) -> list[Ranked]: ...


@pytest.fixture(scope="module")
def search() -> Search:
    engine = LocalE5()
    background = Background(engine)
    embed_once = cache(
        lambda passage: engine.embed_passages([passage])[0]
    )  # many questions ask the same people

    def find(text: str, memories: list[Candidate]) -> list[Ranked]:
        vectors = np.array([embed_once(str(candidate.key)) for candidate in memories])
        is_chinese = np.array([candidate.language == "zh" for candidate in memories])
        near = background.compute_nearness(
            text, engine.embed_query(text), detect_language(text), passages=vectors, is_chinese=is_chinese
        )
        return [
            result
            for result in ranked(text, memories, near, Situation(now=NOW))
            if result.relativity >= THRESHOLD
        ]

    return find


OTTO = [
    memory("The user's name is Otto.", slot="name"),
    memory("The user repairs church organs.", slot="job"),
    memory("The user lives in Passau.", slot="residence"),
    memory("The user is allergic to sesame.", slot="allergy:sesame"),
    memory("The user's niece Ida has asthma."),
    memory("The user swims in the Inn every morning."),
    memory("The user has a canary called Figaro."),
    memory("The user prefers night trains to planes.", kind=MemoryKind.PREFERENCE),
    memory('The user said on 3 May 2026: "the bellows of the Altötting organ leak again"'),
    memory("用户在学吹双簧管。", language="zh"),
]


@pytest.mark.parametrize(
    "text",
    [
        "Explain the rules of curling.",
        "How do I reverse a linked list in Go?",
        "Write a sonnet about a lost umbrella.",
        "What is the atomic weight of iron?",
        "Good evening!",
        "冰壶的规则是什么？",
        "用Rust写一个链表。",
        "铁的原子量是多少？",
    ],
)
def test_what_has_nothing_to_do_with_a_person_brings_nothing_back(search: Search, text: str) -> None:
    assert search(text, OTTO) == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What kind of work do I do?", "organs"),
        ("Which animal do I keep?", "canary"),
        ("What do I do for exercise?", "swims"),
        ("Which instrument am I taking up?", "双簧管"),
        ("How should I get to Rome for the congress?", "night trains"),
        ("我家养了什么动物？", "canary"),
    ],
)
def test_answers_that_share_no_word_with_the_question_come_early(
    search: Search, text: str, answer: str
) -> None:
    assert any(answer in result.key for result in search(text, OTTO)[:2])


@pytest.mark.parametrize("text", ["Who am I?", "What have you learnt about me?", "说说你对我的了解。"])
def test_who_somebody_is_begins_with_name_and_work(search: Search, text: str) -> None:
    keys = [result.key for result in search(text, OTTO)]

    assert len(keys) == len(OTTO)
    assert "Otto" in keys[0]
    assert "organs" in keys[1]


@pytest.mark.parametrize("text", ["What should I order for dinner?", "晚饭在餐厅点哪道菜好？"])
def test_an_allergy_comes_along_when_food_is_asked_about(search: Search, text: str) -> None:
    assert any("sesame" in result.key for result in search(text, OTTO)[:3])


def test_what_the_assistant_said_ranks_below_what_the_user_said_unless_asked_for(search: Search) -> None:
    view = memory("[assistant view] Figaro, the canary, needs a larger cage.", speaker=ASSISTANT)
    own = memory("The user bought a cage for the canary in May 2026.")

    first = search("What do I know about the cage of the canary?", [view, own])
    asked_for = search("What did you recommend for the canary?", [view, own])

    assert first[0].key == own.key
    assert asked_for[0].key == view.key


def test_a_question_about_a_year_finds_the_state_of_then(search: Search) -> None:
    moved = NOW - timedelta(days=600)
    homes = [
        memory(
            "The user lives in Linz.",
            slot="residence",
            valid_until=moved,
            stated_at=NOW - timedelta(days=1500),
        ),
        memory("The user lives in Passau.", slot="residence", stated_at=moved),
    ]

    assert "Linz" in search("Where did I live in 2023?", homes)[0].key
    assert "Linz" in search("What was my old home town?", homes)[0].key
    assert "Passau" in search("Where do I live?", homes)[0].key


@pytest.mark.parametrize(
    "text",
    [
        "What does my older brother do for a living?",
        "Where does my late father come from?",
        "What is my wife's shoe size?",
        "Which school do my kids go to?",
        "我弟弟在哪里读书？",
        "我爸爸的职业是什么？",
        "我表妹住在哪个城市？",
    ],
)
def test_a_question_about_a_relative_whom_nothing_mentions_brings_nothing_back(
    search: Search, text: str
) -> None:
    assert search(text, OTTO) == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What does my brother do for a living?", "The user's big brother Rolf is a baker in Linz."),
        ("What is my niece's illness?", "The user's niece Ida has asthma."),
        ("我弟弟做什么工作？", "用户的细佬是救生员。"),
        ("我侄女得了什么病？", "The user's niece Ida has asthma."),
        ("Where does my husband work?", "The user's partner Uwe works at the lock in Jochenstein."),
        ("Which school does my son go to?", "The user's children go to the Montessori school."),
    ],
)
def test_a_relative_is_found_by_whichever_word_they_are_mentioned(
    search: Search, text: str, answer: str
) -> None:
    results = search(text, [*OTTO, memory(answer, language=detect_language(answer))])

    assert answer in [result.key for result in results]


def test_a_calibration_is_kept_in_a_file_and_belongs_to_one_model(tmp_path: Path) -> None:
    shipped = Calibration.load(SHIPPED)
    shipped.save(tmp_path / "copy.npz")

    copy = Calibration.load(tmp_path / "copy.npz")

    assert copy.weights == shipped.weights
    assert shipped.labelled == digest_labelled(), "run manage.py calibrate --shipped"
    assert copy.engine == LocalE5().name
    assert load_calibration("a model that nobody calibrated") is None


def test_unrelated_questions_that_were_held_out_bring_nothing_back(search: Search) -> None:
    people = [person for person in load_people() if person.name in ("raj", "walt", "he-ming")]
    asked = [question.text for question in load_unrelated() if question.half == "held_out"][::4]

    silent = [
        not search(text, [memory(statement) for statement in person.statements])
        for person in people
        for text in asked
    ]

    # Processors without AVX-512 VNNI add 8-bit numbers less exactly: 0.88 there, more elsewhere.
    assert sum(silent) >= 0.85 * len(silent)
