"""What the reader of Chinese makes of counts, suppositions and short sentences, as people say them."""

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
    """The propositions of the last turn of a talk."""
    turns = [Turn("user", text, SAID_AT) for text in messages]
    reader = ChineseReader()
    return [reader.read(turn, at, turns) for at, turn in enumerate(turns)][-1]


def texts(*messages: str) -> list[str]:
    return [proposition.text for proposition in read(*messages)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我刚来，谁也不认识", ["用户刚来，谁也不认识。"]),
        ("本来想把船卖了，后来决定留着", ["用户本来想把船卖了，后来决定留着。"]),
        ("我不能吃贝类，一吃就起疹子", ["用户不能吃贝类，一吃就起疹子。"]),
        ("12月是我们店最忙的时候", ["12月是用户的店最忙的时候。"]),
        ("12月最忙的时候我住院了", ["12月（2025年12月）最忙的时候用户住院了。"]),
        ("有两个不能吃麸质", ["用户在2026年2月10日说：“有两个不能吃麸质”"]),
        ("谁能帮我看看这个？", []),
        (
            "以前每周日都去做礼拜，现在只有圣诞节和复活节去",
            ["用户以前每周日都去做礼拜，现在只有圣诞节和复活节去。"],
        ),
        ("乐队散了，不过我跟鼓手周日还一起玩", ["乐队散了，不过用户跟鼓手周日还一起玩。"]),
        ("车祸以后我左眼看不太清", ["车祸以后用户的左眼看不太清。"]),
        ("我们计划五月去云南", ["用户等人计划五月（2026年5月）去云南。"]),
        ("我们训练馆在城北", ["用户的训练馆在城北。"]),
        ("我们计划很满", ["用户的计划很满。"]),
        ("我姑姑20号来", ["用户的姑姑20号（2026年2月20日）来。"]),
        ("忘了说，我是色盲", ["用户是色盲。"]),
        ("我继女跟我们住", ["用户的继女跟用户等人住。"]),
        ("讲个猫的笑话吧，我养了三只", ["用户在2026年2月10日说：“我养了三只”"]),
        ("我家没人上过大学，我是第一个", ["用户家没人上过大学，用户是第一个。"]),
        ("游泳对我的腰好", ["游泳对用户的腰好。"]),
        ("五月份我的蜂分了两次群", ["五月份（2025年5月）用户的蜂分了两次群。"]),
        ("我欠税务局六千多，每个月还一点", ["用户欠税务局六千多，每个月还一点。"]),
        (
            "平时我接送孩子，这周我妈接",
            ["平时用户接送孩子，这周（2026年2月9日那一周）用户的妈妈接。"],
        ),
        ("兔子怀孕了，我们还以为是公的", ["用户的兔子怀孕了，用户等人还以为是公的。"]),
        ("我周二游泳，周四跑步", ["用户周二游泳。", "用户周四跑步。"]),
        ("据我弟说那家酒吧卖掉了", ["据用户的弟弟说那家酒吧卖掉了。"]),
        ("本来我要当伴郎，结果他们私奔了", ["用户在2026年2月10日说：“本来我要当伴郎，结果他们私奔了”"]),
        ("给她取名随了我奶奶", ["用户在2026年2月10日说：“给她取名随了我奶奶”"]),
        ("左手，还好我是右撇子", ["用户在2026年2月10日说：“左手，还好我是右撇子”"]),
        ("周六别给我排班，我守安息日", ["用户希望助手周六别给用户排班。", "用户守安息日。"]),
        ("我两个儿子一个九岁一个十一", ["用户两个儿子一个九岁一个十一。"]),
        ("照顾我妈的阿姨姓吴，每天早上来", ["照顾用户的妈妈的阿姨姓吴，每天早上来。"]),
        ("学校说双胞胎不能分在一个班", ["学校说双胞胎不能分在一个班。"]),
    ],
)
def test_a_clause_keeps_what_its_words_leave_to_the_one_before(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我吃氨氯地平，五毫克。", "昨天医生加了一倍。"), ["用户在2026年2月10日说：“昨天医生加了一倍”"]),
        (
            ("孩子周一到周三跟我。", "五月起改成周四到周日。"),
            ["用户在2026年2月10日说：“五月起改成周四到周日”"],
        ),
        (("我不吃肉。", "牛肉也不吃，鱼吃。"), ["用户也不吃牛肉。"]),
        (("我们的拉比退休了。", "新来的是从上海来的。"), ["新来的是从上海来的。"]),
        (("爷爷把工具留给我了。", "一半我都不认识。"), ["用户在2026年2月10日说：“一半我都不认识”"]),
        (("学费涨了一倍。",), ["学费涨了一倍。"]),
        (("大部分同事都走了。",), ["大部分同事都走了。"]),
        (("会议改到周五了。",), ["会议改到周五了。"]),
        (("有些人不喜欢狗。",), ["有些人不喜欢狗。"]),
    ],
)
def test_what_only_the_message_before_tells_is_quoted(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


def test_who_is_gone_is_whom_the_talk_has_named() -> None:
    assert texts("我以前有条狗叫雷克斯。", "去年春天走了。") == ["用户的狗雷克斯去年春天（2025年春天）走了。"]
    assert texts("我奶奶住在乡下。", "上个月去世了。") == ["用户的奶奶上个月（2026年1月）去世了。"]


def test_whom_a_pronoun_meant_may_be_said_afterwards_in_chinese() -> None:
    assert texts("她跟她老板走了。", "我是说我老婆。") == ["用户的老婆跟她老板走了。"]


@pytest.mark.parametrize(
    ("message", "is_over"),
    [
        ("我爷爷去年走了", True),
        ("我老婆跟她老板走了", False),
        ("我室友上周走了", False),
        ("我弟去年去世了", True),
    ],
)
def test_only_the_old_are_dead_when_they_have_left(message: str, is_over: bool) -> None:
    (draft,) = LocalExtractor().extract([Turn("user", message, SAID_AT)], [])
    assert draft.is_end == is_over


@pytest.mark.parametrize("message", ["我九岁起就戴助听器", "我结婚前皈依了佛教", "我离婚后搬到了杭州"])
def test_a_time_of_life_is_no_state_of_today(message: str) -> None:
    assert not read(message)[0].slot


def test_a_name_that_begins_like_an_adverb_stays_a_name() -> None:
    messages = ("合租的有两个人，一个叫阿英，一个叫老薄。", "老薄五月要搬走。")
    assert texts(*messages) == ["老薄五月（2026年5月）要搬走。"]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ("我店里有三个学徒。", "小王上周走了，就剩两个了。"),
            ["小王上周（2026年2月2日那一周）走了。", "现在用户的店里有两个学徒。"],
        ),
        (
            ("我们车间有八个人。", "又招了两个，现在十个人了。"),
            ["用户在2026年2月10日说：“又招了两个”", "现在用户的车间有十个人。"],
        ),
        (("我们车间很忙。", "现在十个人了。"), ["用户在2026年2月10日说：“现在十个人了”"]),
    ],
)
def test_a_bare_number_counts_what_was_counted_before(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("早知道就学电工了，现在也不用天天熬夜。", "早知道就学电工了，现在也不用天天熬夜。"),
        ("早知道这房子漏水，我就不买了。", "早知道这房子漏水，用户就不买了。"),
    ],
)
def test_what_would_have_been_is_told_with_its_condition(message: str, expected: str) -> None:
    (proposition,) = read(message)
    assert (proposition.text, proposition.mood) == (expected, Mood.CONDITION)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我老婆什么菜都放香菜。", ["用户的老婆什么菜都放香菜。"]),
        ("我们什么酒都喝。", ["用户等人什么酒都喝。"]),
        ("我老公怎么劝都不听。", ["用户的老公怎么劝都不听。"]),
        ("孩子什么运动都试过，就爱击剑。", ["用户的孩子什么运动都试过，就爱击剑。"]),
        ("我们每天都吃什么好呢？", []),
        ("这个菜要放什么调料，盐也放吗？", []),
    ],
)
def test_whatever_it_is_asks_for_nothing(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


def test_from_when_an_order_holds_belongs_to_the_order() -> None:
    assert texts("从现在起，别用表情符号。") == ["用户希望助手从现在起，别用表情符号。"]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("收了个徒弟，叫小顾，十九岁。",), ["用户收了个徒弟，叫小顾，十九岁。"]),
        (("老马修好了，一共八十五。",), ["老马修好了，一共八十五。"]),
        (("现在跟几个朋友拉四重奏。",), ["用户现在跟几个朋友拉四重奏。"]),
        (("我在爱乐乐团拉琴。",), ["用户在爱乐乐团拉琴。"]),
        (("隔周二去一次理疗。",), ["用户隔周二去一次理疗。"]),
        (
            ("老陈看过了。入冬前不想换新的。",),
            ["老陈看过了。", "用户在2026年2月10日说：“入冬前不想换新的”"],
        ),
        (("老布退休了，换成了他徒弟小萨。",), ["用户在2026年2月10日说：“老布退休了，换成了他徒弟小萨”"]),
        (
            ("帮我给岳父安排一周的饭，他肾不好。", "他周一透析。"),
            ["用户的岳父周一（2026年2月16日）透析。"],
        ),
        (("我爸住进养老院了，叫松鹤园。", "我周二去看他。"), ["用户周二（2026年2月10日）去看爸爸。"]),
    ],
)
def test_spoken_sentences_are_not_misread(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("今年物业费缺口八十六万。", "说错了，是六十八万。"), ["今年（2026年）物业费缺口六十八万。"]),
        (
            ("校车司机缺两个。俩孩子一个三年级一个六年级。", "不对，校车司机缺一个。"),
            ["校车司机缺一个。"],
        ),
    ],
)
def test_a_correction_finds_what_it_counts(messages: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*messages) == expected


