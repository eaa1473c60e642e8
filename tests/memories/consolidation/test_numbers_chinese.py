"""Chinese statements with several numbers: a new one takes the place of the one that it is of, and no other is lost."""

from __future__ import annotations

import pytest

from memories.text.clauses.corrections import correct_text
from memories.values import Draft, MemoryKind


def _state(text: str) -> Draft:
    return Draft(MemoryKind.FACT, text, "", (0,), 0.9, language="zh")


@pytest.mark.parametrize(
    ("old", "new", "corrected"),
    [
        (
            "用户一天跑十二个小时，流水五百多。",
            "用户的腰不行了，改成一天跑八小时，流水掉到三百五。",
            "用户一天跑八个小时，流水三百五。",
        ),
        (
            "用户的体重七十五公斤，体脂二十二。",
            "用户的体重降到七十一公斤了，体脂十九。",
            "用户的体重七十一公斤，体脂十九。",
        ),
        ("用户每月房贷六千二，车贷两千三。", "用户的房贷降到五千八了。", "用户每月房贷五千八，车贷两千三。"),
        ("会员价三百九十九，月卡三百。", "会员价涨到四百五十九了。", "会员价四百五十九，月卡三百。"),
        ("用户的血压一百五，心率八十八。", "用户的血压降到一百三了。", "用户的血压一百三，心率八十八。"),
        ("语文九十二分，数学八十分。", "数学这次考到九十一分了。", "语文九十二分，数学九十一分。"),
        ("门票八十，停车十五。", "门票涨到一百二了。", "门票一百二，停车十五。"),
        (
            "用户的身高一米七五，体重八十公斤。",
            "用户的体重减到七十二公斤了。",
            "用户的身高一米七五，体重七十二公斤。",
        ),
    ],
)
def test_a_new_number_takes_the_place_of_its_own(old: str, new: str, corrected: str) -> None:
    assert correct_text(old, _state(new)) == corrected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("设计软件的采购上限为1000元，适用于平面设计。", "办公软件的采购上限是600元。"),
        ("一班的平均分是八十二，二班的平均分是七十九。", "三班的平均分是九十一。"),
        ("妈妈的血压一百五，心率八十八。", "用户的血压降到一百三了。"),
        ("东门的门票八十，西门的门票六十。", "南门的门票涨到九十了。"),
        ("老店的租金一万二，押金三万。", "新店的租金一万五。"),
        ("A座的层高三米二，电梯十六部。", "B座的层高三米六。"),
    ],
)
def test_a_number_of_something_else_with_the_same_last_word_stays(old: str, new: str) -> None:
    assert correct_text(old, _state(new)) == ""


def test_a_number_in_another_unit_is_not_put_before_the_old_one() -> None:
    corrected = correct_text("用户的体重七十五公斤，体脂二十二。", _state("用户的体重一百四十斤，体脂十九。"))

    assert "一百四十公斤" not in corrected


def test_a_number_of_what_is_gone_does_not_stay_beside_the_new_one() -> None:
    new = _state("用户的工资涨到一万五了，年终奖没了。")

    assert "年终奖两万四" not in correct_text("用户的工资一万二，年终奖两万四。", new)
