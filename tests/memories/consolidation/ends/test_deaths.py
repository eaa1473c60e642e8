"""With somebody's life, and with an animal that is gone, their own memories are over, and nobody else's."""

from __future__ import annotations

import pytest

from memories.text.slots import find_states
from tests.support.api_client import Api, message

Ends = list[tuple[str, str]]


def find_over(api: Api, user: str, *talks: list[str]) -> tuple[list[str], list[str]]:
    """What holds after the first talk, and what of it holds no more after the last."""
    held: list[str] = []
    for at, talk in enumerate(talks):
        messages = [message("user", text, chat_time=f"2026-{at + 3:02}-02 10:00:00") for text in talk]
        api.add(user, *messages, conversation_id=f"talk {at}")
        held = held or api.current(user)
    now = api.current(user)
    return held, [text for text in held if text not in now]


def tell(api: Api, user: str, ends: Ends) -> tuple[list[str], list[str]]:
    """All that is so in one talk, and all that has come of it in the next."""
    return find_over(api, user, [before for before, _ in ends], [now for _, now in ends])


# What is told together is of different people and animals.
OVER: dict[str, Ends] = {
    "in English": [
        ("I have a tortoise.", "Our tortoise died last winter."),
        ("I have a hamster.", "Our hamster passed away."),
        ("I have a parrot.", "My old parrot flew away."),
        ("We have an old dog.", "We had to put the dog down."),
    ],
    "in Chinese": [
        ("我养了一只猫。", "我的猫死了。"),
        ("我养了一条狗。", "狗上个月去世了。"),
        ("我养了一只鹦鹉。", "鹦鹉飞走了。"),
        ("我养了一只乌龟。", "我把乌龟放生了。"),
        ("我養了一隻倉鼠。", "倉鼠死了。"),
        ("我奶奶住在乡下。", "我奶奶去年冬天走了。"),
        ("我妹妹小云在银行上班。", "我妹妹小云去世了。"),
        ("我爸爸住在长沙。", "我爸爸三年前因病去世了。"),
        ("我爱吃辣。", "最近胃疼，不吃辣了。"),
        ("我每周去健身房。", "从今天起，我不去健身房了。"),
    ],
    "of a cat that is lost": [("我养了一只猫。", "猫走丢了。")],
    "of a cat with a name": [("我养了一只猫叫年糕。", "我家的猫送人了。")],
    "of both cats": [("我养了两只猫。", "猫都送人了。")],
}


@pytest.mark.parametrize("ends", OVER.values(), ids=OVER)
def test_what_was_so_of_it_is_over(api: Api, ends: Ends) -> None:
    held, over = tell(api, "kim", ends)

    assert len(held) >= len(ends)
    assert [text for text in held if text not in over] == []


STAYS: dict[str, Ends] = {
    "in English": [
        ("My mum lives in Leeds.", "My mum's cat died."),
        ("I have a goldfish.", "My sister's goldfish died."),
        ("I have a horse.", "My horse escaped from the field, but we caught him."),
    ],
    "of people in Chinese": [
        ("我妈住在杭州，在小学当老师。", "我妈的猫死了。"),
        ("我爸在铁路上班。", "我爸的同事去世了。"),
        ("我老婆在医院当护士。", "我老婆的奶奶去世了。"),
        ("我奶奶住在乡下。", "我奶奶家的狗走了。"),
        ("我妹妹在银行上班。", "我妹妹金鱼死了。"),
        ("我养了一只兔子。", "邻居的兔子跑了。"),
        ("我开一家鞋店。", "隔壁的鞋店转让了。"),
        ("我儿子在上幼儿园。", "我儿子的同学上小学了。"),
        ("我弟弟在学钢琴。", "我弟弟的女朋友不学钢琴了。"),
        ("我有一辆摩托车。", "隔壁老王的摩托车卖了。"),
        ("我在种草莓。", "邻村的草莓不种了。"),
    ],
    "of the same people told otherwise": [
        ("我妈住在杭州。", "我妈养的猫死了。"),
        ("我爸在铁路上班。", "我爸送孩子走了。"),
        ("我养了一只猫。", "猫差点走丢了。"),
        ("我养了一条狗。", "狗跑了五公里。"),
        ("我老婆在医院当护士。", "我老婆的同事从医院辞职了。"),
        ("我爱吃辣。", "今天胃疼，不吃辣了。"),
        ("我爱喝啤酒。", "明天要开车，不喝啤酒了。"),
        ("我每周去健身房。", "今天下雨，我不去健身房了。"),
    ],
    "of who only went": [("我妈住在杭州。", "我妈昨天走了。"), ("我养了一只猫。", "我妈的猫死了。")],
    "of one of two cats": [("我养了两只猫。", "猫送人了一只。")],
}


@pytest.mark.parametrize("ends", STAYS.values(), ids=STAYS)
def test_what_was_so_of_another_or_is_left_out_for_a_day_goes_on(api: Api, ends: Ends) -> None:
    held, over = tell(api, "kim", ends)

    assert len(held) >= len(ends)
    assert over == []


@pytest.mark.parametrize(
    ("cats", "now"),
    [
        (("我养了一只猫叫年糕。", "我又养了一只猫叫麻糬。"), "我的猫死了。"),
        (("I have a cat called Miso.", "I have another cat called Tofu."), "The cat died."),
    ],
)
def test_which_of_two_is_gone_nobody_knows(api: Api, cats: tuple[str, ...], now: str) -> None:
    held, over = find_over(api, "kim", *([cat] for cat in cats), [now])

    assert held
    assert over == []


def test_who_may_only_have_left_is_not_dead() -> None:
    assert find_states("用户的奶奶昨天走了。", "zh") == ()
    assert find_states("用户的妈妈上周走了。", "zh") == ()
    assert find_states("用户的奶奶前年走了。", "zh")[0].is_end
