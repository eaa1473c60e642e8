"""What is said to be over does not come back as present; the memory that says so stays."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from tests.support.api_client import Api

# What held, what says that it is over, what is not there any more and what is.
ENDS = {
    "in English": [
        ("I work at Acme.", "I no longer work at Acme.", "The user works at Acme", "no longer"),
        ("I drive a Skoda.", "I sold the Skoda.", "drives a Skoda", "sold"),
        ("I live in Porto with my wife.", "I don't live in Porto any more.", "user lives in Porto", "not live in"),
        ("I have a dog called Rex.", "Rex died last week.", "has a dog called Rex", "died"),
    ],
    "in Chinese": [
        ("我养了一只狗叫旺财。", "旺财上周去世了。", "养了一只狗", "去世"),
        ("我女朋友叫小雨。", "我和小雨分手了。", "女朋友叫小雨", "分手"),
        ("我在腾讯工作。", "我不在腾讯工作了。", "用户在腾讯工作。", "不在腾讯"),
        ("我每天早上喝咖啡。", "我早就不喝咖啡了。", "每天早上喝咖啡", "不喝咖啡"),
    ],
    "of one of two things": [
        ("我媳妇叫桂芬，在菜市场卖冻梨。", "桂芬也不卖冻梨了，盘了个小饺子馆。", "在菜市场卖冻梨", "媳妇叫桂芬。"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_an_end_closes_the_state(api: Api, ends: list[tuple[str, str, str, str]]) -> None:
    api.add("kim", *(held for held, *_ in ends))
    before = api.current("kim")

    api.add("kim", *(sentence for _, sentence, *_ in ends), conversation_id="another talk")

    now = api.current("kim")
    for _, _, over, stays in ends:
        assert any(over in text for text in before), before
        assert not any(over in text for text in now), now
        assert any(stays in text for text in now), now


def test_an_end_closes_no_other_value(api: Api) -> None:
    api.add("kim", "I work at Globex.")

    api.add("kim", "I no longer work at Acme.")

    assert any("works at Globex" in text for text in api.current("kim"))


def test_another_persons_state_is_not_the_users(api: Api) -> None:
    api.add("kim", "I live in Leeds.", "My brother lives in Leeds.")

    api.add("kim", "My brother moved to York.")

    text = " ".join(api.current("kim"))
    assert "The user lives in Leeds." in text
    assert "brother lives in Leeds" not in text


@pytest.mark.parametrize(
    ("held", "statement", "language"),
    [
        ("The user plays the trombone.", "The user packed the trombone in.", "en"),
        ("用户在腾讯工作。", "用户不在腾讯工作了。", "zh"),
    ],
)
def test_a_turn_that_is_kept_whole_ends_nothing(held: str, statement: str, language: str) -> None:
    assert ends_memory(statement, held, language)
    assert not ends_memory(statement + " 不再" * 3_000, held, language)
    assert not ends_memory(statement, held + " no more" * 3_000, language)
