"""Which memories can hold the value that a question asks for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.retrieval.queries.parser import parse_question
from memories.text.tokenize import search_terms

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def can_answer(question: str, memory: str) -> bool | None:
    """None where the question asks for no value."""
    is_held = parse_question(question, NOW).asked_value
    return is_held(" ".join(search_terms(memory))) if is_held else None


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What do I pay for my parking space?", "The user's parking space is behind the mill."),
        ("How much does Ines earn?", "Ines got a job at the harbour on 3 May 2026."),
        ("What is my shed's square footage?", "The user painted the shed green."),
        ("How old is my uncle?", "The user's uncle keeps geese."),
        ("What is my savings account number?", "The user's mobile is 07700 900441."),
        ("What is the vet's phone number?", "The user's vet is on Hill Street, number 4."),
        ("When is Ana's birthday?", "Ana moved to Bremen on 4 May 2026."),
        ("我的车位每月多少钱？", "用户的车位在磨坊后面。"),
        ("我家有几辆摩托？", "用户家种三十亩玉米。"),
        ("店里有几张沙发？", "用户的店卖沙发，一套三千。"),
        ("我们主任姓什么？", "用户在三楼的科室上班。"),
        ("医院的电话是多少？", "用户的两个孩子都在那家医院出生。"),
        ("阿香的生日是哪天？", "阿香2026年5月4日搬去了南宁。"),
    ],
)
def test_what_has_no_value_of_the_kind_holds_no_answer(question: str, memory: str) -> None:
    assert can_answer(question, memory) is False


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What do I pay for my parking space?", "The user's parking space is forty pounds a month."),
        ("How much does Ines earn?", "Ines is on 14.20 an hour."),
        ("How old is my uncle?", "The user's uncle is in his fifties."),
        ("How old is my uncle?", "The user's uncle was born in 1961."),
        ("What is my rent?", "The user's rent is 1950 a month."),
        ("我家狗叫什么？", "用户有只狗豆豆。"),
        ("What is the vet's phone number?", "The user's vet is on 020 7946 0331."),
        ("When is Ana's birthday?", "Ana turned nine on 4 May 2026."),
        ("我的车位每月多少钱？", "用户的车位一个月三百五。"),
        ("我家有几辆摩托？", "用户买了第二辆摩托，现在有两辆。"),
        ("我们主任姓什么？", "用户的主任姓顾。"),
        ("医院的电话是多少？", "医院的总机是83320114。"),
        ("阿香的生日是哪天？", "阿香是5月4日生的。"),
    ],
)
def test_what_has_such_a_value_may_hold_the_answer(question: str, memory: str) -> None:
    assert can_answer(question, memory) is True


@pytest.mark.parametrize(
    "question",
    [
        "How much do I like skiing?",
        "What should I bake for his birthday?",
        "How many children do I have?",
        "Who is my dentist?",
        "我有几个孩子？",
        "孩子过生日做什么菜？",
        "我住在哪里？",
        "用户叫什么名字？",
    ],
)
def test_other_questions_ask_for_no_value(question: str) -> None:
    assert can_answer(question, "The user keeps geese.") is None
