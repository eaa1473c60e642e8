"""What the reader of Chinese makes of sentences that people say, class by class."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memories.engine.local.chinese import ChineseReader
from memories.engine.local.extractor import LocalExtractor
from memories.engine.local.propositions import Mood, Proposition
from memories.values import Turn

SAID_AT = datetime(2026, 2, 10, 20, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def read(*messages: str) -> list[Proposition]:
    """The propositions of the last turn of a talk; a turn that begins with ">" is the assistant's."""
    turns = [
        Turn("assistant" if text.startswith("> ") else "user", text.removeprefix("> "), SAID_AT)
        for text in messages
    ]
    reader = ChineseReader()
    propositions: list[Proposition] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            propositions = reader.read(turn, at, turns)
    return propositions


def texts(*messages: str) -> list[str]:
    return [proposition.text for proposition in read(*messages)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "我叫沈听雨，今年41，在绵阳开了家陶艺工作室，带两个学徒。",
            [
                "用户叫沈听雨。",
                "用户41岁（截至2026年2月10日）。",
                "用户在绵阳开了家陶艺工作室。",
                "用户带两个学徒。",
            ],
        ),
        (
            "我儿子有哮喘，随身带着沙丁胺醇，对尘螨过敏。",
            ["用户的儿子有哮喘，随身带着沙丁胺醇，对尘螨过敏。"],
        ),
        (
            "我怀孕五个月了，有妊娠高血压，医生让我少盐。",
            ["用户怀孕五个月了，有妊娠高血压。", "医生让用户少盐。"],
        ),
        ("我跟李昂分手了，从他那儿搬出来。", ["用户跟李昂分手了，从李昂那儿搬出来。"]),
        ("以前抽烟，一天一包，去年五月戒了。", ["用户以前抽烟，一天一包，去年五月（2025年5月）戒了。"]),
    ],
)
def test_statements_are_told_apart_and_have_a_subject(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我外婆今年九十了。她耳朵不太好，打电话要大声。",), "用户的外婆耳朵不太好，打电话要大声。"),
        (
            ("我同事小郑刚从非洲回来，他染上了疟疾。", "> 希望他早日康复。", "他对青霉素过敏。"),
            "用户的同事小郑对青霉素过敏。",
        ),
        (
            ("我养了只玄凤鹦鹉，叫芒果。它每天早上六点就叫。",),
            "用户的玄凤鹦鹉芒果每天早上六点就叫。",
        ),
        (("我姐和姐夫在温哥华。他们下个月要回国。",), "用户的姐姐和姐夫下个月（2026年3月）要回国。"),
        (("我妈大后天过来，周末带她去看银杏。",), "用户周末带妈妈去看银杏。"),
        (("我闺女晓岚陪我来的，她一看见针就晕。",), "用户的闺女晓岚一看见针就晕。"),
        (
            ("班主任说小宇上课走神。", "> 小宇多大了？", "九岁。他姐姐从来不让人操心。"),
            "小宇的姐姐从来不让人操心。",
        ),
        (("> 您一个人做吗？", "和我老公一起，他负责送货。"), "用户的老公负责送货。"),
    ],
)
def test_pronouns_are_named(messages: tuple[str, ...], expected: str) -> None:
    assert texts(*messages)[-1] == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("您对什么食物过敏吗？", "芒果和腰果。", "用户对芒果和腰果过敏。"),
        ("你一般几点起床？", "六点半", "用户一般六点半起床。"),
        ("你家孩子多大了？", "四岁半，男孩", "用户的孩子四岁半，男孩。"),
        ("您有做过手术吗？", "没有", "用户没做过手术。"),
        ("还要还多久？", "还有十八年。", "用户还要还十八年。"),
        ("N2什么时候考？", "7月5号。", "N2在7月5号（2026年7月5日）考。"),
    ],
)
def test_a_short_answer_takes_its_question_along(question: str, answer: str, expected: str) -> None:
    assert texts(f"> {question}", answer) == [expected]


