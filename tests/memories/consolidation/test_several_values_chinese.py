"""Chinese statements with values of several things: a new one changes that of its own thing, and no other is lost."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.text.clauses.corrections import correct_text
from memories.values import Draft, MemoryKind, Turn
from tests.support.api_client import Api


def correct(old: str, new: str) -> str:
    return correct_text(old, Draft(MemoryKind.FACT, new, "", (0,), 0.9, language="zh"))


@pytest.mark.parametrize(
    ("old", "new", "corrected"),
    [
        (
            "超市周末营业到24点，平时到22点。",
            "超市周末现在营业到23点。",
            "超市周末营业到23点，平时到22点。",
        ),
        ("会议室A能坐6人，会议室B能坐8人。", "会议室B现在能坐10人。", "会议室A能坐6人，会议室B能坐10人。"),
        (
            "测试环境的端口是8080，生产环境的端口是443。",
            "测试环境的端口改成9091了。",
            "测试环境的端口是9091，生产环境的端口是443。",
        ),
        (
            "用户的妈妈空腹血糖7.2，餐后11。",
            "用户的妈妈空腹血糖降到6.1了。",
            "用户的妈妈空腹血糖6.1，餐后11。",
        ),
        (
            "早班六点到两点，晚班两点到十点。",
            "晚班改成三点到十一点了。",
            "早班六点到两点，晚班三点到十一点。",
        ),
        ("半马1小时50分，全马4小时10分。", "全马3小时58分。", "半马1小时50分，全马3小时58分。"),
        (
            "成人票80元，儿童票40元，老人票20元。",
            "儿童票涨到50元了。",
            "成人票80元，儿童票50元，老人票20元。",
        ),
        (
            "甲方付款期限为30天，乙方交货期限为15天。",
            "乙方交货期限为20天。",
            "甲方付款期限为30天，乙方交货期限为20天。",
        ),
        (
            "用户每周二、四、六透析，每次四个小时。",
            "用户的透析改到每周一、三、五了。",
            "用户每周一、三、五透析，每次四个小时。",
        ),
        ("用户周二和周四上瑜伽课，在万象城。", "用户的瑜伽课改到周三了。", "用户周三上瑜伽课，在万象城。"),
    ],
)
def test_the_value_of_its_own_thing_is_changed(old: str, new: str, corrected: str) -> None:
    assert correct(old, new) == corrected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("用户养了30只鸡和12只鸭。", "用户养了20只鹅。"),
        ("用户带了两个徒弟，三个实习生。", "用户带了四个研究生。"),
        ("用户的母亲每天吃两片降压药，一片阿司匹林。", "用户的母亲每天吃三片钙片。"),
        ("用户第一胎孩子6斤8两，第二胎孩子7斤。", "用户的第二胎孩子7斤2两。"),
        ("用户的儿子身高一米二，女儿身高一米零五。", "用户的女儿身高一米一了。"),
        ("一楼的租金是8000元，二楼的租金是6000元。", "四楼的租金是4500元。"),
        ("深蹲100公斤，卧推80公斤。", "又买了20公斤的杠铃片。"),
    ],
)
def test_what_is_not_certain_changes_nothing(old: str, new: str) -> None:
    assert correct(old, new) == ""


def test_what_is_repeated_hundreds_of_times_is_read_at_once() -> None:
    """Backtracking would take longer than any test waits."""
    assert correct("到" * 390 + "甲5人，乙6人。", "改到" * 190 + "甲7人。") == ""


def test_a_later_talk_loses_no_value_that_it_does_not_name(api: Api) -> None:
    cases = (
        ("超市周末营业到24点，平时到22点。", "超市周末现在营业到23点。", "平时到22点"),
        ("会议室A能坐6人，会议室B能坐8人。", "会议室B现在能坐10人。", "会议室A能坐6人"),
        ("测试环境的端口是8080，生产环境的端口是443。", "测试环境的端口改成9091了。", "生产环境的端口是443"),
        ("我妈空腹血糖7.2，餐后11。", "我妈空腹血糖降到6.1了。", "餐后11"),
    )
    api.add("林", *(earlier for earlier, _, _ in cases), conversation_id="spring")
    api.add("林", *(later for _, later, _ in cases), conversation_id="summer")

    held = " ".join(memory["memory_value"] for memory in api.listed("林")["memory_detail_list"])
    assert [kept for *_, kept in cases if kept not in held] == [], held


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ("合唱团周一、三、五练。", "合唱团周一、三、五练。"),
        ("合唱团周一三五练。", "合唱团周一三五练。"),
        ("我周二、四透析。", "用户周二、四透析。"),
        ("我周六日都有空。", "用户周六日都有空。"),
        ("周五六点开会。", "用户周五（2026年3月6日）六点开会。"),
        ("我周一三点开会。", "用户周一（2026年3月2日）三点开会。"),
    ],
)
def test_days_that_are_listed_are_of_every_week_and_hours_are_no_days(message: str, held: str) -> None:
    (draft,) = LocalExtractor().extract([Turn("user", message, datetime(2026, 3, 2, 10, tzinfo=UTC))], [])

    assert draft.text == held
