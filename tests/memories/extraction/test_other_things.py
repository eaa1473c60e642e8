"""Another thing than the one that was named, and another person than the one it was said of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.text.clauses.corrections import remove_superseded
from memories.values import Draft, Turn

DAY = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def held(*messages: str) -> list[str]:
    """What holds at the end of a talk in which the assistant says "OK" between the messages."""
    turns = [
        turn for text in messages for turn in (Turn("user", text, DAY), Turn("assistant", "OK. 好的。", DAY))
    ]
    drafts: list[Draft] = LocalExtractor().extract(turns[:-1], [])
    return [draft.text for draft in remove_superseded(drafts)]


def answer(asked: str, reply: str) -> list[str]:
    turns = [Turn("assistant", asked, DAY), Turn("user", reply, DAY)]
    return [draft.text for draft in LocalExtractor().extract(turns, [])]


@pytest.mark.parametrize(
    ("messages", "holds"),
    [
        (
            ("I take ibuprofen for my headaches", "Sorry, I mean paracetamol"),
            ["The user takes paracetamol for their headaches."],
        ),
        (("I'm allergic to shellfish", "No sorry, I meant peanuts"), ["The user is allergic to peanuts."]),
        (("I work in marketing", "Sorry, I meant sales"), ["The user works in sales."]),
        (("I drive a Skoda", "Sorry, I mean a Seat"), ["The user drives a Seat."]),
        (("We have two cats", "Sorry, I mean dogs"), ["The user has two dogs."]),
        (
            ("My daughter is allergic to eggs", "I meant nuts, sorry"),
            ["The user's daughter is allergic to nuts."],
        ),
        (
            ("I have a meeting with the bank on Friday", "Sorry, I meant the insurance company."),
            ["The user has a meeting with the insurance company on Friday (20 November 2026)."],
        ),
        (
            ("I take amlodipine", "Oh wait, it's nifedipine. Amlodipine is what my dad takes."),
            ["The user takes nifedipine.", "Amlodipine is what the user's dad takes."],
        ),
        (
            ("我在吃氨氯地平。", "哦不对，是硝苯地平控释片，氨氯地平是我爸吃的"),
            ["用户在吃硝苯地平控释片。", "氨氯地平是用户的爸爸吃的。"],
        ),
        (("我在吃布洛芬", "更正一下，是对乙酰氨基酚"), ["用户在吃对乙酰氨基酚。"]),
        (("我每天喝普洱", "不对，是铁观音"), ["用户每天喝铁观音。"]),
        (("我在看三体", "不对，是流浪地球"), ["用户在看流浪地球。"]),
        (
            ("我开的是比亚迪", "口误，是蔚来，比亚迪是我哥的车"),
            ["用户开的是蔚来。", "比亚迪是用户的哥哥的车。"],
        ),
        (
            ("我儿子在学钢琴", "不对，是小提琴，钢琴是我女儿学的"),
            ["用户的儿子在学小提琴。", "钢琴是用户的女儿学的。"],
        ),
    ],
)
def test_a_named_thing_takes_the_place_of_the_wrong_one(messages: tuple[str, ...], holds: list[str]) -> None:
    assert held(*messages) == holds


@pytest.mark.parametrize(
    ("messages", "stays"),
    [
        (("I take ibuprofen for my headaches", "Sorry, I meant well"), "The user takes ibuprofen"),
        (("I take ibuprofen for my headaches", "Sorry, I mean it"), "The user takes ibuprofen"),
        (("I take ibuprofen for my headaches", "Sorry, I mean no offence"), "The user takes ibuprofen"),
        (("I take ibuprofen for my headaches", "Sorry, I mean the cream"), "The user takes ibuprofen"),
        (("I take ibuprofen", "Oh wait, it's lunchtime."), "The user takes ibuprofen."),
        (("我在吃布洛芬", "不对，是真的"), "用户在吃布洛芬。"),
        (("我在吃布洛芬", "不对，是我记错了"), "用户在吃布洛芬。"),
        (("我在吃布洛芬", "不对，是周四"), "用户在吃布洛芬。"),
        (("我在吃布洛芬", "不对，是小王"), "用户在吃布洛芬。"),
    ],
)
def test_what_is_no_such_thing_takes_no_place(messages: tuple[str, ...], stays: str) -> None:
    assert any(text.startswith(stays) for text in held(*messages)), held(*messages)


def test_what_is_so_of_somebody_else_is_said_of_them() -> None:
    assert held("对花生过敏的是我老公，不是我") == ["用户的老公对花生过敏，不是用户。"]
    assert held("体重15公斤的是我儿子，不是我") == ["用户的儿子体重15公斤，不是用户。"]
    assert held("布洛芬是我妈吃的，不是我") == ["用户的妈妈吃布洛芬，不是用户。"]
    assert held("负责接送的是我老公") == ["用户的老公负责接送。"]
    assert held("我妈有高血压", "说错了，有高血压的是我爸")[-1] == "用户的爸爸有高血压，不是用户的妈妈。"
    assert held("It's my husband who is allergic to peanuts, not me.") == [
        "The user's husband is allergic to peanuts.",
        "The user is not allergic to peanuts.",
    ]
    assert held("My son is the one who weighs 15 kilos, not me.") == [
        "The user's son weighs 15 kilos.",
        "The user does not weigh 15 kilos.",
    ]
    assert held("It was my brother who lived in Rome, not me.")[-1] == "The user did not live in Rome."
    # What somebody means to the user, and what no person does.
    assert "是用户的儿子" in held("最重要的是我儿子")[0]
    assert held("It's the weather that gets me, not the food.")[0].startswith("The user said")


def test_relatives_and_what_is_at_home_are_named_in_full() -> None:
    assert held("我姐会弹钢琴") == ["用户的姐姐会弹钢琴。"]
    assert held("我家猫吐了") == ["用户家的猫吐了。"]
    assert held("我家冰箱坏了") == ["用户家的冰箱坏了。"]
    assert held("我家附近有个公园") == ["用户家附近有个公园。"]
    assert held("我家养了三只鸡") == ["用户家养了三只鸡。"]
    assert held("我家装修花了十万") == ["用户家装修花了十万。"]


def test_a_plan_that_is_asked_for_is_a_plan() -> None:
    weekend = "用户周末（2026年11月21日前后）"
    assert answer("你周末有什么安排？", "去爬山") == [f"{weekend}打算去爬山。"]
    assert answer("周末打算做什么？", "去看电影") == [f"{weekend}打算去看电影。"]
    assert answer("你周末打算去哪里玩？", "去黄山") == [f"{weekend}打算去黄山玩。"]
    assert answer("你周末有什么安排？", "婚礼") == ["用户周末有婚礼。"]
    assert not answer("你周末有什么安排？", "没有")
    assert "打算" not in answer("你周末有什么安排？", "去了黄山")[0]
    assert answer("你周末有什么安排？", "还没想好")[0].endswith("“还没想好”")


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("教练让我每周一三五练力量。膝盖有旧伤。", ["教练让用户每周一三五练力量。", "用户的膝盖有旧伤。"]),
        ("医生给我开了药。腰不好，坐久了疼。", ["医生给用户开了药。", "用户的腰不好，坐久了疼。"]),
        ("老宁退伙了。出货量到一千五百斤了。", ["老宁退伙了。", "出货量到一千五百斤了。"]),
        ("房东换锁了。水管还是漏。", ["房东换锁了。", "水管还是漏。"]),
        # Of relatives, and of who was done nothing for the user, a talk goes on to tell.
        ("我妈住院了。血压有点高。", ["用户的妈妈住院了。", "用户的妈妈血压有点高。"]),
        ("我师傅退休了。腰一直不好。", ["用户的师傅退休了。", "用户的师傅腰一直不好。"]),
        # Of what a bare number is, nobody knows.
        ("已经七十三了！", ["用户在2026年11月20日说：“已经七十三了”"]),
        ("Never mind, we're called Mudlark.", ['The user said on 20 November 2026: "we\'re called Mudlark"']),
        ("I'm called Bex.", ["The user is called Bex."]),
        (
            "I play keys, Dunc drums, and Noor sings.",
            ['The user said on 20 November 2026: "I play keys, Dunc drums, and Noor sings."'],
        ),
    ],
)
def test_what_is_said_of_nobody_is_given_to_nobody_else(message: str, kept: list[str]) -> None:
    assert held(message) == kept


def test_who_settles_on_a_price_lives_where_they_did() -> None:
    (draft,) = LocalExtractor().extract([Turn("user", "We settled on 780 from May.", DAY)], [])
    assert (draft.text, draft.slot) == ("The user settled on 780 from May 2027.", "")


@pytest.mark.parametrize(
    "message",
    [
        "最近在追一部日剧，每周四更新",
        "我常去的那家面馆，凌晨两点才打烊",
        "我报了个烘焙班，周六开课",
        "我订了本杂志，每月15号出刊",
        "我关注了一个博主，隔天更新",
    ],
)
def test_what_a_thing_does_is_not_said_of_the_user(message: str) -> None:
    assert len(held(message)) == 1


def test_what_the_user_does_with_it_is() -> None:
    assert "用户每天更新两章。" in held("我在写网络小说，每天更新两章")