@pytest.mark.parametrize(
    ("first", "correction", "expected", "taken_back"),
    [
        (
            "我家租约到六月底。",
            "说错了，是七月底到期。",
            "用户家的租约到七月底（2026年7月底）。",
            ("六月底",),
        ),
        ("我每周二上瑜伽课。", "不对，我的瑜伽课是周四，不是周二。", "用户每周四上瑜伽课。", ("周二",)),
        ("我的会议室在三楼。", "说错了，会议室在五楼，不是三楼。", "用户的会议室在五楼。", ("三楼",)),
        ("我每周一去健身房。", "更正一下，我是周三去，不是周一。", "用户每周三去健身房。", ("周一",)),
        ("我最爱吃烤鸭。", "不对，不是烤鸭，是叫花鸡。", "用户最爱吃叫花鸡。", ("烤鸭",)),
        ("考试考判断题。", "说错了，不是判断题，而是是非题。", "用户考试考是非题。", ("判断题",)),
        ("我在北京工作。", "不对，我在上海工作，不是在北京。", "用户在上海工作。", ("北京",)),
        (
            "我订了8月3号去敦煌的火车。",
            "不对不对，不是3号是5号。",
            "用户订了8月5号（2026年8月5日）去敦煌的火车。",
            ("3号",),
        ),
        (
            "我女儿的钢琴课每周四下午五点。",
            "改到周六上午十点了。",
            "用户的女儿的钢琴课每周六上午十点。",
            ("下午五点", "周四"),
        ),
        (
            "我们老师叫杜衡，教大提琴的。",
            "记错了，她教的是中提琴。",
            "用户的老师叫杜衡，教中提琴的。",
            ("大提琴",),
        ),
    ],
)
def test_a_correction_restates_what_was_said(
    first: str, correction: str, expected: str, taken_back: tuple[str, ...]
) -> None:
    (proposition,) = read(first, "> 好的。", correction)

    assert (proposition.text, proposition.corrects) == (expected, taken_back)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("以后推荐餐厅不要推荐连锁店。", ["用户希望助手以后推荐餐厅不要推荐连锁店。"]),
        ("每次给我列计划都先写结论，别超过五条。", ["用户希望助手每次给用户列计划都先写结论，别超过五条。"]),
        (
            "跟我说话别用“您”，直接叫我阿宁就行。",
            ["用户希望助手跟用户说话别用“您”。", "用户希望被称呼为阿宁。"],
        ),
    ],
)
def test_standing_orders_are_preferences(message: str, expected: list[str]) -> None:
    propositions = read(message)

    assert [proposition.text for proposition in propositions] == expected
    assert all(proposition.is_preference for proposition in propositions)


@pytest.mark.parametrize(
    "message",
    [
        "领导又在群里发六十秒语音，我真是太喜欢这种沟通方式了。",
        "真好，电梯又坏了，扛着婴儿车爬十八楼，健身卡都省了。",
    ],
)
def test_irony_is_quoted_and_no_preference(message: str) -> None:
    propositions = [proposition for proposition in read(message) if proposition.mood is Mood.IRONY]

    assert propositions
    assert all(proposition.is_quote and not proposition.is_preference for proposition in propositions)
    assert all(proposition.text.startswith("用户在2026年2月10日说：“") for proposition in propositions)


