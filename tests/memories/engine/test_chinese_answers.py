"""What a short reply in Chinese says of what was asked, and on what day what people do again and again falls."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, MemoryKind, Turn

SAID_AT = datetime(2026, 3, 10, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


def drafts(*messages: str) -> list[Draft]:
    """What a talk gives in which the user speaks first and the assistant answers."""
    turns = [Turn("assistant" if at % 2 else "user", text, SAID_AT) for at, text in enumerate(messages)]
    return [draft for draft in LocalExtractor().extract(turns, []) if not draft.text.startswith("[")]


def last_text(*messages: str) -> str:
    return drafts(*messages)[-1].text


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我在夜市摆摊。", "生意好吗？", "周末好，平时淡。"), "生意周末好，平时淡。"),
        (("我在夜市摆摊。", "收入怎么样？", "一个月三千多吧。"), "用户的收入一个月三千多。"),
        (("我昨天去了趟西安。", "路上顺利吗？", "堵了两个小时。"), "路上堵了两个小时。"),
        (("我搬到郊区了。", "村里交通如何？", "不方便，得开车。"), "村里交通不方便，得开车。"),
    ],
)
def test_how_it_is_with_a_thing_is_said_of_the_thing(messages: tuple[str, ...], expected: str) -> None:
    assert last_text(*messages) == expected


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        (("我家猫昨天绝育了。", "吃饭正常吗？", "不怎么吃。"), "吃饭正常吗"),
        (("我爷爷九十二了，他耳朵背。", "身体好吗？", "除了血压高没别的。"), "身体好吗"),
        (("我妈安排了相亲。", "对方是什么样的人？", "听说在税务局上班。"), "对方是什么样的人"),
    ],
)
def test_what_may_be_said_of_somebody_else_is_quoted_with_its_question(
    messages: tuple[str, ...], asked: str
) -> None:
    assert last_text(*messages).startswith(f"用户在2026年3月10日被问到“{asked}”时说：")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我女儿要去墨尔本留学。", "去多久？", "两年。"), "用户的女儿去两年。"),
        (("我老公外派了。", "去哪里？", "越南。"), "用户的老公去越南。"),
        (("我哥在学吉他。", "学多久了？", "半年。"), "用户的哥哥学半年了。"),
        (("我爸住院了。", "在哪家医院？", "协和。"), "用户的爸爸医院是协和。"),
        (("我要去西安出差。", "去几天？", "三天。"), "用户去三天。"),
        (("我和老公一起去云南。", "去多久？", "一周。"), "用户去一周。"),
    ],
)
def test_how_long_and_where_is_said_of_whom_the_last_statement_was_about(
    messages: tuple[str, ...], expected: str
) -> None:
    assert last_text(*messages) == expected


@pytest.mark.parametrize(
    "messages",
    [
        ("我妈明天到。", "几点？", "上午十点。"),
        ("我爸下周三要去做胃镜。", "好的，几点？", "上午十点。"),
    ],
)
def test_a_bare_time_is_said_of_nobody_and_stands_beside_its_question(messages: tuple[str, ...]) -> None:
    assert last_text(*messages) == "用户在2026年3月10日被问到“几点”时说：“上午十点”"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("写简体。", ["用户希望助手写简体。"]),
        ("用繁体字回我。", ["用户希望助手用繁体字回用户。"]),
        ("所以别给我推荐要喝酒的地方。", ["用户希望助手别给用户推荐要喝酒的地方。"]),
        ("咱们聊英语吧。", []),
        ("咱们来玩个成语接龙。", []),
        ("咱们学校要搬了。", ["用户的学校要搬了。"]),
    ],
)
def test_orders_are_told_from_what_is_proposed_and_from_what_is_so(message: str, expected: list[str]) -> None:
    assert [draft.text for draft in drafts(message)] == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我弟考上大学了。", "哪所大学？", "武汉理工。"), "用户的弟弟大学是武汉理工。"),
        (("我在医院上班。", "哪家医院？", "协和。"), "用户的医院是协和。"),
        (
            ("我的驾照被扣了九分。", "怎么回事？", "闯红灯加超速。"),
            "用户在2026年3月10日被问到“怎么回事”时说：“闯红灯加超速”",
        ),
        (("我爱人开车。", "平时停在哪里？", "露天。"), "用户平时停在露天。"),
    ],
)
def test_what_a_bare_question_asks_for_is_named_or_quoted(messages: tuple[str, ...], expected: str) -> None:
    assert last_text(*messages) == expected


def test_a_reply_that_corrects_itself_keeps_the_right_day_only() -> None:
    assert last_text("科目二挂了两次。", "下次什么时候考？", "18号，不对，改到21号了。") == (
        "用户下次21号（2026年3月21日）考。"
    )


def test_the_tone_that_is_asked_for_stands_before_its_noun() -> None:
    assert last_text("我要投诉电梯。", "您需要什么语气？", "严肃点。") == "用户需要严肃点的语气。"


@pytest.mark.parametrize(
    "message", ["我周二游泳。", "我周三值班。", "我女儿周六上舞蹈课。", "我周四晚上打羽毛球，固定的场。"]
)
def test_the_day_of_a_pastime_is_no_date(message: str) -> None:
    (draft,) = drafts(message)
    assert draft.event_time is None
    assert "2026" not in draft.text


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("我周二去北京。", 10),
        ("我周五考试。", 13),
        ("我周日打算跑步。", 15),
        ("我周五打羽毛球扭了脚。", 6),
        ("我下周二游泳。", 17),
    ],
)
def test_the_day_of_what_happens_once_is_a_date(message: str, day: int) -> None:
    (draft,) = drafts(message)
    assert draft.event_time is not None
    assert draft.event_time.day == day


@pytest.mark.parametrize(
    ("message", "year"),
    [
        ("我十月考证。", 2026),
        ("我去年十月考的证。", 2025),
        ("我十月去的日本。", 2025),
        ("重阳节区里有比赛。", 2026),
        ("十二月的电费三百。", 2025),
    ],
)
def test_a_month_without_a_mark_of_the_past_lies_ahead(message: str, year: int) -> None:
    (draft,) = drafts(message)
    assert draft.event_time is not None
    assert draft.event_time.year == year


def test_a_home_is_not_over_because_its_lift_broke_down() -> None:
    (home,) = drafts("我住7号楼1503，电梯这个月坏了四回。")
    assert (home.slot, home.is_end) == ("residence", False)


def test_whom_a_doctor_forbids_something_is_not_the_doctor() -> None:
    assert last_text("我老公腰不行，医生不让他站太久。") == "医生不让用户的老公站太久。"


def test_an_egg_is_no_chicken_of_the_users() -> None:
    assert last_text("鸡蛋可以，我每天早上吃两个。") == "鸡蛋可以，用户每天早上吃两个。"


def test_praise_of_what_was_never_done_is_irony() -> None:
    texts = [draft.text for draft in drafts("我想考消防工程师，买了课一节没听，我可真是太自律了。")]
    assert "用户可真是太自律了。" not in texts
    assert "用户想考消防工程师。" in texts


def test_whose_name_stands_beside_another_is_not_taken_for_her() -> None:
    messages = ("照顾我奶奶的阿姨周五走了。", "她早上需要什么？", "打胰岛素。她不能吃柚子。")
    assert drafts(*messages)[-1].text == "用户在2026年3月10日说：“她不能吃柚子”"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我弟八月转业。", "他之后有什么打算？", "郑州有家公司要他。"), "被问到“他之后有什么打算”时说"),
        (("我领养了一只灵缇。", "它和猫合得来吗？", "见了猫就追。"), "被问到“它和猫合得来吗”时说"),
        (("我写段子。", "给谁写？", "主要是个叫阿宁的姑娘。"), "用户给个叫阿宁的姑娘写。"),
        (("我改上早班了。", "您心里怎么想？", "舍不得。"), "被问到“用户心里怎么想”时说"),
        (
            ("几个人吃？", "几个人？", "六个。有个朋友带男朋友来，听说他只吃鱼。"),
            "听说用户的朋友的男朋友只吃鱼。",
        ),
        (("我管账。", "年会哪天？", "我们合唱团年会16号开，等等，是18号。"), "用户的合唱团年会18号开。"),
        (("我在看手机。", "想换什么型号？", "大概率华为。"), "用户想换华为。"),
        (("我在教书法。", "有比赛吗？", "有，我们输了，三比一，哦不是，三比零。"), "三比零"),
    ],
)
def test_a_reply_is_read_for_what_it_says(messages: tuple[str, ...], expected: str) -> None:
    assert expected in last_text(*messages)


def test_both_days_of_a_span_are_of_the_month_that_is_named() -> None:
    assert last_text("我7月4号到11号去千岛湖。") == (
        "用户7月4号（2026年7月4日）到11号（2026年7月11日）去千岛湖。"
    )


def test_so_many_hours_are_no_occasion_of_an_order() -> None:
    (draft,) = drafts("手机电池只能撑两个小时，月底合约到期就换。")
    assert (draft.kind, draft.text[:5]) == (MemoryKind.FACT, "用户的手机")


def test_a_car_of_a_relative_is_no_car_of_the_users() -> None:
    assert [draft.slot for draft in drafts("车是我姐夫的，先借我用。")] == [""]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我儿子发烧了。", "有过敏史吗？", "对青霉素过敏。"), "用户的儿子对青霉素过敏。"),
        (("儿子发烧。", "孩子对什么过敏？", "鸡蛋。"), "用户的孩子对鸡蛋过敏。"),
        (("孩子发烧39度。", "有过敏吗？", "没有。"), "用户的孩子没有过敏。"),
        (("儿子三岁，身高95厘米。", "体重多少？", "15公斤。"), "用户的儿子体重15公斤。"),
        (("孩子咳嗽。", "有过敏吗？", "有，对牛奶。"), "用户的孩子对牛奶过敏。"),
        (("我老婆怀孕了。", "有忌口吗？", "不吃辣。"), "用户的老婆有忌口：不吃辣。"),
        (("我老婆怀孕了。", "您太太有什么忌口吗？", "不吃辣。"), "用户的太太有忌口：不吃辣。"),
        (("我奶奶住院了。", "血压多少？", "高压160。"), "用户的奶奶血压高压160。"),
        (("我女儿明年上小学。", "喜欢什么科目？", "数学。"), "用户的女儿喜欢数学。"),
        (("我爸血糖高。", "平时喝酒吗？", "偶尔。"), "用户的爸爸平时偶尔喝酒。"),
        (("我室友发烧了。", "体温多少？", "38度5。", "有吃药吗？", "吃了布洛芬。"), "用户的室友吃了布洛芬。"),
        (("我皮肤痒。", "有过敏史吗？", "对青霉素过敏。"), "用户对青霉素过敏。"),
        (("我皮肤痒。", "有过敏吗？", "没有过敏。"), "用户没有过敏。"),
        (("我要减肥。", "体重多少？", "80公斤。"), "用户的体重80公斤。"),
        (("我妈下周来看我。", "您住在哪里？", "杭州。"), "用户住在杭州。"),
        (("我妈下周来看我。我想学游泳。", "有什么基础病吗？", "哮喘。"), "用户有基础病：哮喘。"),
    ],
)
def test_an_answer_is_of_whom_the_talk_was_about(messages: tuple[str, ...], expected: str) -> None:
    assert last_text(*messages) == expected


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        (("给我妈买药。", "有什么慢性病吗？", "高血压，十年了。"), "有什么慢性病吗"),
        (("给女儿买双鞋。", "鞋码多大？", "28码。"), "鞋码多大"),
        (("想替我舅舅挂个号。", "有高血压吗？", "有。"), "有高血压吗"),
        (("帮我给爸爸挑个礼物。", "有什么爱好吗？", "钓鱼。"), "有什么爱好吗"),
    ],
)
def test_what_somebody_else_may_have_is_no_fact_of_the_user(messages: tuple[str, ...], asked: str) -> None:
    assert last_text(*messages).startswith(f"用户在2026年3月10日被问到“{asked}”时说：")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ("我儿子两岁半，在托育园。", "适应得怎么样？", "前两周天天哭，现在好了。对芒果过敏。"),
            "用户的儿子对芒果过敏。",
        ),
        (("外婆八十六了。", "老人家身体好吗？", "挺好。对青霉素过敏。"), "用户的外婆对青霉素过敏。"),
        (("我女儿上初中了。", "成绩怎么样？", "中等。喜欢画画。"), "用户的女儿喜欢画画。"),
        (("我妈来帮我带孩子。", "相处得怎么样？", "还行。就是喜欢唠叨。"), "用户的妈妈就是喜欢唠叨。"),
        (("我住院了。", "恢复得怎么样？", "能下床了。对头孢过敏。"), "用户对头孢过敏。"),
        (("我换工作了。", "习惯吗？", "还行。喜欢新同事。"), "用户喜欢新同事。"),
    ],
)
def test_what_is_said_behind_how_somebody_is_is_said_of_them(
    messages: tuple[str, ...], expected: str
) -> None:
    assert last_text(*messages) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("我开网约车。", "收入如何？", "一天跑十二个小时。"), "用户一天跑十二个小时。"),
        (("我摆摊。", "生意怎么样？", "一天卖两百碗。"), "用户一天卖两百碗。"),
        (("我住院了。", "恢复得怎么样？", "能下床了。"), "用户能下床了。"),
        (("我摆摊。", "收入怎么样？", "一个月三千多。"), "用户的收入一个月三千多。"),
    ],
)
def test_what_somebody_does_day_by_day_is_not_said_of_the_thing(
    messages: tuple[str, ...], expected: str
) -> None:
    assert last_text(*messages) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("瑜伽课改成只周六了。", "瑜伽课改成只周六了。"),
        ("排练改周六晚上了。", "排练改周六（2026年3月14日）晚上了。"),
        ("排练改到上周六了。", "排练改到上周六（2026年3月7日）了。"),
    ],
)
def test_a_weekday_that_is_changed_to_lies_ahead(message: str, expected: str) -> None:
    assert last_text(message) == expected


def test_who_is_taken_to_hospital_lives_where_they_lived() -> None:
    assert [draft.slot for draft in drafts("外婆住进了乐山人民医院。")] == [""]
    assert [draft.slot for draft in drafts("外婆住在乐山老家。")] == ["grandmother:residence"]
    assert [draft.slot for draft in drafts("我住在中山医院附近。")] == ["residence"]


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("您多大年纪？", "43", "用户43岁（截至2026年3月10日）。"),
        ("有几个孩子？", "2", "用户有2个孩子。"),
        ("体重多少公斤？", "78kg", "用户的体重78kg。"),
        ("用什么手机？", "iPhone 15", "用户用iPhone 15。"),
        ("在哪个公司？", "Google", "用户在Google。"),
        ("哪年毕业的？", "2015", "用户2015年毕业的。"),
        ("用什么语言写代码？", "Python", "用户用Python写代码。"),
        ("每周能练几天？", "三天吧，一三五", "用户每周能练三天，一三五。"),
        ("家里几口人？", "仨，我和爸妈", "用户家里三口人，用户和爸妈。"),
        ("预算呢？", "三千以内", "用户的预算是三千以内。"),
        ("体重和身高呢？", "一米七二，78公斤", "用户的身高是一米七二。"),
        ("公司呢？", "在张江", "用户的公司在张江。"),
        ("哪个区域？", "望京 或者来广营", "用户在2026年3月10日被问到“哪个区域”时说：“望京，或者来广营”"),
        ("还有别的吗？", "Yes, I live in Berlin.", "The user lives in Berlin."),
    ],
)
def test_an_answer_is_a_number_a_name_or_a_few_words(question: str, reply: str, expected: str) -> None:
    assert last_text("帮我做个计划。", question, reply) == expected


@pytest.mark.parametrize("reply", ["不想说", "No thanks", "OK"])
def test_no_answer_is_none(reply: str) -> None:
    assert not [draft for draft in drafts("帮我做个计划。", "体重呢？", reply) if "体重" in draft.text]


def test_an_answer_about_somebody_new_is_not_of_whom_the_talk_was_about() -> None:
    talk = ("我室友搬走了，房租变成一万八。", "要找新室友吗？", "有在找，希望是女生。")

    assert last_text(*talk) == "用户有在找，希望是女生。"
