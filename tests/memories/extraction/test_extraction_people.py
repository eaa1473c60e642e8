"""Whom a memory is about: the user, somebody else, or nobody."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.text.slots.registry import load_relations
from memories.values import Draft, MemoryKind, Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)


def remember(*messages: str) -> list[Draft]:
    return LocalExtractor().extract(
        [
            Turn("assistant", text[2:], DAY) if text.startswith("> ") else Turn("user", text, DAY)
            for text in messages
        ],
        [],
    )


def texts(*messages: str) -> list[str]:
    return [draft.text for draft in remember(*messages)]


@pytest.mark.parametrize(
    "message",
    [
        "My sister lives in Rome and works as a nurse.",
        "My friend Jake just moved to Denver.",
        "My daughter loves ballet and hates maths.",
        "My wife has an iPhone.",
        "我妹妹住在罗马。",
        "我儿子三岁了，特别喜欢恐龙。",
        "我爸爸有高血压，不能吃太咸的。",
        "我老公是医生，他不吃香菜。",
        "我女朋友是四川人，特别能吃辣。",
    ],
)
def test_what_holds_for_others_is_no_state_and_no_taste_of_the_user(message: str) -> None:
    drafts = remember(message)

    others = {name.split()[0] for name in load_relations().values()}
    assert drafts
    for draft in drafts:
        assert draft.kind is MemoryKind.FACT
        assert not draft.slot or draft.slot.split(":")[0].split()[0] in others
        assert draft.text.startswith(("The user's", "用户的"))


def test_the_users_own_state_beside_another_persons_is_told_apart() -> None:
    own = [draft for draft in remember("我妈妈在北京住，我住在深圳。") if draft.slot == "residence"]

    assert [draft.text for draft in own] == ["用户住在深圳。"]


def test_a_pronoun_gets_its_name() -> None:
    assert texts("I have a three-month-old Golden Retriever. By the way, it doesn't eat chicken flavor.")[
        1
    ] == ("The user's Golden Retriever does not eat chicken flavor.")
    assert texts("我养了一只猫。对了，它不吃鸡肉。")[1] == "用户的猫不吃鸡肉。"


def test_a_pronoun_gets_its_name_from_the_message_before() -> None:
    assert texts("My grandmother passed away last month.", "She taught me how to knit.")[1] == (
        "The user's grandmother taught the user how to knit."
    )
    assert "The user's cat's name is Gizmo." in texts("My cat knocked over my plant", "his name is Gizmo btw")


@pytest.mark.parametrize(
    "message", ["That fixed it, thanks!", "It's great.", "They are so cute.", "它很可爱。"]
)
def test_what_does_not_tell_what_it_is_about_is_not_kept(message: str) -> None:
    assert texts(message) == []


def test_what_we_like_the_user_likes() -> None:
    assert texts("We like temples and hate crowds.") == [
        "The user likes temples.",
        "The user hates crowds.",
    ]


def test_whose_wife_it_is_stays_clear() -> None:
    assert texts("We're moving because my wife got a job there.") == [
        "The user is moving because their wife got a job there."
    ]


def test_a_company_of_ours_is_the_users() -> None:
    assert texts("我们公司用的是飞书。") == ["用户的公司用的是飞书。"]


def test_the_weather_is_not_the_user() -> None:
    assert not any("用户今天天气" in text for text in texts("今天天气真好啊"))


def test_an_assistant_that_speaks_for_its_firm_speaks_for_itself() -> None:
    (view,) = texts("> We have vanilla, chocolate and mango flavors today.")

    assert view.startswith("[assistant view] The assistant has vanilla")


def test_the_one_who_recommended_something_is_the_assistant() -> None:
    assert texts("上次你推荐的酒店很好，我很喜欢。") == ["上次助手推荐的酒店很好，用户很喜欢。"]


def test_notes_on_places_are_no_talk() -> None:
    drafts = remember("Rome: I loved it. Paris: not so much.")

    assert [(draft.text, draft.speaker) for draft in drafts] == [
        ('The user said on 10 June 2025: "Rome: I loved it."', ""),
    ]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("I have a headache right now.", "WorkingMemory"),
        ("I need to finish the report tonight.", "WorkingMemory"),
        ("我今晚要写完报告。", "WorkingMemory"),
        ("I ran 5 kilometers today.", "LongTermMemory"),
        ("I traveled to Xi'an last year.", "LongTermMemory"),
        ("My name is Maria.", "UserMemory"),
        ("I'm allergic to peanuts.", "UserMemory"),
        ("My daughter Mia is 6.", "UserMemory"),
        ("I was diagnosed with diabetes in 2019.", "UserMemory"),
    ],
)
def test_a_memory_is_good_for_a_day_a_while_or_a_life(message: str, kind: str) -> None:
    assert [draft.memory_type for draft in remember(message)] == [kind]


def test_shouting_is_read_like_anything_else() -> None:
    assert texts("I HATE RAW FISH") == ["The user hates raw fish."]


@pytest.mark.parametrize(
    "message", ["Just saying hi :)", "lol ok bye", "嗯嗯 明白了 谢谢啦", "Order me the usual"]
)
def test_small_talk_and_orders_give_nothing(message: str) -> None:
    assert texts(message) == []


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        (
            "Take the kids to the zoo on Saturday, please remember it.",
            "The user plans to take the kids to the zoo on Saturday (14 June 2025).",
        ),
        (
            "Remind me to call Anna tomorrow.",
            "The user wants to be reminded to call Anna tomorrow (11 June 2025).",
        ),
        ("提醒我周五交电费。", "用户希望被提醒周五（2025年6月13日）交电费。"),
    ],
)
def test_what_is_to_be_done_is_remembered(message: str, memory: str) -> None:
    assert texts(message) == [memory]


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        (
            "For future reminders or plans, please first list three key points, then add one short suggestion.",
            "The user wants the assistant to first list three key points, then add one short suggestion"
            " for future reminders or plans.",
        ),
        (
            "From now on, always start emails with 'Dear Customer'",
            "The user wants the assistant to start emails with 'Dear Customer'.",
        ),
        (
            "When helping me write a summary, keep the tone light.",
            "The user wants the assistant to keep the tone light when helping the user write a summary.",
        ),
        ("Please don't call me before 10.", "The user wants the assistant not to call the user before 10."),
        ("以后写邮件开头都用“尊敬的客户”。", "用户希望助手以后写邮件开头都用“尊敬的客户”。"),
    ],
)
def test_standing_wishes_are_preferences(message: str, wish: str) -> None:
    (draft,) = remember(message)

    assert (draft.text, draft.preference_type) == (wish, "explicit_preference")


def test_an_interview_is_read_answer_by_answer() -> None:
    assert texts(
        "Q: What is your favourite cuisine?\nA: Thai\nQ: How often do you cook?\nA: Twice a week\n"
        "Q: Do you smoke?\nA: n/a"
    ) == [
        "The user's favourite cuisine is Thai.",
        "Asked “How often do you cook?”, the user answered “Twice a week”.",
    ]
    assert texts("问：你最喜欢的颜色是什么？\n答：蓝色") == ["用户最喜欢的颜色是蓝色。"]


def test_keys_and_values_are_said_as_one_would_say_them() -> None:
    drafts = remember("Name: Ada\nCity: Porto\nJob: data analyst\nAge: 34\nAllergies: peanuts")

    assert [(draft.text, draft.slot) for draft in drafts] == [
        ("The user's name is Ada.", "name"),
        ("The user lives in Porto.", "residence"),
        ("The user works as a data analyst.", "job"),
        ("The user is 34 years old (as of 10 June 2025).", "age"),
        ("The user's allergies: peanuts.", "allergies"),
    ]


@pytest.mark.parametrize(
    ("message", "tag", "other"),
    [
        ("I adopted two kittens.", "宠物", "理财"),
        ("用户想买一台安卓手机", "phone", "health"),
        ("I was diagnosed with type 2 diabetes.", "medical history", "music"),
        ("I donated blood on Friday.", "charity", "movies"),
    ],
)
def test_the_callers_tags_fit_by_meaning_in_either_language(message: str, tag: str, other: str) -> None:
    drafts = LocalExtractor().extract([Turn("user", message, DAY)], [tag, other])

    assert [tag in draft.tags for draft in drafts] == [True]
    assert not any(other in draft.tags for draft in drafts)


def test_parents_have_no_name_in_common() -> None:
    turns = [Turn("user", "房子是给我爸妈养老的，他们怕冷，受不了哈尔滨的冬天了。", DAY)]

    texts = [draft.text for draft in LocalExtractor().extract(turns, [])]

    assert "用户的爸妈怕冷，受不了哈尔滨的冬天了。" in texts


def test_who_is_named_by_title_and_surname_is_called_so() -> None:
    turns = [
        Turn("user", "幼儿园老师姓郝，她负责接送。", DAY),
        Turn("user", "我师傅姓沈，他每周来坐一个下午。", DAY),
    ]

    texts = [draft.text for draft in LocalExtractor().extract(turns, [])]

    assert "郝老师负责接送。" in texts
    assert not any("沈师傅" in text for text in texts)


@pytest.mark.parametrize(
    ("message", "of_whom"),
    [
        ("My flatmate Yuki and I are adopting a greyhound, he's called Comet and he's five.", "Comet"),
        ("My boss hired a new intern, he's called Raj and he's from Leeds.", "Raj"),
        ("We've got a new vicar, she's called Hope and she used to be a diver.", "Hope"),
    ],
)
def test_who_has_just_been_given_a_name_is_meant_from_then_on(message: str, of_whom: str) -> None:
    last = texts(message)[-1]

    assert last.startswith((of_whom, f"The user said about {of_whom}"))


def test_somebody_known_who_is_given_a_name_stays_the_same() -> None:
    assert "The user's new manager is from Leeds." in texts(
        "My new manager started. He's called Raj and he's from Leeds."
    )
