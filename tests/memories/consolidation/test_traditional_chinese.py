"""What is said in traditional characters is over, put right and found as what is said in simplified ones."""

from __future__ import annotations

import pytest

from memories.text.slots import find_states
from tests.support.api_client import Api, message


def talk(api: Api, *talks: list[str]) -> list[str]:
    """What is held of the user after all of them."""
    for at, texts in enumerate(talks):
        messages = [message("user", text, chat_time=f"2026-{at + 3:02}-02 10:00:00") for text in texts]
        api.add("kim", *messages, conversation_id=f"talk {at}")
    return api.current("kim")


# What is said, what is said later, what holds then, and what does not.
CHANGES = {
    "in traditional characters": [
        ("我在火鍋店當店長。", "我從火鍋店離職了。", "離職", "當店長"),
        ("我開一家鞋店。", "鞋店轉讓了。", "轉讓", "開一家"),
        ("我女兒在上幼兒園。", "女兒今年上小學了。", "小學", "幼兒園"),
        ("我老婆懷孕五個月。", "我老婆生了。", "生了", "懷孕"),
        ("我打算去東京。", "東京不去了，太貴。", "不去了", "打算"),
        ("我有三個徒弟，都很勤快。", "現在剩兩個徒弟了。", "兩個徒弟", "三個"),
        ("我在學鋼琴，每週二上課。", "鋼琴不學了。", "不學了", "在學"),
    ],
    "in both writings, by one person": [
        ("我在学钢琴。", "鋼琴不學了。", "不學了", "在学"),
        ("我開一家鞋店。", "鞋店转让了。", "转让", "開一家"),
    ],
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_the_later_talk_is_what_holds(api: Api, changes: list[tuple[str, str, str, str]]) -> None:
    now = talk(api, [change[0] for change in changes], [change[1] for change in changes])

    assert [holds for _, _, holds, _ in changes if not any(holds in text for text in now)] == [], now
    assert [over for *_, over in changes if any(over in text for text in now)] == [], now


def test_what_is_said_of_another_ends_nothing(api: Api) -> None:
    mine = [
        "我開一家鞋店。",
        "我在學鋼琴。",
        "我對蝦過敏。",
        "我住在臺北。",
        "我打算去東京。",
        "我在火鍋店當店長。",
    ]
    others = ["隔壁的鞋店轉讓了。", "我妹妹鋼琴不學了。", "我姐從高雄搬去台北了。", "我爸媽搬到高雄了。"]
    others += ["大阪不去了，太貴。", "我同事從火鍋店離職了。"]

    now = talk(api, mine, others)

    assert {f"用户{text[1:]}" for text in mine} <= set(now)


def test_a_question_in_either_writing_finds_it(api: Api) -> None:
    talk(api, ["我在臺中練擊劍，練了三年。", "我養了一隻貓。"])

    for question in ("我的興趣是什麼樣的運動？", "我的兴趣是什么样的运动？", "我在练什么？"):
        assert any("擊劍" in text for text in api.facts("kim", question)), question


def test_a_state_is_one_in_both_writings() -> None:
    assert find_states("用户的姐姐從高雄搬去臺北了。", "zh")[0].slot == "older sister:residence"
    assert find_states("用户對蝦過敏。", "zh")[0].slot == find_states("用户对虾过敏。", "zh")[0].slot
