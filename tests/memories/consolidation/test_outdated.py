"""Which memories a later statement ends, and which it leaves alone."""

from __future__ import annotations

import pytest

from memories.consolidation.outdated import is_outdated
from memories.consolidation.outdated_chinese import is_outdated_in_chinese, remaining_text


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "The user gave up the van at the end of August 2025.",
            "The user sells cheese from a van on Fridays.",
        ),
        ("The user sold the tandem.", "The user has a tandem."),
        ("The user quit chess.", "The user plays chess at the Rook club on Tuesdays."),
        ("The user has moved up to first alto.", "The user is in the second altos."),
        ("The user has moved to the night shift.", "The user works the day shift at a bakery."),
        ("Theo has got over the eczema.", "The user's son Theo has eczema."),
        ("The user has not been on the train since.", "The user takes the train to Leeds every morning."),
        ("The doctor took the user off metformin.", "The user takes metformin twice a day."),
    ],
)
def test_a_later_statement_ends_the_memory_that_it_means(new: str, old: str) -> None:
    assert is_outdated(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user sold a painting.", "The user has a painting by Klee in the hall."),
        ("The user gave up coffee.", "The user likes coffee ice cream."),
        ("The user sold the old car.", "The user drives a new car to work."),
        ("The user switched to a new bank.", "The user works near a bank in Leeds."),
        ("The user switched to oat milk.", "The user drinks oat milk every morning."),
        ("The user moved to the second floor.", "The user has a workshop on the ground floor."),
        ("The user quit the job.", "The user's sister has a job at the zoo."),
        ("The user's daughter has outgrown her asthma.", "The user's son has asthma."),
        ("The user has not run a marathon since 2019.", "The user runs every morning."),
    ],
)
def test_what_is_about_another_thing_stays(new: str, old: str) -> None:
    assert not is_outdated(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("桂芬也不卖冻梨了，盘了个小饺子馆。", "用户的媳妇叫桂芬，在菜市场卖冻梨。"),
        ("用户从溜冰场辞了，现在管设备。", "用户在溜冰场当浇冰师傅。"),
        ("法语用户退了，没时间。", "用户在学法语，每周两次课。"),
        ("花店转让了。", "用户开了家花店。"),
        ("用户换到晚班了。", "用户上早班。"),
        ("用户的儿子上高一了。", "用户的儿子上初二。"),
        ("身段课改到周六上午了。", "用户教身段课，每周四下午。"),
        ("高铁一次没坐过了。", "用户每天坐高铁去嘉兴上班。"),
        ("用户换导师了，现在跟着余老师。", "用户的导师是卓老师。"),
        ("用户的公司搬到亦庄了。", "用户的公司在望京。"),
        ("荨麻疹好了。", "用户有荨麻疹。"),
        ("用户现在一个月休六天。", "用户一个月休四天。"),
        ("用户的房租涨到五千五了。", "用户的房租五千二。"),
        ("教师资格证拿到了。", "用户在准备教师资格证。"),
    ],
)
def test_a_later_statement_in_chinese_ends_the_memory_that_it_means(new: str, old: str) -> None:
    assert is_outdated_in_chinese(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户的儿子不弹钢琴了。", "用户的女儿在弹钢琴。"),
        ("用户不学德语了。", "用户在学法语。"),
        ("用户今天不跑步了。", "用户每天早上跑步。"),
        ("用户不打羽毛球了，手腕伤了。", "用户喜欢打羽毛球。"),
        ("超市的酸奶卖了。", "用户在超市上班。"),
        ("用户的侄女上高一了。", "用户的儿子上初二。"),
        ("用户从洛阳走高速回来的。", "用户的老家在洛阳。"),
        ("八里庄的菜市场关了。", "用户住在八里庄。"),
        ("用户的感冒好了。", "用户的爸爸有糖尿病。"),
        ("用户现在有两只猫。", "用户有三只狗。"),
        ("用户一天跑十公里。", "用户一天跑五公里。"),
    ],
)
def test_what_is_about_another_thing_stays_in_chinese(new: str, old: str) -> None:
    assert not is_outdated_in_chinese(new, old)


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "桂芬也不卖冻梨了，盘了个小饺子馆。",
            "用户的媳妇儿叫桂芬，在菜市场卖冻梨。",
            "用户的媳妇儿叫桂芬。",
        ),
        ("高铁一次没坐过了。", "用户每天坐高铁去嘉兴上班，永远买靠窗的座。", "用户永远买靠窗的座。"),
        ("用户转到河北队了。", "用户打轮椅篮球，在天津队，穿七号。", "用户打轮椅篮球，穿七号。"),
        ("花店转让了。", "用户开了家花店。", ""),
    ],
)
def test_what_a_memory_says_besides_goes_on(new: str, old: str, rest: str) -> None:
    assert is_outdated_in_chinese(new, old)
    assert remaining_text(new, old) == rest
