"""Implicit preferences: what somebody picks, does again and again, or leaves in a behaviour log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, MemoryKind, Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)


def remember(*messages: str) -> list[Draft]:
    """Memories of what was said; "> " marks the assistant's messages."""
    return LocalExtractor().extract(
        [
            Turn("assistant", text[2:], DAY) if text.startswith("> ") else Turn("user", text, DAY)
            for text in messages
        ],
        [],
    )


def chosen(drafts: Sequence[Draft]) -> str:
    (fact,) = [draft.text for draft in drafts if "chose " in draft.text or "选择了" in draft.text]
    return fact


def hints(drafts: Sequence[Draft]) -> list[str]:
    return [draft.text for draft in drafts if draft.preference_type == "implicit_preference"]


LAPTOPS = ("Which laptop should I get?", "> Options: MacBook Air, Dell XPS 13, or ThinkPad X1 Carbon.")
DINNER = ("Any restaurant ideas?", "> 1. Nobu - sushi\n2. Le Bernardin - seafood\n3. Carbone - Italian food")
FLIGHTS = (
    "Do you have flights to Tokyo?",
    "> There are three: ANA at 9:00 ($620), JAL at 13:00 ($580), and United at 18:00 ($510).",
)
PLACES = ("周末去哪里玩比较好？", "> 推荐故宫、颐和园或者长城。")


@pytest.mark.parametrize(
    ("offer", "answer", "taken"),
    [
        (LAPTOPS, "The Dell sounds good, I'll get that one.", "Dell XPS 13"),
        (LAPTOPS, "MacBook Air, please.", "MacBook Air"),
        (LAPTOPS, "The last one.", "ThinkPad X1 Carbon"),
        (LAPTOPS, "option 2", "Dell XPS 13"),
        (DINNER, "Let's do number 3.", "Carbone"),
        (DINNER, "We'll go with the seafood place.", "Le Bernardin"),
        (DINNER, "Nobu it is!", "Nobu"),
        (DINNER, "#2 please", "Le Bernardin"),
        (FLIGHTS, "I'd rather take the cheapest one.", "United"),
        (PLACES, "那去颐和园吧，人少一点。", "颐和园"),
        (PLACES, "就第一个吧", "故宫"),
        (PLACES, "长城不错", "长城"),
    ],
)
def test_what_was_picked_is_understood(offer: tuple[str, str], answer: str, taken: str) -> None:
    fact = chosen(remember(*offer, answer))

    assert f"chose {taken}" in fact or f"选择了{taken}" in fact


@pytest.mark.parametrize(
    "answer", ["Not the Dell.", "What about battery life?", "Thanks, I'll think about it.", "None of them."]
)
def test_what_was_not_picked_is_no_choice(answer: str) -> None:
    assert not any("chose " in draft.text for draft in remember(*LAPTOPS, answer))


def test_a_choice_leaves_a_careful_preference_with_its_reason() -> None:
    (hint,) = [
        draft for draft in remember(*DINNER, "Let's do number 3.") if draft.kind is MemoryKind.PREFERENCE
    ]

    assert (
        hint.text
        == "When choosing restaurants, the user may prefer Carbone rather than Nobu or Le Bernardin."
    )
    assert hint.reasoning.startswith(
        "The user chose Carbone over Nobu, Le Bernardin when the assistant offered several"
    )
    assert hint.confidence < 0.7


def test_the_next_choice_of_the_same_kind_replaces_the_last() -> None:
    first, second = (
        next(draft.slot for draft in remember(*DINNER, answer) if draft.kind is MemoryKind.PREFERENCE)
        for answer in ("Nobu it is!", "Carbone, please")
    )

    assert first == second != ""


def test_ice_cream_that_was_picked_is_a_taste() -> None:
    drafts = remember(
        "Recommend some ice cream flavors",
        "> We have vanilla, chocolate, strawberry and mango.",
        "I'll have the mango please.",
    )

    assert "chose mango" in chosen(drafts)
    assert hints(drafts) == [
        "When choosing ice cream flavors, the user may prefer mango rather than vanilla, chocolate or strawberry."
    ]


