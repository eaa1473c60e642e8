"""What the reader of Chinese makes of sentences in the order in which people say them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memories.engine.local.chinese import ChineseReader
from memories.values import Turn

SAID_AT = datetime(2026, 2, 10, 20, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def texts(*messages: str) -> list[str]:
    """The propositions of the last turn of a talk."""
    turns = [Turn("user", text, SAID_AT) for text in messages]
    reader = ChineseReader()
    return [
        proposition.text
        for proposition in [reader.read(turn, at, turns) for at, turn in enumerate(turns)][-1]
    ]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("贼喜欢吃烧烤我，尤其是烤腰子", ["用户贼喜欢吃烧烤，尤其是烤腰子。"]),
        ("特别怕冷我", ["用户特别怕冷。"]),
        ("说实话后悔了有点", ["用户有点后悔了。"]),
        ("我女儿睡了已经", ["用户的女儿已经睡了。"]),
        ("今年高考，我儿子，理科", ["用户的儿子今年（2026年）高考，理科。"]),
        ("下周一做手术，我妈", ["用户的妈妈下周一（2026年2月16日）做手术。"]),
        ("明天，我妈，做手术", ["明天（2026年2月11日）用户的妈妈做手术。"]),
        # Said in the order in which it is meant.
        ("最讨厌别人催我", ["用户最讨厌别人催用户。"]),
        ("没人喜欢我", ["没人喜欢用户。"]),
        ("最爱的人是我", ["最爱的人是用户。"]),
        ("饭吃了已经", ["饭吃了已经。"]),
        ("喜欢吃辣，我老公不行", ["用户喜欢吃辣。"]),
        ("红烧肉，我妈", ["红烧肉，用户的妈妈。"]),
        ("我有个妹妹，在深圳", ["用户有个妹妹，在深圳。"]),
    ],
)
def test_what_is_said_last_is_put_where_it_belongs(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我家猫寄养在朋友那儿", "吃的是处方粮"), ["用户的猫吃的是处方粮。"]),
        (
            ("我有两只猫，一只橘猫一只英短", "吃的是处方粮"),
            ["用户在2026年2月10日说：“吃的是处方粮”"],
        ),
        (("我家猫吐了", "吃的是处方药"), ["用户吃的是处方药。"]),
        (("站长换人了，现在是小马",), ["站长现在是小马。"]),
        (("我换了手机，现在是小米",), ["用户的手机现在是小米。"]),
        (("我换工作了，现在是会计",), ["用户换工作了。", "用户现在是会计。"]),
        (("打小就左撇子", "我弟也是"), []),
        (("我要是有钱早就不干这个了，卖保险的，干了九年",), ["用户卖保险的，干了九年。"]),
        (("我早就不抽烟了",), ["用户早就不抽烟了。"]),
    ],
)
def test_a_clause_is_of_whom_the_talk_is_about(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("现在吃非布司他", ["用户现在吃非布司他。"]),
        ("公司他不去了", ["用户在2026年2月10日说：“我的公司他不去了”"]),
        ("我师兄去华为了", ["用户的师兄去华为了。"]),
        ("我们站长是老刘", ["用户的站长是老刘。"]),
        ("国庆领证了", ["用户国庆（2025年10月）领证了。"]),
        ("选了自主择业", ["用户选了自主择业。"]),
        ("以前倒票的，现在不干了", ["用户以前倒票的，现在不干了。"]),
        ("隔壁的，老吵", ["隔壁的，老吵。"]),
        (
            "我现在在一家做预制菜的公司然后负责采购嘛然后天天跑市场",
            ["用户现在在一家做预制菜的公司，然后负责采购，然后天天跑市场。"],
        ),
        ("我们家那个小孩就是他有点那个感统失调", ["用户家那个小孩有点感统失调。"]),
    ],
)
def test_words_of_speech_are_read_as_they_are_meant(message: str, expected: list[str]) -> None:
    assert texts(message) == expected