@pytest.mark.parametrize(("message", "is_home"), [("我们已经在里斯本了。", True), ("我现在在公司。", False)])
def test_a_place_by_name_is_a_residence(message: str, is_home: bool) -> None:
    drafts = LocalExtractor().extract([Turn("user", message, SAID_AT)], [])
    assert any(draft.slot == "residence" for draft in drafts) is is_home


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "我妈的手术本来是20号，现在推迟到五月了。",
            ["用户的妈妈的手术本来是20号（2026年2月20日），现在推迟到五月（2026年5月）了。"],
        ),
        ("女儿学校改时间了，以前是八点半。", ["用户的女儿学校改时间了，以前是八点半。"]),
        ("我的车是14年的斯柯达，跑了十六万公里。", ["用户的车是14年的斯柯达，跑了十六万公里。"]),
        (
            "医生给我换了降压药，以前吃缬沙坦，现在吃氨氯地平。",
            ["医生给用户换了降压药，以前吃缬沙坦，现在吃氨氯地平。"],
        ),
        ("我两个膝盖都疼。", ["用户两个膝盖都疼。"]),
        ("我周五偶尔喝点啤酒。", ["用户周五偶尔喝点啤酒。"]),
        ("听说经理要砍周末的班。", ["听说经理要砍周末的班。"]),
        ("我女儿周三踢球，周五学钢琴。", ["用户的女儿周三踢球，周五学钢琴。"]),
        (
            "我周三面试，周五出结果。",
            ["用户周三（2026年2月11日）面试。", "用户周五（2026年2月13日）出结果。"],
        ),
        ("我的航班在三号航站楼。", ["用户的航班在三号航站楼。"]),
        ("我们领养了一只灵缇。", ["用户等人领养了一只灵缇。"]),
        ("我妈不吃肉，周日做饭太难了。", ["用户的妈妈不吃肉。", "周日（2026年2月8日）做饭太难了。"]),
        (
            "来了两个师傅，我们找便宜的那个，下周一开工。",
            ["来了两个师傅，用户等人找便宜的那个，下周一（2026年2月16日）开工。"],
        ),
        ("翻译稿是周五交。", ["用户翻译稿是周五（2026年2月13日）交。"]),
    ],
)
def test_of_whom_and_of_what_day_is_not_guessed(message: str, kept: list[str]) -> None:
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "slot", "value"),
    [
        ("我每天吃两次二甲双胍。", "medication:二甲 双 胍", "二甲双胍"),
        ("我老公是湖南人。", "husband:hometown", "湖南"),
        ("我老婆是护士。", "wife:job", "护士"),
        ("我买了台划船机。", "", ""),
        ("我婆婆住我们家住到清明。", "", ""),
    ],
)
def test_a_state_has_no_value_of_another_sort(message: str, slot: str, value: str) -> None:
    (draft,) = LocalExtractor().extract([Turn("user", message, SAID_AT)], [])
    assert (draft.slot, draft.value) == (slot, value)


