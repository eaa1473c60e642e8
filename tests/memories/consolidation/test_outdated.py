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
        ("用户不养蜂了，蜂箱都给了堂弟。", "用户在山上养蜂，一共四十箱。"),
        ("小提琴用户不拉了。", "用户拉小提琴，拉了八年。"),
        ("用户退出合唱团了，嗓子不行。", "用户在社区合唱团唱男低音。"),
        ("用户把租的仓库退了。", "用户在城西租了个仓库放货。"),
        ("用户现在不开公交了。", "用户是公交司机。"),
        ("用户的老婆从幼儿园辞职了。", "用户的老婆在幼儿园当老师。"),
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
        ("用户从洛阳走高速回来的。", "用户的老家在洛阳。"),
        ("用户从学校退了一本书。", "用户在学校当老师。"),
        ("用户把教练辞了。", "用户是少年队的教练。"),
        ("用户戒了奶茶。", "用户在奶茶店上班。"),
        ("用户卖了两头牛。", "用户家养了十二头牛。"),
        ("用户的同事调到财务部了。", "用户在销售部上班。"),
        ("用户取消了周五的训练。", "用户是少年队的教练，每周五训练。"),
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
        ("用户转到河北队了。", "用户打轮椅篮球，在天津队，穿七号。", "用户打轮椅篮球。"),
        ("用户把面馆盘出去了。", "用户开了家面馆，卖牛肉面。", ""),
        ("花店转让了。", "用户开了家花店。", ""),
    ],
)
def test_what_a_memory_says_besides_goes_on(new: str, old: str, rest: str) -> None:
    assert is_outdated_in_chinese(new, old)
    assert remaining_text(new, old) == rest