@pytest.mark.parametrize("message", ["讲个笑话吧", "光合作用的原理是什么？", "推荐一部电影", "你好！谢谢！"])
def test_requests_and_questions_leave_nothing(message: str) -> None:
    assert texts(message) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "我住在台灣高雄，在銀行上班，太太是日本人。",
            ["用户住在台灣高雄。", "用户在銀行上班。", "用户的太太是日本人。"],
        ),
        ("我對蝦子過敏。", ["用户對蝦子過敏。"]),
        ("以後回答請用繁體中文。", ["用户希望助手以後回答請用繁體中文。"]),
        (
            "我媽媽下個月要動手術，她今年七十二歲。",
            ["用户的媽媽下個月（2026年3月）要動手術。", "用户的媽媽今年（2026年）七十二歲。"],
        ),
    ],
)
def test_traditional_characters_are_read_and_kept(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("车牌是鲁B·38K51，哦不，是38K15。",), ["用户的车牌是鲁B·38K15。"]),
        (
            ("我约了牙医，礼拜二下午两点。", "> 记下了", "等等，礼拜二我要出庭，改到礼拜四同一时间。"),
            ["礼拜二（2026年2月10日）用户要出庭。", "用户约了牙医，礼拜四（2026年2月12日）下午两点。"],
        ),
        (("我侄子叫程一鸣。", "> 好", "打错字了，是陈一鸣。"), ["用户的侄子叫陈一鸣。"]),
        (("我现在不开公交了，调到场站做调度。",), ["用户现在不开公交了，调到场站做调度。"]),
    ],
)
def test_what_is_taken_back_in_passing(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我跟师父学修钟表，他眼睛不行了。", "师父眼睛不行了。"),
        ("隔壁老太太姓佟，她一个人住。", "老太太一个人住。"),
        ("我老公出差，只能让我婆婆来带娃，她膝盖不好。", "用户的婆婆膝盖不好。"),
        ("家里还有个刚上幼儿园的闺女。", "用户家里还有个刚上幼儿园的闺女。"),
        ("我负责二楼，有个廖婆婆，她最爱听川剧。", "廖婆婆最爱听川剧。"),
    ],
)
def test_nobody_elses_doing_becomes_the_users(message: str, expected: str) -> None:
    assert texts(message)[-1] == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("给我三岁的外甥女推荐几本绘本。", ["用户的外甥女三岁。"]),
        ("我妈高血压十年了能吃人参吗？", ["用户的妈妈高血压十年了。"]),
        ("我婆婆有糖尿病，推荐几道不升糖的早餐吧。", ["用户的婆婆有糖尿病。"]),
        ("别给我推荐健身房，我有社恐。", ["用户希望助手别给用户推荐健身房。", "用户有社恐。"]),
        (
            "今年的目标：跑完一次半马、读二十本书。",
            ["用户今年（2026年）的目标：跑完一次半马。", "用户今年（2026年）的目标：读二十本书。"],
        ),
        (
            "我的药：\n1. 缬沙坦 每天早上一片\n2. 阿托伐他汀 睡前一片",
            ["用户的药：缬沙坦 每天早上一片。", "用户的药：阿托伐他汀 睡前一片。"],
        ),
        ("docker跑不起来，日志如下：\n2026-02-01 10:00:00 ERROR failed to bind", []),
        ("又加班到十一点。", ["用户又加班到十一点。"]),
        ("一周健身三次，每次一个半小时。", ["用户一周健身三次，每次一个半小时。"]),
        ("我每周二和周五晚上去上芭蕾课。", ["用户每周二和周五晚上去上芭蕾课。"]),
    ],
)
def test_requests_lists_code_and_habits(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "我昨天去了公园然后又去了超市" * 2_000,
        "我去了公园，" * 5_000,
        "不对，" * 10_000,
        "1. 我买了苹果\n" * 2_000,
        "我" * 20_000,
    ],
)
def test_a_message_of_any_length_gives_a_bounded_number_of_short_memories(message: str) -> None:
    statements = texts(message)

    assert len(statements) <= 40
    assert all(len(text) <= 90 for text in statements)


@pytest.mark.parametrize(
    "messages",
    [
        # What the amount is of, who they are, and what is done with two pairs of shoes, nobody can tell.
        ("我每个月还房贷。", "以前是七千一。"),
        ("领导说我效率低。", "我比他们多两个客户。"),
        ("两双劳保鞋，46码的。",),
    ],
)
def test_what_leans_on_something_unknown_is_quoted(messages: tuple[str, ...]) -> None:
    assert texts(*messages)[-1].startswith("用户在2026年")


@pytest.mark.parametrize(
    ("message", "residence"),
    [("下个月去玩，住鼓浪屿三晚。", ""), ("我住在厦门三年了。", "厦门"), ("我住了三天医院。", "")],
)
def test_a_stay_of_some_nights_is_no_residence(message: str, residence: str) -> None:
    drafts = LocalExtractor().extract([Turn("user", message, SAID_AT)], [])
    residences = [draft.value for draft in drafts if draft.slot == "residence"]
    assert residences == ([residence] if residence else [])


def test_what_annoys_most_is_a_preference() -> None:
    assert all(proposition.is_preference for proposition in read("我最烦跟团。"))