def test_behind_a_correction_nothing_is_kept_of_what_stays_as_it_was() -> None:
    assert texts("面试定在3月16号下午两点。", "刚才写错了，时间是下午四点，日期和地点都对。") == [
        "用户面试定在3月16号（2026年3月16日）下午四点。"
    ]
    assert texts("送餐的师傅姓曹。", "师傅不姓曹，姓巢，鸟巢的巢。") == ["送餐的师傅姓巢。"]


@pytest.mark.parametrize(
    ("messages", "stored"),
    [
        (("上次跟你说洗车二十五，说错了，是二十八块。",), ("洗车是二十八块。", ("二十五块",))),
        (("之前我说班里三十个人，其实是三十二个。",), ("班里是三十二个。", ("三十个人",))),
    ],
)
def test_a_correction_of_an_earlier_talk_names_both_values(
    messages: tuple[str, ...], stored: tuple[str, tuple[str, ...]]
) -> None:
    turns = [Turn("user", text, SAID_AT) for text in messages]
    assert stored in [(draft.text, draft.corrects) for draft in LocalExtractor().extract(turns, [])]


def test_a_change_that_names_its_thing_changes_no_other() -> None:
    assert texts("春游改期了，推到4月15号。", "另外训练换到周四晚上。") == ["训练换到周四晚上。"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("6月4日是我妈的生日。", ["6月4日是用户的妈妈的生日。"]),
        ("周末是我弟弟看店。", ["周末是用户的弟弟看店。"]),
        ("其实是我爸修的水管。", ["是用户的爸爸修的水管。"]),
        ("明天是我们店开张的日子。", ["明天（2026年2月11日）是用户的店开张的日子。"]),
        ("我明天是早班。", ["用户明天（2026年2月11日）是早班。"]),
    ],
)
def test_a_sentence_about_a_day_is_not_about_the_user(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我不吃辣，吃了会胃疼。", ["用户不吃辣，吃了会胃疼。"]),
        ("我不喝酒，喝了脸红。", ["用户不喝酒，喝了脸红。"]),
        ("我爸不抽烟，抽了会咳。", ["用户的爸爸不抽烟，抽了会咳。"]),
    ],
)
def test_what_comes_of_it_stays_with_what_one_does_not_do(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("帮我写封投诉信，暖气从周二就停了。", ["用户在2026年2月10日说：“暖气从周二就停了”"]),
        ("帮我回复客户，货上周五就发了。", ["用户在2026年2月10日说：“货上周五就发了”"]),
        ("帮我改一下简历，太长了。", []),
        ("帮我想个题目，主题是春天。", []),
        ("帮我查一下快递，已经晚了三天了。", []),
    ],
)
def test_what_happened_is_kept_beside_a_request(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("香菜我是真受不了。", "用户是真受不了香菜。"),
        ("咖啡我特别爱喝。", "用户特别爱喝咖啡。"),
        ("奶茶我从三月就不喝了。", "奶茶用户从三月（2025年3月）就不喝了。"),
        ("酸奶孩子特别爱喝。", "酸奶孩子特别爱喝。"),
    ],
)
def test_what_is_liked_may_be_named_first(message: str, expected: str) -> None:
    assert texts(message) == [expected]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我是夜猫子，十点前别安排事情。", ["用户是夜猫子。", "用户希望助手十点前别安排事情。"]),
        ("我讨厌早起，绝对别订早班机。", ["用户讨厌早起。", "用户希望助手绝对别订早班机。"]),
        ("五十块以上的别推荐。", ["用户希望助手五十块以上的别推荐。"]),
        ("我色盲，图表里别用红绿。", ["用户色盲。", "用户希望助手图表里别用红绿。"]),
        ("医生说晚上别喝茶。", ["医生说晚上别喝茶。"]),
        ("领导说下班后别打电话。", ["领导说下班后别打电话。"]),
        ("别发那个。", []),
    ],
)
def test_what_is_refused_within_a_bound_is_an_order(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # Any, and no question.
        (
            "给剧组做场务，哪儿有活去哪儿，这阵子在横店。",
            ["用户给剧组做场务，哪儿有活去哪儿，这阵子在横店。"],
        ),
        ("家里有什么吃什么，不挑。", ["用户家里有什么吃什么，不挑。"]),
        ("你知道哪里好哪里不好吗？", []),
        # Places and couples.
        ("女友调到我这边来了。", ["用户的女友调到用户这边来了。"]),
        ("我们夫妻在工地食堂做饭。", ["用户夫妻在工地食堂做饭。"]),
        ("那家不做了，换了一家。", ["那家不做了，换了一家。"]),
        ("养了两缸斗鱼，一条叫蓝胖，一条叫火锅。", ["用户养了两缸斗鱼，一条叫蓝胖，一条叫火锅。"]),
        ("信鸽飞丢了两只，剩四只。", ["信鸽飞丢了两只，剩四只。"]),
        ("我们站有六个骑手。", ["用户的站有六个骑手。"]),
        ("我们站在门口等。", ["用户等人站在门口等。"]),
    ],
)
def test_what_only_looks_like_a_question_or_a_joint_is_kept(message: str, expected: list[str]) -> None:
    assert texts(message) == expected
