"""What a user asks to have remembered, or to be reminded of, becomes a statement about them, with its date."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, Turn

# A Thursday.
SAID_AT = datetime(2025, 9, 11, 9, 0, tzinfo=UTC)


def remember(message: str, role: str = "user") -> list[Draft]:
    turn = Turn("user" if role == "user" else "assistant", message, SAID_AT)
    return LocalExtractor().extract([turn], [])


@pytest.mark.parametrize(
    ("message", "kept", "day"),
    [
        (
            "Remind me to view houses on Saturday.",
            "The user wants to be reminded to view houses on Saturday (13 September 2025).",
            13,
        ),
        (
            "The viewing is scheduled on Saturday.",
            "The viewing is scheduled on Saturday (13 September 2025).",
            13,
        ),
        (
            "Don't forget the dentist on Friday.",
            "The user wants to be reminded of the dentist on Friday (12 September 2025).",
            12,
        ),
        (
            "Remember to buy milk tomorrow.",
            "The user wants to be reminded to buy milk tomorrow (12 September 2025).",
            12,
        ),
        ("提醒我周六去看房。", "用户希望被提醒周六（2025年9月13日）去看房。", 13),
        ("别忘了周五去看牙医。", "用户希望被提醒周五（2025年9月12日）去看牙医。", 12),
    ],
)
def test_a_reminder_is_for_a_day_to_come(message: str, kept: str, day: int) -> None:
    (draft,) = remember(message)

    assert draft.text == kept
    assert draft.event_time is not None
    assert (draft.event_time.year, draft.event_time.month, draft.event_time.day) == (2025, 9, day)


def test_what_was_done_on_a_day_stays_in_the_past() -> None:
    (draft,) = remember("I viewed two houses on Saturday.")

    assert draft.text == "The user viewed two houses on Saturday (6 September 2025)."


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Please remember that the meeting is on Wednesday.",
            "The meeting is on Wednesday (17 September 2025).",
        ),
        ("Please note that the office closes at 6 pm.", "The office closes at 6 pm."),
        (
            "Write down that the furniture comes next week.",
            "The furniture comes next week (the week of 15 September 2025).",
        ),
        (
            "Note next week's furniture delivery time.",
            "The user wants to keep a note of next week's (the week of 15 September 2025) furniture delivery time.",
        ),
        (
            "Record the latest mortgage rate changes.",
            "The user wants to keep a note of the latest mortgage rate changes.",
        ),
        ("Can you remember that I am allergic to nuts?", "The user is allergic to nuts."),
        ("Make a note that the landlord is called Tom.", "The landlord is called Tom."),
        ("请记住，会议在下周三。", "会议在下周三（2025年9月17日）。"),
        ("请记住项目截止日期是6月25日。", "项目截止日期是6月25日（2026年6月25日）。"),
        ("记住我对坚果过敏。", "用户对坚果过敏。"),
        ("记录一下最新的房贷利率变化。", "用户想记录最新的房贷利率变化。"),
        ("记录一下下周家具送货的时间。", "用户想记录下周（2025年9月15日那一周）家具送货的时间。"),
        ("帮我记一下，周五下午三点看牙医。", "用户周五（2025年9月12日）下午三点看牙医。"),
        ("记得买牛奶。", "用户希望被提醒买牛奶。"),
    ],
)
def test_what_is_to_be_remembered_is_remembered_without_the_order(message: str, kept: str) -> None:
    (draft,) = remember(message)

    assert draft.text == kept


def test_an_allergy_that_is_to_be_remembered_is_the_users_own_words() -> None:
    ordered_drafts, stated_drafts = remember("记住我对坚果过敏。"), remember("我对坚果过敏。")

    assert ordered_drafts == stated_drafts
    assert ordered_drafts[0].slot == "allergy:nut"


def test_a_wish_about_answers_that_is_to_be_remembered_stays_a_wish() -> None:
    (draft,) = remember("Please remember to keep your answers short.")

    assert draft.slot == "style:length"


@pytest.mark.parametrize(
    "message",
    [
        "Remember this.",
        "Please remember what I said.",
        "Do you remember my name?",
        "Remember when we went to Rome?",
        "Write down a poem about spring.",
        "Note the following:",
        "请记住我说的话。",
        "你还记得我的名字吗？",
        "记住了吗？",
        "记住这些。",
    ],
)
def test_an_order_that_names_nothing_leaves_nothing(message: str) -> None:
    assert remember(message) == []


@pytest.mark.parametrize(
    "message", ["I am studying MemOS.", "I study GPT-4.", "I'm studying PyTorch internals."]
)
def test_a_product_is_no_field_of_study(message: str) -> None:
    (draft,) = remember(message)

    assert draft.slot == ""
    assert "stud" in draft.text


@pytest.mark.parametrize("message", ["I am studying computer science.", "I study Chinese literature."])
def test_a_field_of_study_is_one(message: str) -> None:
    assert [draft.slot for draft in remember(message)] == ["major"]


@pytest.mark.parametrize("message", ["我是小王。", "我是小王", "我是老李。", "I am Wang."])
def test_a_name_by_which_people_go_is_the_users_name(message: str) -> None:
    assert [draft.slot for draft in remember(message)] == ["name"]


@pytest.mark.parametrize("message", ["我是小学生。", "我是小李的妈妈。"])
def test_who_somebody_is_beside_a_name_is_no_name(message: str) -> None:
    assert "name" not in [draft.slot for draft in remember(message)]


@pytest.mark.parametrize(
    "message", ["我们有香草、巧克力、草莓和芒果。", "We have vanilla, chocolate, strawberry and mango."]
)
def test_a_bare_list_of_options_is_no_view_of_the_assistant(message: str) -> None:
    assert remember(message, role="assistant") == []


@pytest.mark.parametrize(
    "message", ["我们有三种套餐，基础版每月30元。", "We have two plans, and the basic one costs 30 dollars."]
)
def test_what_is_said_of_the_options_is_a_view(message: str) -> None:
    (view,) = remember(message, role="assistant")

    assert "30" in view.text