def test_a_time_behind_a_relation_is_no_name() -> None:
    drafts = LocalExtractor().extract([Turn("user", "我爸以前是瓦工。我妹妹小云在医院当护士。", SAID_AT)], [])
    assert [draft.slot for draft in drafts if ":name" in draft.slot] == []
    assert "小云" in drafts[-1].slot


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ("外婆昨天住院了。", "医生说要手术，定在这周五。", "她有糖尿病。"),
            ["用户在2026年2月10日说：“她有糖尿病”"],
        ),
        (
            ("我儿子上三年级。", "我老公经常出差。", "想给他报个书法班。"),
            ["用户在2026年2月10日说：“想给他报个书法班”"],
        ),
        (("班主任姓蒋，她建议我们多读书。",), ["班主任姓蒋。", "班主任建议用户等人多读书。"]),
        (("我练四天，周二周四休息。",), ["用户练四天。", "用户周二周四休息。"]),
        (("预算四千以内，不要一楼。",), ["用户的预算四千以内，不要一楼。"]),
        (("以后你回答我别用表格。",), ["用户希望助手以后回答用户别用表格。"]),
        (
            ("> 有几个人？", "算上我五个人。"),
            ["用户在2026年2月10日被问到“有几个人”时说：“算上我五个人”"],
        ),
        (("又停电了，真是太开心了。",), ["用户在2026年2月10日说：“又停电了，真是太开心了”"]),
    ],
)
def test_what_the_words_leave_open_is_not_filled_in(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


def test_a_denied_count_gives_way_to_the_one_that_holds() -> None:
    assert texts("我儿子上小学三年级。", "不是三年级，开学已经四年级了。") == ["用户的儿子上小学四年级。"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("老房子发霉，新房子很干燥。", "老房子发霉，新房子很干燥。"),
        ("老车油耗太高。", "老车油耗太高。"),
        ("我老忘事。", "用户老忘事。"),
        ("老是头疼。", "用户老是头疼。"),
    ],
)
def test_what_is_old_is_no_adverb(message: str, kept: str) -> None:
    assert [proposition.text for proposition in read(message)] == [kept]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # In a holiday the user does something, where nobody else is named.
        ("五一去了趟西藏。", ["用户五一（2025年5月）去了趟西藏。"]),
        ("过年和爸妈去三亚。", ["用户过年（2026年2月）和爸妈去三亚。"]),
        ("端午节快到了。", ["端午节（2026年6月）快到了。"]),
        ("中秋我妈来看我。", ["中秋（2026年9月）用户的妈妈来看用户。"]),
        # Since when belongs to what is done from then on.
        ("新学期开始，周三下午没课。", ["用户新学期开始周三下午没课。"]),
        ("下个月开始，周二要上夜校。", ["用户下个月（2026年3月）开始周二要上夜校。"]),
        ("新学期开始了，女儿上三年级。", ["用户新学期开始了。", "用户的女儿上三年级。"]),
        # A district is no person, and goes on with what was said of the home.
        (
            "上周搬好了，高新区这边两室一厅。",
            ["用户上周（2026年2月2日那一周）搬好了，高新区这边两室一厅。"],
        ),
        # A plan goes on, and nothing of it is so.
        ("打算不租了，买台埃安S。", ["用户打算不租了，买台埃安S。"]),
        ("打算明年考研，现在在律所上班。", ["用户打算明年（2027年）考研。", "用户现在在律所上班。"]),
        ("我打算学车，对花生过敏。", ["用户打算学车。", "用户对花生过敏。"]),
    ],
)
def test_times_and_plans_stay_with_what_they_are_of(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # A character behind the kinship that begins the next word takes nobody's kinship away.
        ("我妈常来看我。", ["用户的妈妈常来看用户。"]),
        ("我弟实习结束了。", ["用户的弟弟实习结束了。"]),
        ("我妹妹实习结束了。", ["用户的妹妹实习结束了。"]),
        ("我姐活泼。", ["用户的姐姐活泼。"]),
        ("老公常加班。", ["用户的老公常加班。"]),
        ("妈妈车停在楼下。", ["用户的妈妈车停在楼下。"]),
        ("我的学生活动很多。", ["用户的学生活动很多。"]),
        ("我老板椅坏了。", ["用户老板椅坏了。"]),
        # With whom somebody does it, where the next clause is of the user.
        ("跟三个陌生人合租，厨房轮着用，我那间朝北。", ["用户跟三个陌生人合租，厨房轮着用，用户那间朝北。"]),
    ],
)
def test_who_does_it_is_read_from_the_whole_word(message: str, expected: list[str]) -> None:
    assert texts(message) == expected
