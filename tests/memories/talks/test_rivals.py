"""Questions about one animal, country or payment where only another was spoken of."""

from __future__ import annotations

import pytest

from memories.retrieval.queries.rivals import find_rivals
from memories.retrieval.values_held.held import find_held_values
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from tests.support.api_client import Api


def may_answer(question: str, memory: str) -> bool | None:
    """None where the question names nothing that has others of its kind."""
    language = detect_language(question)
    rivals = find_rivals(question, language)
    if rivals is None:
        return None
    terms = " ".join(search_terms(memory))
    return bool(rivals.asked.search(terms)) or rivals.is_answered_by(
        terms, find_held_values(memory, language)
    )


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What breed is my dog?", "The user's rabbit Mabel is white."),
        ("What is my dog called?", "The vet comes on Thursday."),
        ("How many sheep do I have?", "The user keeps sixty dairy cows."),
        ("When did I go to Portugal?", "The user went to Spain last summer."),
        ("When did I go to Portugal?", "The user bought a bike in February 2026."),
        ("How much is my tuition?", "The rent is 5200 kroner."),
        ("我的狗叫什么？", "用户家的猫叫豆包。"),
        ("我什么时候去的葡萄牙？", "用户12月飞回上海。"),
    ],
)
def test_what_names_another_is_no_answer(question: str, memory: str) -> None:
    assert may_answer(question, memory) is False


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What breed is my dog?", "The user has a lurcher called Bruno."),
        ("How many sheep do I have?", "The user keeps four hundred of them on the hill."),
        ("When did I go to Portugal?", "The user went to Faro in May 2026."),
        ("When did I go to Portugal?", "The user flew from London to Lisbon in May 2026."),
        ("How much is my tuition?", "The user pays the college 9,000 a year."),
        ("How much is my salary?", "The user takes home 2,150 a month."),
        ("我的狗叫什么？", "用户养了条边牧叫闪电。"),
        ("我什么时候去的泰国？", "用户三月去了清迈。"),
    ],
)
def test_what_names_it_or_nothing_of_the_kind_may_answer(question: str, memory: str) -> None:
    assert may_answer(question, memory) is True


@pytest.mark.parametrize(
    "question",
    [
        "Do I need a visa for Portugal?",
        "When did I cook the turkey?",
        "Is the cat afraid of the dog?",
        "How do I get to work?",
        "我几点下班？",
    ],
)
def test_other_questions_have_no_rivals(question: str) -> None:
    assert may_answer(question, "The user went to Spain.") is None


def test_a_search_for_an_animal_that_nobody_mentioned_is_silent(api: Api) -> None:
    api.add("kim", "My cat is called Tuna.", "I went to Spain last summer.")

    assert "Tuna" in api.facts("kim", "What is my cat called?")[0]
    assert api.facts("kim", "What is my dog called?") == []
    assert "Spain" in api.facts("kim", "When did I go to Spain?")[0]
    assert api.facts("kim", "When did I go to Portugal?") == []
