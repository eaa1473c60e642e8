"""Whom Chinese clauses are about that say it by their order, their title or the sentence before."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["护士长姓魏，她让我去参加比赛"], "魏护士长让用户去参加比赛"),
        (["我的狗叫豆包", "鸡肉味的它不吃"], "用户的狗豆包不吃鸡肉味的"),
        (["我家有只橘猫，叫橙子", "减肥粮它不吃"], "橙子不吃减肥粮"),
        (["我弟弟是厨师", "鱼他不吃"], "用户的弟弟不吃鱼"),
        (["早上它不吃"], "早上它不吃"),
        (["羊肉我不吃"], "用户不吃羊肉"),
        (["我妹妹在上海上班，男朋友是她同学"], "用户的妹妹的男朋友是她同学"),
        (["我男朋友是医生", "我妹妹在上海上班，男朋友常出差"], "用户的男朋友常出差"),
        (["妈妈来看我，男朋友很高兴"], "，男朋友很高兴"),
        (["班主任姓蒋，她建议我们多读书"], "班主任建议"),
        (["我喜欢辣的"], "用户喜欢辣的"),
        (["八月底参加了健美比赛", "本来订的十月五号，票没了，改成十月八号了"], "八月底（"),
        (["排练在周三", "排练改到周四了"], "排练在周四"),
    ],
)
def test_a_clause_is_about_whom_it_speaks_of(messages: list[str], expected: str) -> None:
    assert expected in "\n".join(texts(*messages))
