"""What stays true of somebody after a break-up, and of what else the user has when one thing is gone."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.phrases.former_partners import write_of_former_partner
from memories.consolidation.ends.remaining import find_remaining_english
from tests.support.api_client import Api, message


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "Saoirse and the user broke up last month (May 2026).",
            "The user's girlfriend Saoirse is a radiographer.",
            "The user's ex-girlfriend Saoirse is a radiographer.",
        ),
        (
            "The user broke up on Sunday (31 May 2026).",
            "The user's girlfriend is allergic to nuts.",
            "The user's ex-girlfriend is allergic to nuts.",
        ),
        (
            "The user split up with Mark in May.",
            "The user's boyfriend Mark works at Lidl.",
            "The user's ex-boyfriend Mark works at Lidl.",
        ),
        (
            "The user and their husband have separated.",
            "The user's husband is from Ghent.",
            "The user's ex-husband is from Ghent.",
        ),
        ("The user got divorced last year.", "The user's wife is a vet.", "The user's ex-wife is a vet."),
        (
            "The user and Jonas are not together any more.",
            "The user's fiancé Jonas plays the cello.",
            "The user's ex-fiancé Jonas plays the cello.",
        ),
        (
            "The user broke up with Ines.",
            "The user's partner Ines's mother lives in Faro.",
            "The user's ex-partner Ines's mother lives in Faro.",
        ),
    ],
)
def test_what_is_told_of_a_partner_stays_true_after_the_break_up(new: str, old: str, rest: str) -> None:
    assert write_of_former_partner(new, old, "en") == rest


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user's sister broke up with her boyfriend.", "The user's boyfriend Mark works at Lidl."),
        ("The user's brother and his wife split up.", "The user's wife is a vet."),
        ("The user nearly broke up with Mark.", "The user's boyfriend Mark works at Lidl."),
        ("The user and Mark broke up and got back together.", "The user's boyfriend Mark works at Lidl."),
        ("The user broke up with Dave.", "The user's boyfriend Mark works at Lidl."),
        ("The user broke up with Dave ten years ago.", "The user's boyfriend works at Lidl."),
        ("The user broke up the fight.", "The user's girlfriend is a nurse."),
        ("The user got divorced in 2011.", "The user's girlfriend is a nurse."),
        ("The user broke up with Mark.", "The user's boyfriend Mark lives with the user."),
        ("The user broke up with Mark.", "The user's brother Mark works at Lidl."),
        ("The user might break up with Mark.", "The user's boyfriend Mark works at Lidl."),
        ("The user is thinking of splitting up.", "The user's boyfriend Mark works at Lidl."),
    ],
)
def test_what_is_anothers_or_not_certain_makes_nobody_a_former_partner(new: str, old: str) -> None:
    assert write_of_former_partner(new, old, "en") == ""


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        ("用户和小雨分手了。", "用户的女朋友小雨是护士。", "用户的前女友小雨是护士。"),
        ("用户和小雨分手了。", "用户的女朋友在协和医院上班。", "用户的前女友在协和医院上班。"),
        ("用户上个月（2026年5月）和男朋友分手了。", "用户的男朋友是程序员。", "用户的前男友是程序员。"),
        ("用户离婚了。", "用户的老婆对海鲜过敏。", "用户的前妻对海鲜过敏。"),
        ("用户跟老公离婚了。", "用户的老公在银行上班。", "用户的前夫在银行上班。"),
        ("用户被小雨甩了。", "用户的女朋友叫小雨。", "用户的前女友叫小雨。"),
        ("小雨和用户分手了。", "用户的对象小雨喜欢猫。", "用户的前任小雨喜欢猫。"),
        ("用户分手了。", "用户的女朋友的妈妈住在苏州。", "用户的前女友的妈妈住在苏州。"),
    ],
)
def test_what_is_told_of_a_partner_in_chinese_stays_true(new: str, old: str, rest: str) -> None:
    assert write_of_former_partner(new, old, "zh") == rest


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("用户的妹妹和男朋友分手了。", "用户的男朋友是程序员。"),
        ("用户差点和小雨分手了。", "用户的女朋友小雨是护士。"),
        ("用户想分手了。", "用户的女朋友小雨是护士。"),
        ("用户和小雨分手了又复合了。", "用户的女朋友小雨是护士。"),
        ("用户和小雨分手了。", "用户的女朋友叫阿珍。"),
        ("用户和男朋友分手了。", "用户的女朋友小雨是护士。"),
        ("用户和小雨分手了。", "用户的妹妹小雨是护士。"),
        ("用户和小雨分手了。", "用户的女朋友和用户同居。"),
        ("用户三年前离婚了。", "用户的女朋友小雨是护士。"),
        ("同事和老婆离婚了。", "用户的老婆是老师。"),
        ("用户离婚了。", "用户的女朋友小雨是护士。"),
    ],
)
def test_what_is_anothers_in_chinese_makes_nobody_a_former_partner(new: str, old: str) -> None:
    assert write_of_former_partner(new, old, "zh") == ""


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "Rufus passed away on Friday.",
            "The user has a dog named Rufus and a cat named Mimi.",
            "The user has a cat named Mimi.",
        ),
        (
            "The user sold the cottage.",
            "The user owns a flat in Leeds, a cottage in Wales and a garage.",
            "The user owns a flat in Leeds and a garage.",
        ),
        ("The user sold the Civic.", "The user drives a Civic and a Polo.", "The user drives a Polo."),
        ("Rufus and Mimi died.", "The user has a dog named Rufus and a cat named Mimi.", ""),
        ("The user lost the pets.", "The user has a dog named Rufus and a cat named Mimi.", ""),
        ("Rufus died.", "The user has a dog named Rufus.", ""),
    ],
)
def test_of_several_things_the_others_stay(new: str, old: str, rest: str) -> None:
    assert find_remaining_english(new, old) == rest


def _talk(api: Api, user: str, *texts: str) -> str:
    """What is held of the user after the talks, weeks apart."""
    for at, text in enumerate(texts):
        said_at = 1_750_000_000_000 + at * 3_000_000_000
        api.add(user, message("user", text, chat_time=said_at), conversation_id=f"talk {at}")
    return " ".join(api.current(user))


def test_a_break_up_keeps_what_the_user_said_of_the_partner(api: Api) -> None:
    first = "My girlfriend Saoirse is a radiographer. She lives in Cork."
    held = _talk(api, "mia", first, "Saoirse and I broke up last month.")
    assert "ex-girlfriend Saoirse is a radiographer" in held
    assert "lives in Cork" in held
    assert "user's girlfriend" not in held
    held = _talk(api, "lin", "我女朋友小雨是护士，她喜欢吃火锅。", "我和小雨分手了。")
    assert "前女友小雨" in held
    assert "护士" in held
    assert "火锅" in held
    assert "的女朋友" not in held


def test_one_animal_dies_and_the_other_stays(api: Api) -> None:
    held = _talk(
        api, "ivo", "We have a dog named Rufus and a cat named Mimi.", "Rufus passed away on Friday."
    )
    assert "cat named Mimi" in held
    assert "dog named" not in held
