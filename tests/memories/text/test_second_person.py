"""Statements about the user, said to them; None for what cannot be turned with certainty."""

from __future__ import annotations

import pytest

from memories.text.en.second_person import address_user
from memories.text.zh.second_person import address_user as address_in_chinese


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The user lives in Porto with their wife.", "You live in Porto with your wife."),
        ("The user is allergic to peanuts and works as a nurse.", "You are allergic to peanuts and work as a nurse."),
        ("The user and their wife were in Rome in May 2025.", "You and your wife were in Rome in May 2025."),
        ("Grandfather taught the user to play chess.", "Grandfather taught you to play chess."),
        ("The user no longer likes spicy food.", "You no longer like spicy food."),
        ("The user does not eat pork and drinks no alcohol.", "You do not eat pork and drink no alcohol."),
        ("The user's boss is strict and works late.", "Your boss is strict and works late."),
        ("The user quit Acme and is now at Globex.", "You quit Acme and are now at Globex."),
        ("The user was ill and has been at home since.", "You were ill and have been at home since."),
        ("The user studies law. The user relies on their bike.", "You study law. You rely on your bike."),
        ('The user said on 10 February 2026: "They owe me."', 'You said on 10 February 2026: "They owe me."'),
        ("The user may prefer cheap hotels.", "You may prefer cheap hotels."),
    ],
)  # fmt: skip
def test_english_is_turned_to_the_user(text: str, expected: str) -> None:
    assert address_user(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The user has two sons; they play football.",
        "The user's parents sold their house.",
        "The user likes hikes and walks in the forest.",
        "The user likes tea and drinks.",
        "The user's wife says the user snores.",
        "The user met colleagues in their office.",
        "Liv started judo.",
    ],
)
def test_english_that_may_mean_somebody_else_is_left_alone(text: str) -> None:
    assert address_user(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("用户和用户的妻子住在北京。", "你和你的妻子住在北京。"),
        ("医生让用户每天走路。", "医生让你每天走路。"),
        ("昨天（2026年6月1日）用户打球扭伤了脚踝。", "昨天（2026年6月1日）你打球扭伤了脚踝。"),
        ("用户在2026年2月10日说：“用户体验不好”", "你在2026年2月10日说：“用户体验不好”"),
        ("用户希望助手回答用户尽量简短。", "你希望助手回答你尽量简短。"),
        ("用户做用户研究。", None),
        ("公司有三万用户。", None),
        ("咖啡用户更喜欢喝茶。", None),
    ],
)
def test_chinese_is_turned_to_the_user_or_left_alone(text: str, expected: str | None) -> None:
    assert address_in_chinese(text) == expected
