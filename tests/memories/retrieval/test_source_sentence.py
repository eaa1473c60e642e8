"""The sentence that a memory came from is found in its message."""

from __future__ import annotations

import pytest

from memories.retrieval.browse.source_sentence import mark_source
from memories.text.topics.tags import repeats_text


@pytest.mark.parametrize(
    ("message", "memory", "marked"),
    [
        ("I live in Lisbon. I like tea.", "The user lives in Lisbon.", ["I live in Lisbon."]),
        ("Hi! My dog is called Rex. Bye.", "The user's dog is called Rex.", ["My dog is called Rex."]),
        ("The invoice is due\nPay 40 euros by Friday", "Pay 40 euros.", ["Pay 40 euros by Friday"]),
        ("Dr. Weber is my dentist. I fear drills.", "Dentist: Dr. Weber", ["Dr. Weber is my dentist."]),
        ("我住在北京。我喜欢喝茶。", "用户喜欢喝茶。", ["我喜欢喝茶。"]),
        ("下周三开会，地点在上海。请带电脑！", "会议地点：上海", ["下周三开会，地点在上海。"]),
        ("Hello there.", "The user lives in Lisbon.", []),
        ("", "The user lives in Lisbon.", []),
        ("I run. I run.", "The user runs.", ["I run.", "I run."]),
        ("🙂🙂", "🙂", []),
        ("word " * 3_000 + "I own a boat.", "The user owns a boat.", ["I own a boat."]),
    ],
    ids=["home", "dog", "lines", "doctor", "tea", "meeting", "none", "empty", "twice", "emoji", "long"],
)
def test_the_nearest_sentences_are_marked_and_nothing_is_lost(
    message: str, memory: str, marked: list[str]
) -> None:
    passages = mark_source(message, memory)

    assert "".join(passage.text for passage in passages) == message
    sentences = [passage.text for passage in passages if passage.is_source]
    assert [text[-60:] for text in sentences] == marked or [
        text.split(" word")[-1] for text in sentences
    ] == marked


@pytest.mark.parametrize(
    ("title", "text", "is_repeated"),
    [
        ("Lisbon", "The user lives in Lisbon.", True),
        ("Lives in Lisbon", "The user lives in Lisbon.", True),
        ("Home", "The user lives in Lisbon.", False),
        ("", "The user lives in Lisbon.", True),
        ("北京", "用户住在北京。", True),
        ("住址", "用户住在北京。", False),
    ],
    ids=["word", "phrase", "other", "empty", "chinese", "chinese-other"],
)
def test_a_title_that_says_nothing_new_is_told_apart(title: str, text: str, is_repeated: bool) -> None:
    assert repeats_text(title, text) is is_repeated
