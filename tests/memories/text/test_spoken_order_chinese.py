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


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我健身教练，带六个学员", ["用户是健身教练。", "用户带六个学员。"]),
        ("我前端程序员", ["用户是前端程序员。"]),
        ("我O型血", ["用户是O型血。"]),
        ("我河南人", ["用户是河南人。"]),
        # Theirs, or what the user does.
        ("我高中老师，教数学的", ["用户高中老师，教数学的。"]),
        ("我健身教练，姓王", ["用户健身教练，姓王。"]),
        ("我教研究生", ["用户教研究生。"]),
        ("我讨厌销售", ["用户讨厌销售。"]),
        ("我找律师，赢了", ["用户找律师，赢了。"]),
    ],
)
def test_what_users_are_needs_no_verb(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "last"),
    [
        ("我姐夫说黄金还能涨，我没信。存款有十五万", "用户的存款有十五万。"),
        ("我老婆不爱动，我每天跑步。膝盖有点疼", "用户的膝盖有点疼。"),
        ("我同事辞职了，我还在。工资涨了五百", "用户的工资涨了五百。"),
        ("我妈让我考公，我没听。现在在一家初创公司做设计", "用户现在在一家初创公司做设计。"),
        # The talk stays with whom the user tends, or only does not do what they do.
        ("我妈住院了，我在陪床。下周出院", "用户的妈妈下周（2026年2月16日那一周）出院。"),
        ("我女儿发烧了，我请假了。体温39度", "用户的女儿体温39度。"),
        ("我妹养猫，我没养。叫豆豆", "用户的妹妹叫豆豆。"),
        ("我儿子发烧，我带他去医院。打了针，好多了", "用户的儿子打了针，好多了。"),
        ("我带我妈去海南玩。住了一周", "用户住了一周。"),
        ("我儿子学琴。他不爱练，每次都要我陪", "用户的儿子每次都要用户陪。"),
    ],
)
def test_talk_goes_on_about_whom_it_was_about_last(message: str, last: str) -> None:
    assert texts(message)[-1] == last


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("店在负一楼，租金一个月一万一", ["店在负一楼，租金一个月一万一。"]),
        ("买家是隔壁学校的，面交", ["买家是隔壁学校的，面交。"]),
        ("教龄十一年了", ["教龄十一年了。"]),
        ("租房三年了", ["用户租房三年了。"]),
        ("读书到半夜", ["用户读书到半夜。"]),
        ("万一下雨就不去了", ["万一下雨就不去了。"]),
        ("学生给我写了一黑板的话", ["学生给用户写了一黑板的话。"]),
    ],
)
def test_nouns_and_numbers_are_not_taken_for_what_they_begin_or_end_like(
    message: str, expected: list[str]
) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我没结婚啦",), ["用户没结婚。"]),
        (("我家楼下就是地铁啦",), ["用户家楼下就是地铁。"]),
        (("我儿子三岁啦",), ["用户的儿子三岁了。"]),
        (("我上班很远耶",), ["用户上班很远。"]),
        (("可不是嘛，我婆婆明年退休",), ["用户的婆婆明年（2027年）退休。"]),
        (("现实是我房贷还有二十三年",), ["用户的房贷还有二十三年。"]),
        (("我说八千，其实一万二",), ["用户说八千，其实一万二。"]),
        (("哈哈哈哈笑死我了",), []),
        (("我婆婆说你可真能花钱",), ["用户的婆婆说用户可真能花钱。"]),
        (("我说你可真潇洒",), ["用户说对方可真潇洒。"]),
        (("我说你推荐的那家店不错",), ["用户说助手推荐的那家店不错。"]),
        (("我大姑姐开理发店。", "她不吃辣。"), ["用户的大姑姐不吃辣。"]),
        (("俺娘今年七十了。", "她耳背。"), ["用户的娘耳背。"]),
        (("我娘家在徐州",), ["用户娘家在徐州。"]),
        (("我那个大学室友，叫许蔓的，去了深圳。", "她不急着找工作。"), ["用户的大学室友许蔓不急着找工作。"]),
        (("我领导叫Kevin。", "他base SG。"), ["Kevin base SG。"]),
        (("我们team刚上线了新版",), ["用户的team刚上线了新版。"]),
        (("我们ship了v3",), ["用户等人ship了v3。"]),
        (("我做了五年后端",), ["用户做了五年后端。"]),
    ],
)
def test_tones_kin_and_names_are_written_as_they_are_meant(
    messages: tuple[str, ...], expected: list[str]
) -> None:
    assert texts(*messages) == expected


def test_what_is_said_in_a_role_is_not_the_users() -> None:
    in_role = ("我们玩个角色扮演吧，你是皇帝，我是丞相。", "臣的封地今年大旱，臣愿捐出白银万两。")

    assert texts(in_role[0]) == []
    assert texts(*in_role) == []
    assert texts(*in_role, "好了不玩了，说正经的，我住在苏州。") == ["用户住在苏州。"]


@pytest.mark.parametrize(
    "message",
    ["我喜欢玩角色扮演游戏", "我跟我女儿玩角色扮演，她演公主", "你当面试官，我当应聘者。我在美团上班"]
    + ["我们部门年会演小品，我演一个保安", "我小时候常玩过家家，我当妈妈"],
)
def test_talk_of_play_is_no_play(message: str) -> None:
    assert texts(message)


@pytest.mark.parametrize(
    ("messages", "last"),
    [
        (
            ("我师傅老梁修表。", "他徒弟除了我还有一个，叫阿彪。", "他女儿嫁到了贵阳。"),
            "用户的师傅老梁的女儿嫁到了贵阳。",
        ),
        (("我姐生了。", "她儿子六斤。她老公请了陪产假。"), "用户的姐姐的老公请了陪产假。"),
        (("我同事小马结婚了。", "他老婆是护士。她妈妈是老师。"), "用户的同事小马的老婆的妈妈是老师。"),
    ],
)
def test_relatives_named_by_one_pronoun_are_of_one_person(messages: tuple[str, ...], last: str) -> None:
    assert texts(*messages)[-1] == last
