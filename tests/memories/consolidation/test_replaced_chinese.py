"""What a later talk in Chinese puts another in the place of, and what sounds like that and leaves the former alone."""

from __future__ import annotations

from time import process_time

import pytest

from memories.consolidation.ends.called_off_chinese import read_calling_off
from memories.consolidation.ends.ended_by_words_chinese import find_remaining_text, is_outdated_in_chinese
from memories.text.clauses.changing.readings import find_new_readings
from memories.text.clauses.clausewise import find_new_values


@pytest.mark.parametrize(
    ("new", "old"),
    [
        # Moved, and said where to or how they live now.
        ("用户昨天（2026年4月30日）搬完了，萧山这边三居室才四千八。", "用户住在杭州滨江。"),
        ("用户昨天（2026年4月30日）搬完了，萧山这边三居室才四千八。", "用户租的两居室，一个月五千六。"),
        ("用户上个月（2026年4月）搬完了，宝山那边安静。", "用户住上海静安。"),
        ("用户等人搬过来了，番禺这边空气好。", "用户和老公住在广州天河。"),
        # Given up, and taken up again.
        ("最近主食又开始吃了。", "用户晚上不吃主食。"),
        ("过年（2026年2月）又抽上了。", "用户开始戒烟。"),
        ("春节（2026年2月）又喝上了。", "用户戒酒三个月。"),
        ("用户考完试以后又玩起游戏来了。", "用户最近不玩游戏了。"),
        ("用户没忍住，又开始吃糖了。", "用户戒糖。"),
        ("过完年又喝上酒了。", "用户不喝酒。"),
        # Somebody else has the role, or who had it has left.
        ("韩冰调去深圳了，新组长是从产品那边来的，叫邢露。", "用户的组长叫韩冰。"),
        ("李老师上个月（2026年4月）调走了。", "用户的儿子的班主任是李老师。"),
        ("用户的房子卖了，新房东姓孙。", "用户的房东姓钱。"),
        ("老马辞职了，用户现在归副总管。", "用户的部门经理是老马。"),
        ("邵老师怀孕了，换成了她师妹小顾老师。", "用户的女儿钢琴老师是邵老师。"),
        ("用户的女儿钢琴老师换成了邵老师的师妹小顾老师。", "用户的女儿钢琴老师是邵老师。"),
        # Another object of the same trade.
        ("用户改跑饿了么了。", "用户跑外卖的，美团，一天能跑四十单。"),
        ("用户改送京东了。", "用户送快递的，顺丰。"),
        ("用户最近改跑十公里了。", "用户每天跑五公里。"),
    ],
)
def test_another_takes_its_place(new: str, old: str) -> None:
    assert is_outdated_in_chinese(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户的姐姐昨天（2026年4月30日）搬完家了，萧山那边三居室才四千八。", "用户住在杭州滨江。"),
        ("用户的公司搬完了，萧山这边地铁方便。", "用户租的两居室，一个月五千六。"),
        ("用户昨天（2026年4月30日）搬完了，萧山这边三居室才四千八。", "用户住在杭州萧山。"),
        ("用户昨天（2026年4月30日）搬完了，萧山这边三居室才四千八。", "用户租的三居室。"),
        ("用户下个月（2026年6月）打算搬走，江宁那边便宜。", "用户住在南京鼓楼。"),
        ("用户昨天（2026年4月30日）搬完了，累瘫。", "用户住在西安曲江。"),
        ("用户昨天（2026年4月30日）搬完了，书房这边还乱着。", "用户家住在三楼。"),
        ("邻居搬走了，楼上那边安静了。", "用户住在北京通州。"),
        ("用户的老公又抽上了。", "用户开始戒烟。"),
        ("用户最近又开始喝咖啡了。", "用户戒酒。"),
        ("用户又开始下雨了。", "用户不吃香菜。"),
        ("用户今天（2026年5月1日）开始又重新戒烟了。", "用户开始戒烟。"),
        ("用户的儿子又开始喝牛奶了。", "用户不喝牛奶。"),
        ("早上又开始吃主食了。", "用户晚上不吃主食。"),
        ("用户来了个新同事叫小李。", "用户的同事叫小王。"),
        ("张伟离职了。", "用户的老公叫张伟。"),
        ("用户的儿子的新班主任姓张。", "用户的女儿的班主任是王老师。"),
        ("韩冰调去深圳支援两个月。", "用户的组长叫韩冰。"),
        ("听说韩冰要调走。", "用户的组长叫韩冰。"),
        ("阿杰摔了，换成了轻器械。", "用户健身教练叫阿杰。"),
        ("用户新瑜伽老师叫林可。", "用户的钢琴老师叫周婷。"),
        ("用户改跑外卖了。", "用户每天早上跑五公里。"),
        ("用户改送快递了。", "用户每天送女儿上学。"),
        ("用户的表弟改跑滴滴了。", "用户跑外卖的，美团。"),
    ],
)
def test_what_is_of_another_person_or_thing_takes_no_place(new: str, old: str) -> None:
    assert not is_outdated_in_chinese(new, old)


