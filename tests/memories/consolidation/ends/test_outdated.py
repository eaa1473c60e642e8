"""Which memories a later statement ends, and which it leaves alone."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.chinese.ended_by_words import find_remaining_text, is_outdated_in_chinese
from memories.consolidation.ends.ended_by_words import is_outdated
from memories.consolidation.ends.other_states import ends_memory


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
    assert find_remaining_text(new, old) == rest


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user supplies a hotel in Ayr in place of Aldi.", "Aldi pays the user 12 pence an egg."),
        ("The user swapped the old van for a cargo bike.", "The user delivers bread with an old van."),
        ("The user has packed in breeding pigeons.", "The user breeds pigeons for shows."),
        ("The user has changed dentists, finally.", "The user's dentist is near the station."),
        (
            'The user said on 4 May 2025: "They took me off warfarin last week"',
            "The user takes warfarin at night.",
        ),
        ("The user had to give up the paper round.", "The user has done the paper round for years."),
        ("The user bought a cottage in Largs.", "The user rents a flat in Ayr, with two others."),
        ("The user got the manager's post on Friday.", "The user works as a cashier, mostly on Sundays."),
        ("The user moves to Kiel in May 2025.", "The user lives in Graz, near the river."),
    ],
)
def test_what_takes_the_place_of_a_thing_ends_it(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


def test_a_home_of_long_ago_ends_no_home_of_today() -> None:
    new, old = "The user moved to Kiel in May 2005.", "The user lives in Graz, near the river."

    assert not ends_memory(new, old, "en", is_later=False)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user has packed in breeding pigeons.", "The user's brother breeds pigeons."),
        ("The user walks instead of driving.", "The user's mother is driving a taxi."),
        ("The user bought a flat in Leith to rent out.", "The user lives in a house in Ayr, by the sea."),
        ("The user also works at a bar now.", "The user is a nurse at Ninewells, mostly on nights."),
        ("The user has changed trains in Crewe.", "The user likes trains."),
        ("The user visited Kiel.", "The user lives in Graz, near the river."),
    ],
)
def test_what_only_sounds_like_a_change_ends_nothing(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户从铜管组改吹木管了，改学单簧管。", "用户在乐团学小号。"),
        ("现在队长是小顾。", "队长是老孟，教练姓岳。"),
        ("店名换了，现在叫晴天花坊。", "用户开花店，店名叫雨后花房。"),
        ("用户腰伤了，乒乓球打不了了。", "用户每周三打乒乓球。"),
        ("吉他用户没再弹了。", "用户晚上弹吉他。"),
        ("用户跟小岑分手了。", "用户的女朋友小岑在银行上班。"),
        ("仓库现在由老姜管。", "用户的表弟管仓库。"),
        ("下月一号起用户去税务所上班，离家近。", "用户在镇中学当老师，教初三，常加班。"),
        ("用户在城北租了个单间，六百一个月。", "用户住公司宿舍。"),
    ],
)
def test_a_change_in_chinese_ends_what_it_takes_the_place_of(new: str, old: str) -> None:
    assert ends_memory(new, old, "zh")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户改打车上班。", "用户每周三打乒乓球。"),
        ("用户改吃素了。", "用户每天吃降压药。"),
        ("现在队长是老孟，管得严。", "队长是老孟。"),
        ("仓库现在由老姜管。", "用户的表弟管食堂。"),
        ("用户跟小岑吃饭了。", "用户的女朋友小岑在银行上班。"),
        ("用户也去税务所兼职。", "用户在镇中学当老师，教初三，常加班。"),
    ],
)
def test_what_only_sounds_like_a_change_in_chinese_ends_nothing(new: str, old: str) -> None:
    assert not ends_memory(new, old, "zh")
