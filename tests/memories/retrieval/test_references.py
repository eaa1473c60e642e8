"""Questions that name a form, an order or a part by its reference."""

from __future__ import annotations

import pytest

from memories.retrieval.queries.references import find_references
from memories.values import MemoryKind
from tests.support.ranking import memory, rank_by_words


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where do I hand in form 27-B?", ("27 b",)),
        ("What does QX-000017 say?", ("qx 000017",)),
        ("Is the X200 still under warranty?", ("x200",)),
        ("订单 A-48213 发货了吗?", ("48213",)),
        ("What became of invoice 48213?", ("48213",)),
        ("Compare DIN-4102 with EN-13501", ("din 4102", "en 13501")),
    ],
)
def test_a_question_names_references(question: str, named: tuple[str, ...]) -> None:
    assert find_references(question) == named


@pytest.mark.parametrize(
    "question",
    [
        "What happened on 2024-05-01?",
        "Did we meet on 5/12/2024 at 10am?",
        "Is there a 2-year warranty for the 5km run in 1990s style?",
        "Who came 2nd in 2024?",
        "Call kim@x1-mail.com",
        "Version 3.2.1 of it?",
        "下周三 10点 见吗?",
    ],
)
def test_dates_measures_and_addresses_are_no_references(question: str) -> None:
    assert find_references(question) == ()


def test_the_passage_with_the_reference_comes_before_all_that_are_about_the_same() -> None:
    about = [
        memory(f"Form {number}-B is handed in at the registry.", kind=MemoryKind.KNOWLEDGE)
        for number in range(30, 60)
    ]
    right = memory(
        "Parents hand in form 27-B on Thursdays; nothing else is taken there.", kind=MemoryKind.KNOWLEDGE
    )
    results = rank_by_words("Where at the registry is form 27-B handed in?", [*about, right])
    assert results[0].key == right.key
    assert results[0].parts["reference"] > 0 == results[1].parts["reference"]


def test_of_two_references_the_memory_that_names_both_is_first() -> None:
    single, both = memory("The X200 is loud."), memory("The X200 replaced the Y31 in the lab.")
    results = rank_by_words("Is the X200 better than the Y31?", [single, both])
    assert [ranked.key for ranked in results] == [both.key, single.key]
    assert results[0].parts["reference"] == 2 * results[1].parts["reference"]