def test_where_somebody_lives_outlasts_what_they_did_for_a_living() -> None:
    old = "用户跑外卖的，美团，一天能跑四十单，住在五道口的城中村。"

    assert find_remaining_text("用户改跑饿了么了。", old) == "用户住在五道口的城中村。"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("小宝最后没转成，还在实验二小。", "小宝九月（2026年9月）要从实验二小转到育才外国语。"),
        ("最后没辞成。", "用户打算年底（2026年底）辞职。"),
        ("用户的女儿围棋班没报成，人满了。", "用户的女儿打算报围棋班。"),
        ("云南没去成，机票太贵。", "用户等人五月（2026年5月）打算去云南。"),
        ("用户的爸爸的手术最后没做。", "用户的爸爸要做心脏搭桥手术。"),
        ("字节最后没去成。", "用户打算换工作去字节。"),
    ],
)
def test_a_plan_that_came_to_nothing_is_called_off(new: str, old: str) -> None:
    called = read_calling_off(new)

    assert called is not None
    assert called.is_of(old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户的老婆最后没辞成。", "用户打算年底（2026年底）辞职。"),
        ("用户注会没考成。", "用户准备考驾照。"),
        ("小宇最后没转成。", "小宝九月（2026年9月）要转到育才外国语。"),
        ("昨天（2026年4月30日）公园没去成，下雨了。", "用户等人五月（2026年5月）打算去云南。"),
        ("最后没去。", "用户要去体检。"),
    ],
)
def test_a_plan_of_another_person_or_place_is_not(new: str, old: str) -> None:
    called = read_calling_off(new)

    assert called is None or not called.is_of(old)


@pytest.mark.parametrize(
    ("new", "old", "values"),
    [
        ("用户现在叫赵知微，户口本都换好了。", "用户叫赵雨桐。", (("赵雨桐", "赵知微"),)),
        ("用户改名叫李安然了，身份证刚拿到。", "用户叫李娜。", (("李娜", "李安然"),)),
        ("用户的女儿现在叫王清和，算命的说好。", "用户的女儿叫王子涵。", (("王子涵", "王清和"),)),
        ("复查尿酸降到410了。", "体检查出来尿酸520。", (("520", "410"),)),
        ("上周（2026年4月20日那一周）复查血糖6.1。", "用户的血糖测出来7.8。", (("7.8", "6.1"),)),
        (
            "用户今天（2026年5月1日）称了，76.5公斤。",
            "用户开始减肥，现在82公斤，目标70。",
            (("82公斤", "76.5公斤"),),
        ),
        ("用户到71了。", "用户开始减肥，现在82公斤，目标70。", (("82公斤", "71公斤"),)),
        ("用户到35万了。", "用户在攒首付，现在20万，目标60万。", (("20万", "35万"),)),
        ("最近用户的体重涨到72公斤了。", "用户的体重68公斤，身高175。", (("68公斤", "72公斤"),)),
        (
            "婚礼改成草坪的了，在松江，桌数减到十五桌，日子没变。",
            "用户和小陆定在十月二号（2026年10月2日）办婚礼，在外滩的一家酒店，二十桌。",
            (("二十桌", "十五桌"), ("外滩的一家酒店", "松江")),
        ),
        (
            "聚会换地方了，在外婆家。",
            "同学聚会定在周六（2026年3月7日）晚上，在海底捞，八个人。",
            (("海底捞", "外婆家"),),
        ),
        ("用户团建改到千岛湖了。", "用户的公司团建定在莫干山，三十人。", (("莫干山", "千岛湖"),)),
    ],
)
def test_a_later_reading_or_name_or_place_takes_its_place(
    new: str, old: str, values: tuple[tuple[str, str], ...]
) -> None:
    assert find_new_values(new, old) == values


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("同事现在叫王知微。", "用户叫赵雨桐。"),
        ("用户的姐姐改名叫赵雨晴了。", "用户叫赵雨桐。"),
        ("用户打算改名，叫赵知微。", "用户叫赵雨桐。"),
        ("用户现在叫外卖都要看评分。", "用户叫赵雨桐。"),
        ("用户的女儿现在叫妈妈了。", "用户的女儿叫朵朵。"),
        ("用户的妈妈复查尿酸降到410了。", "体检查出来尿酸520。"),
        ("用户的妈妈复查，尿酸410。", "体检查出来尿酸520。"),
        ("复查血糖降到6了。", "体检查出来尿酸520。"),
        ("用户到5点了。", "用户开始减肥，现在82公斤，目标70。"),
        ("用户今天（2026年5月1日）称了两斤排骨。", "用户开始减肥，现在82公斤，目标70。"),
        ("行李称了，23公斤。", "用户开始减肥，现在82公斤，目标70。"),
        ("用户希望瘦到65公斤。", "用户开始减肥，现在82公斤，目标70。"),
        ("用户到三千了。", "用户在2026年3月2日说：“我在背单词，现在2000个，目标5000”"),
        ("用户的表姐的婚礼改成草坪的了，在松江。", "用户十月二号办婚礼，在外滩的一家酒店，二十桌。"),
        ("蜜月改成去北海道了。", "用户十月二号办婚礼，在外滩的一家酒店，二十桌。"),
        ("用户读书会改到周六了。", "用户读书会每周日下午，在星光书店。"),
        ("用户的妹妹公司年会改到香格里拉了。", "用户的公司年会在希尔顿。"),
    ],
)
def test_what_is_measured_of_another_person_or_thing_gives_no_value(new: str, old: str) -> None:
    assert not find_new_values(new, old)
    assert not find_new_readings(new, old)


@pytest.mark.parametrize("piece", ["最近以后", "以后已经", "就现在", "又开始"])
def test_what_is_repeated_is_read_at_once(piece: str) -> None:
    began = process_time()

    is_outdated_in_chinese(f"用户{piece * 110}改吃面。", "用户戒酒，搬到杭州，吃药。")

    assert process_time() - began < 2
