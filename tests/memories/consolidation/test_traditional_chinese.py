"""What is said in traditional characters is over, put right and found as what is said in simplified ones."""

from __future__ import annotations

import pytest

from memories.text.slots import find_states
from tests.support.api_client import Api, Message


def talk(api: Api, *talks: str) -> None:
    for at, text in enumerate(talks):
        message: Message = {"role": "user", "content": text, "chat_time": f"2026-{at + 3:02}-02 10:00:00"}
        api.add("kim", message, conversation_id=f"talk {at}")


@pytest.mark.parametrize(
    ("talks", "holds", "over"),
    [
        (("我在火鍋店當店長。", "我從火鍋店離職了。"), "離職", "當店長"),
        (("我開一家鞋店。", "鞋店轉讓了。"), "轉讓", "開一家"),
        (("我女兒在上幼兒園。", "女兒今年上小學了。"), "小學", "幼兒園"),
        (("我老婆懷孕五個月。", "我老婆生了。"), "生了", "懷孕"),
        (("我打算去東京。", "東京不去了，太貴。"), "不去了", "打算"),
        (("我有三個徒弟，都很勤快。", "現在剩兩個徒弟了。"), "兩個徒弟", "三個"),
        (("我在學鋼琴，每週二上課。", "鋼琴不學了。"), "不學了", "在學"),
        # Who writes in both is one person.
        (("我在学钢琴。", "鋼琴不學了。"), "不學了", "在学"),
        (("我開一家鞋店。", "鞋店转让了。"), "转让", "開一家"),
    ],
)
def test_the_later_talk_is_what_holds(api: Api, talks: tuple[str, ...], holds: str, over: str) -> None:
    talk(api, *talks)

    assert any(holds in text for text in api.current("kim"))
    assert not any(over in text for text in api.current("kim"))


@pytest.mark.parametrize(
    "talks",
    [
        ("我開一家鞋店。", "隔壁的鞋店轉讓了。"),
        ("我在學鋼琴。", "我妹妹鋼琴不學了。"),
        ("我對蝦過敏。", "我姐從高雄搬去台北了。"),
        ("我住在臺北。", "我爸媽搬到高雄了。"),
        ("我打算去東京。", "大阪不去了，太貴。"),
        ("我在火鍋店當店長。", "我同事從火鍋店離職了。"),
    ],
)
def test_what_is_said_of_another_ends_nothing(api: Api, talks: tuple[str, ...]) -> None:
    talk(api, *talks)

    assert f"用户{talks[0][1:]}" in api.current("kim")


@pytest.mark.parametrize("question", ["我的興趣是什麼樣的運動？", "我的兴趣是什么样的运动？", "我在练什么？"])
def test_a_question_in_either_writing_finds_it(api: Api, question: str) -> None:
    talk(api, "我在臺中練擊劍，練了三年。", "我養了一隻貓。")

    assert any("擊劍" in text for text in api.facts("kim", question))


def test_a_state_is_one_in_both_writings() -> None:
    assert find_states("用户的姐姐從高雄搬去臺北了。", "zh")[0].slot == "older sister:residence"
    assert find_states("用户對蝦過敏。", "zh")[0].slot == find_states("用户对虾过敏。", "zh")[0].slot
