"""What people say to an assistant and nobody needs to remember."""

from __future__ import annotations

import pytest

from memories.text.clauses.small_talk import is_courtesy


@pytest.mark.parametrize(
    "message",
    ["good morning btw :)", "never mind, just curious", "it's freezing today", "haha nice one", "It's hot"]
    + ["cheers, that's all, have a good one", "ok bye, catch you later", "right, gotta run, speak soon"]
    + ["off to bed, night night", "Ramadan Mubarak!", "lovely weather today innit"]
    + ["lovely weather today, isn't it", "hey there, happy friday!", "我就随便问问。", "我已经说了。"]
    + ["今天天气真冷。", "今天天气不错", "没事，就是问一下", "算了，不说了", "你真聪明", "随便聊聊"],
)
def test_greetings_weather_and_asides_are_courtesies(message: str) -> None:
    assert is_courtesy(message)


@pytest.mark.parametrize(
    "message",
    [
        "btw I'm vegan",
        "it's freezing in my flat",
        "happy birthday to me",
        "never mind the Porsche",
        "I'm never cold",
        "gotta run 10k on Sunday",
        "I'm off to Rome",
        "I have a good one",
        "we have a nice trip",
    ]
    + ["今天很冷，我发烧了", "我已经说了，我对花生过敏", "我怕冷", "我太累了", "我随便问问，青霉素能吃吗"],
)
def test_one_word_about_the_person_is_enough_to_keep_it(message: str) -> None:
    assert not is_courtesy(message)
