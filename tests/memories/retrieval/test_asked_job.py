"""What somebody does for a living is found though nobody called it a job, and that of others is not taken for it."""

from __future__ import annotations

import pytest

from memories.retrieval.values_held.acquaintances import is_about_acquaintance
from memories.retrieval.values_held.trades import says_trade
from tests.support.api_client import Api


@pytest.mark.parametrize(
    "statement",
    [
        "The user runs a small bike repair shop in Leith with their cousin.",
        "The user and their wife own a guest house in Whitby.",
        "The user has got a stall at the Saturday market, mostly second-hand vinyl.",
        "The user drives the number 12 night bus.",
        "The user teaches woodwork at a secondary school.",
        "The user cleans offices at night.",
        "The user sells honey.",
        "The user is self-employed.",
        "The user tunes pianos for a living.",
        "The user is 67, a retired signalman, widowed since 2021.",
    ],
)
def test_english_statements_of_what_one_does_for_a_living(statement: str) -> None:
    assert says_trade(statement, "en")


@pytest.mark.parametrize(
    "statement",
    [
        "The user runs 10k every Sunday.",
        "The user owns a red bike.",
        "The user drives a red Skoda.",
        "The user has a garage with a workbench.",
        "The user sold their car.",
        "The user's brother runs a café in Oslo.",
        "The user wants to open a bakery.",
        "The user has two shops nearby that sell yarn.",
        "The user teaches themselves Portuguese.",
        "The user is a friend of a retired judge.",
    ],
)
def test_english_statements_of_something_else(statement: str) -> None:
    assert not says_trade(statement, "en")


@pytest.mark.parametrize(
    ("statement", "is_trade"),
    [
        ("用户在苏州开了家修表铺。", True),
        ("用户跟媳妇在夜市摆摊卖烤冷面。", True),
        ("用户跑长途货运。", True),
        ("用户开出租。", True),
        ("用户家种了二十亩蓝莓。", True),
        ("用户的老家包了三十亩鱼塘。", True),
        ("用户在银行上班。", True),
        ("用户卖掉了旧车。", False),
        ("用户养了两只猫。", False),
        ("用户开车去大理。", False),
        ("用户周末跑步。", False),
        ("用户的姐姐开了家奶茶店。", False),
        ("用户想开一家花店。", False),
        ("用户种了几盆多肉。", False),
        ("用户的手机修好了。", False),
    ],
)
def test_chinese_statements_of_what_one_does_for_a_living(statement: str, is_trade: bool) -> None:
    assert says_trade(statement, "zh") is is_trade


@pytest.mark.parametrize(
    ("statement", "language", "is_of_others"),
    [
        ("The user's younger brother lives in Vigo.", "en", True),
        ("The user's boss is 52.", "en", True),
        ("The user's neighbours come from Ghana.", "en", True),
        ("The user's job is piano tuning.", "en", False),
        ("The user's brother-in-law's flat is theirs now.", "en", True),
        ("The user lives with their sister.", "en", False),
        ("用户的爸妈住在哈尔滨。", "zh", True),
        ("用户的同事小刘三十五岁。", "zh", True),
        ("用户的家在大连。", "zh", False),
        ("用户跟妈妈住。", "zh", False),
    ],
)
def test_statements_about_others(statement: str, language: str, is_of_others: bool) -> None:
    assert is_about_acquaintance(statement, language) is is_of_others


def test_a_question_for_the_job_finds_what_one_lives_on(api: Api) -> None:
    api.add("kim", "I've got a stall at the Saturday market, mostly second-hand vinyl. My son is a vet.")
    api.add("lin", "我们家种了二十亩蓝莓，今年第一次挂果。我姐开了家奶茶店。")

    for question in ("What is my occupation?", "What do I do for work?", "How do I make a living?"):
        (fact,) = api.facts("kim", question)
        assert "vinyl" in fact
    for question in ("我是做什么的？", "我靠什么生活？"):
        (fact,) = api.facts("lin", question)
        assert "蓝莓" in fact


def test_a_job_that_was_named_is_the_answer(api: Api) -> None:
    api.add("kim", "I work as a nurse. I sell honey at the market, too.")

    assert "nurse" in api.facts("kim", "What is my job?")[0]


@pytest.mark.parametrize(
    "question", ["Where do I live?", "How old am I?", "Where am I from?", "What is my job?"]
)
def test_a_state_of_ones_own_is_not_answered_with_that_of_others(api: Api, question: str) -> None:
    api.add(
        "kim", "My sister Ana lives in Vigo and my parents are from Ourense. My boss is 52. My son is a vet."
    )

    assert api.facts("kim", question) == []
    assert "Vigo" in api.facts("kim", "Where does my sister live?")[0]


@pytest.mark.parametrize("question", ["我住在哪里？", "我在哪里上班？", "我今年多大？"])
def test_a_state_of_ones_own_is_not_answered_with_that_of_others_in_chinese(api: Api, question: str) -> None:
    api.add("lin", "我爸妈住在哈尔滨，我姐在大连上班。我同事小刘三十五岁。")

    assert api.facts("lin", question) == []
    assert "哈尔滨" in api.facts("lin", "我爸妈住在哪？")[0]
