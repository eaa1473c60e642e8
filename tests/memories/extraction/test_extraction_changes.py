"""What changes: states and tastes keep one slot each, so that what is said later replaces what was said before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, MemoryKind, Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)


def remember(*messages: str, at: datetime = DAY) -> list[Draft]:
    return LocalExtractor().extract([Turn("user", text, at) for text in messages], [])


def only(drafts: list[Draft]) -> Draft:
    assert len(drafts) == 1, [draft.text for draft in drafts]
    return drafts[0]


def slots(message: str) -> set[str]:
    return {draft.slot for draft in remember(message) if draft.slot}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I like window seats.", "I prefer aisle seats now."),
        ("I like window seats when I fly.", "我现在更喜欢靠过道的座位。"),
        ("我坐飞机喜欢靠窗的位置。", "I prefer the aisle seat"),
        ("I like spicy food.", "I prefer something lighter"),
        ("我喜欢吃辣。", "我现在喜欢清淡的口味。"),
        ("I like spicy food", "我现在不能吃辣"),
        ("I like my tea hot.", "I prefer iced tea."),
        ("我喜欢喝热咖啡", "我喜欢喝冰咖啡"),
        ("I prefer Marriott hotels.", "We prefer Hilton hotels these days."),
        ("I prefer Salomon boots", "I prefer La Sportiva boots now"),
        ("I prefer trains over planes.", "I prefer planes to trains."),
        ("I prefer email to phone calls.", "I prefer phone calls to email."),
        ("I prefer dark mode", "I prefer light mode"),
        ("I prefer low-risk funds.", "I don't want to take too much risk."),
        ("I prefer a high floor", "I prefer low floors"),
        ("I am vegetarian", "As a vegan I struggle to find good cheese."),
        ("I quit smoking two years ago.", "I love smoking"),
    ],
)
def test_a_later_answer_to_the_same_question_replaces_the_former(before: str, after: str) -> None:
    assert slots(before) == slots(after) - {""} != set()


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("I like Marriott hotels", "I like Hilton hotels"),
        ("I like my tea hot", "I prefer iced coffee"),
        ("I prefer iced tea in summer", "I like my tea hot"),
        ("I like apples", "I like pears"),
        ("I hate middle seats", "I prefer aisle seats"),
        ("When writing emails, keep the tone light.", "Keep a formal tone in your answers."),
        ("We use Figma 116.", "We use Jira 9.4."),
        ("I live in Porto", "I live in a small rental"),
    ],
)
def test_what_can_be_true_together_stays_apart(message: str, other: str) -> None:
    assert slots(message)
    assert not slots(message) & slots(other)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("I like apples", "我不喜欢苹果"),
        ("I love swimming", "我喜欢游泳"),
        ("I hate cilantro", "我讨厌香菜"),
        ("I love cooking", "我喜欢做饭"),
        ("I like hotpot", "我爱吃火锅"),
        ("I'm allergic to peanuts", "我对花生过敏"),
        ("My favourite colour is blue", "我最喜欢的颜色是红色"),
        ("I enjoy basketball", "我喜欢打篮球"),
        ("I like jazz", "我喜欢爵士乐"),
        ("I live in Rome", "我住在罗马"),
        ("My budget is 500 dollars", "我的预算是5000元"),
    ],
)
def test_the_same_thing_is_the_same_in_both_languages(english: str, chinese: str) -> None:
    assert slots(english) == slots(chinese) != set()


@pytest.mark.parametrize(
    ("message", "slot"),
    [
        ("I weigh 82 kg.", "weight"),
        ("I turned 40 last week.", "age"),
        ("I have two sons.", "children"),
        ("I'm in charge of the Marketing Department at XX company.", "job"),
        ("I work in the marketing department at an internet company.", "employer"),
        ("My laptop has an M3 chip.", "chip:computer"),
        ("The budget for office software is 800 yuan per person.", "budget:offic softwar"),
        ("办公软件的预算是800元。", "budget:办公 软件"),
        ("I upgraded to Node 20 yesterday.", "software:node"),
        ("我们团队用的是Python 3.11。", "software:python"),
        ("我在深圳工作三年了。", "work city"),
        ("我在腾讯工作三年了。", "employer"),
        ("My cat's name is Gizmo.", "name of:cat"),
        ("I speak Portuguese.", "speaks:portugues"),
        ("My name is not John, it's Jon.", "name"),
    ],
)
def test_a_state_has_its_slot(message: str, slot: str) -> None:
    assert only(remember(message)).slot == slot


def test_each_product_has_a_version_of_its_own() -> None:
    assert [
        (draft.text, draft.slot) for draft in remember("We use Figma 116 and Jira 9.4 at the company.")
    ] == [
        ("The user uses Figma 116 at the company.", "software:figma"),
        ("The user uses Jira 9.4 at the company.", "software:jira"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        "I am applying for a manager role at DHL.",
        "I might move to Seattle next year.",
        "我是左撇子。",
        "I live in peace.",
        "I almost bought a Tesla.",
        "My favourite thing about my wife is her laugh, and it was raining.",
    ],
)
def test_what_only_looks_like_a_state_is_none(message: str) -> None:
    assert not slots(message) & {"job", "residence", "name", "vehicle", "marital status"}


def test_not_having_something_is_no_dislike() -> None:
    assert all(draft.kind is MemoryKind.FACT for draft in remember("I do not have a car."))


def test_one_message_that_denies_the_old_and_gives_the_new_state_gives_the_new_one() -> None:
    drafts = remember("I don't live in Paris anymore, I moved to Lyon in April.")

    assert [draft.text for draft in drafts if draft.slot == "residence" and not draft.is_end] == [
        "The user moved to Lyon in April 2025 and lives there now."
    ]
    assert [
        draft.text
        for draft in remember("我不住在北京了，上个月搬到了杭州。")
        if draft.slot and not draft.is_end
    ] == ["用户上个月（2025年5月）搬到了杭州，现在住在那里。"]


def test_a_day_that_is_the_value_of_a_state_is_not_when_it_began() -> None:
    birthday = only(remember("My birthday is June 3rd, 1985."))

    assert (birthday.slot, birthday.event_time) == ("birthday", datetime(2025, 6, 10, tzinfo=UTC))


def test_a_state_holds_from_when_it_was_said_not_from_its_goal() -> None:
    weight, goal = remember("I weigh 82 kg now and want to get to 75 by December.")

    assert weight.event_time == datetime(2025, 6, 10, tzinfo=UTC)
    assert (goal.text, goal.slot) == ("The user wants to get to 75 by December 2025.", "")


@pytest.mark.parametrize(
    ("message", "written"),
    [
        (
            "We're getting married on June 14th next year in Tuscany.",
            "on June 14th next year (2026) in Tuscany",
        ),
        ("I have a meeting with the team on Thursday.", "on Thursday (12 June 2025)"),
        ("我老婆怀孕了，预产期是十月。", "十月（2025年10月）"),
    ],
)
def test_what_is_still_to_come_is_not_dated_back(message: str, written: str) -> None:
    assert written in only(remember(message)).text


def test_once_liked_and_now_liked_are_two_things() -> None:
    before, now = remember("I used to like horror movies, now I prefer comedies.")

    assert (before.text, before.slot) == ("The user used to like horror movies.", "likes:horror movi")
    assert (now.text, now.slot) == ("The user prefers comedies.", "likes:comedi")


def test_a_favourite_that_changed_is_the_new_one() -> None:
    before, favourite = remember("My favorite author used to be Murakami but now it's Ted Chiang.")

    assert (before.text, before.slot) == ("The user's favorite author used to be Murakami.", "")
    assert favourite.slot == "favourite:author"
    assert favourite.text == "The user's favorite author is Ted Chiang."


def test_a_denied_allergy_is_told_as_denied() -> None:
    allergy = only(remember("I'm not allergic to penicillin."))

    assert (allergy.text, allergy.slot) == ("The user is not allergic to penicillin.", "allergy:penicillin")
    assert allergy.reasoning == "The user said directly that they are not allergic to penicillin."
