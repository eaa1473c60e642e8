"""Which state a question asks for, and whether anybody is in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.retrieval.queries.parser import parse_question
from memories.values import Turn

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Which city does the user live in, and what seat should I book?", "I moved to Shanghai in June."),
        ("Where do I live now?", "I live in Porto."),
        ("我现在住在哪个城市？", "我搬到了上海。"),
        ("What is my job?", "I work as a nurse."),
        ("What do I do for a living?", "I work as a nurse."),
        ("Where do I work?", "I work at Siemens."),
        ("What's my name?", "My name is Alex."),
        ("How old am I?", "I am 34 years old."),
        ("When is my birthday?", "My birthday is on 3 May."),
        ("我的生日是哪天？", "我的生日是5月3日。"),
    ],
)
def test_a_question_for_a_state_names_the_slot_in_which_the_extractor_keeps_it(
    text: str, sentence: str
) -> None:
    kept = {draft.slot for draft in LocalExtractor().extract([Turn("user", sentence, NOW)], [])}

    assert set(parse_question(text, NOW).states) & kept


@pytest.mark.parametrize(
    "text",
    [
        "Where does my sister live?",
        "我妈妈住在哪里？",
        "Where did we watch the live concert?",
        "Where can I buy live lobster?",
        "Where do I keep my home insurance papers?",
        "Where does Anna work?",
        "Where do I work out?",
        "Who works on the Apollo project?",
        "我女朋友在哪家公司上班？",
        "What is my wife's job?",
        "我妹妹做什么工作？",
        "What is my dog's name?",
    ],
)
def test_a_question_for_others_or_for_something_else_asks_for_no_state_of_the_user(text: str) -> None:
    assert parse_question(text, NOW).states == ()


@pytest.mark.parametrize(
    ("text", "is_of_nobody"),
    [
        ("What is the capital of Mongolia?", True),
        ("Who won the 1998 World Cup?", True),
        ("What's the weather in Oslo?", True),
        ("What is my favourite drink?", False),
        ("What is Kim's favourite drink?", False),
        ("Where does Anna work?", False),
        ("Recommend a film for tonight", False),
        ("favourite food", False),
        ("Where did you put the keys?", False),
        ("蒙古的首都是哪里？", False),
        ("Was ist die Hauptstadt der Mongolei?", False),
    ],
)
def test_a_question_is_of_nobody_when_it_asks_for_the_world(text: str, is_of_nobody: bool) -> None:
    assert parse_question(text, NOW).is_of_nobody is is_of_nobody