def test_what_is_done_three_times_is_a_taste() -> None:
    drafts = remember(
        "I ordered a veggie burger.",
        "> ok",
        "I got the veggie burger for lunch today.",
        "Having a veggie burger tonight too.",
    )

    assert hints(drafts) == ["The user may like veggie burger."]
    (hint,) = [draft for draft in drafts if draft.kind is MemoryKind.PREFERENCE]
    assert "3 times" in hint.reasoning
    assert hint.turns == (0, 2, 3)


def test_what_is_done_twice_is_none() -> None:
    assert hints(remember("I ordered a veggie burger.", "I got the veggie burger today.")) == []


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("I usually drink my coffee black.", "The user may prefer their coffee black."),
        ("I always get the window seat.", "The user may prefer the window seat."),
        ("I usually have porridge for breakfast.", "The user may prefer porridge for breakfast."),
        ("We usually stay at Marriott hotels.", "The user may prefer Marriott hotels."),
        ("我平时都喝美式。", "用户可能偏好美式。"),
    ],
)
def test_a_habit_is_a_taste(message: str, hint: str) -> None:
    assert hint in hints(remember(message))


def test_lines_of_a_log_are_taken_together() -> None:
    drafts = remember(
        "Viewed product page: Sony WH-1000XM5 headphones",
        "Added Sony WH-1000XM5 headphones to cart",
        "Searched for noise cancelling headphones",
    )

    assert hints(drafts) == [
        "The user may be interested in Sony WH-1000XM5 headphones.",
        "The user may be interested in noise cancelling headphones.",
    ]
    sony = next(draft for draft in drafts if draft.kind is MemoryKind.PREFERENCE)
    assert (sony.turns, "viewed" in sony.reasoning, "added" in sony.reasoning) == ((0, 1), True, True)


def test_a_log_shows_how_much_of_something_somebody_likes() -> None:
    english = hints(
        remember("Clicked 'Retirement Finance' ad to enter app", "Browsed and bookmarked low-risk funds")
    )
    chinese = hints(remember("点击了“养老理财”广告进入App", "浏览并收藏了低风险基金"))

    assert english == [
        "The user may be interested in Retirement Finance.",
        "The user may be interested in low-risk funds.",
        "The user may prefer low-risk options.",
    ]
    assert chinese == [
        "用户可能对养老理财感兴趣。",
        "用户可能对低风险基金感兴趣。",
        "用户可能偏好低风险的选择。",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "I always get seasick.",
        "I usually get nervous before exams.",
        "I usually have headaches in the morning.",
        "I mostly get heartburn from red wine.",
        "I usually get up at six.",
    ],
)
def test_what_befalls_somebody_again_and_again_is_no_preference(message: str) -> None:
    assert hints(remember(message)) == []


@pytest.mark.parametrize(
    ("asked", "answer", "kept"),
    [
        (
            "Which would you choose for me: an app, a group class, or a one-to-one tutor?",
            "The tutor, I freeze up in front of other people.",
            ["The user has chosen the one-to-one tutor.", "The user freezes up in front of other people."],
        ),
        ("Should I get the Kona or the Leaf?", "Kona please.", ["The user has chosen the Kona."]),
        ("Would you go for Lisbon or Porto?", "Porto, definitely.", ["The user has chosen Porto."]),
        ("Should we do Skye or Mull this summer?", "Mull!", ["The user has chosen Mull."]),
        ("Should I paint it green or blue?", "Green.", ["The user has chosen green."]),
        ("Should I ring the bank or the police?", "The bank was no help.", ["The bank was no help."]),
        (
            "Which is healthier, butter or margarine?",
            "Butter is what my gran used.",
            ["Butter is what the user's gran used."],
        ),
    ],
)
def test_an_answer_to_the_users_own_question_is_their_choice(
    asked: str, answer: str, kept: list[str]
) -> None:
    assert [draft.text for draft in remember(asked, "> It depends.", answer) if not draft.speaker] == kept
