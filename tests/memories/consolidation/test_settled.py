"""Debts that are paid back, cards that ran out, offices that another holds and plans that are on again end what was so
before; what is another's or only half done ends nothing."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.ends.remaining import find_remaining_english


def ends(new: str, old: str) -> bool:
    return ends_memory(new, old, "en" if new.isascii() else "zh")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user has paid their brother back.", "The user owes their brother 500."),
        ('The user said on 10 March 2026: "Dan paid me back."', "Dan owes the user 40 quid."),
        ("The user settled up with Mia.", "The user owes Mia 30 euros for the tickets."),
        ("The user's library card has lapsed.", "The user has a library card at Central Library."),
        ("The user's passport has expired.", "The user's passport is valid until April 2026."),
        ("The Rome trip is back on.", "The Rome trip is off."),
        ("The match is on again, Saturday 28.", "The match got called off."),
        ("The user's wedding is going ahead after all.", "The user called off the wedding."),
        (
            "Dr Chen has taken over as head of the user's department.",
            "The head of the user's department is Dr Ruiz.",
        ),
        (
            "Sam is the captain of the user's football team now.",
            "The captain of the user's football team is Joe.",
        ),
        ("The user's son has a new teacher, Mr Lloyd.", "The user's son's teacher is Mrs Webb."),
        ("用户欠小李的钱还了。", "用户欠小李五百块。"),
        ("用户已经把欠妈妈的钱还清了。", "用户欠妈妈两万。"),
        ("小王把钱还用户了。", "小王欠用户三千。"),
        ("用户花呗还清了。", "用户花呗还欠四千。"),
        ("健身卡到期了。", "用户办了健身卡。"),
        ("用户爱奇艺会员到期了，没续。", "用户有爱奇艺会员。"),
        ("瑜伽卡用完了。", "用户的瑜伽卡还剩五次。"),
        ("何经理调走了，新来的经理姓孙。", "用户的部门经理姓何。"),
        ("用户又决定去西安了，还是4月10号（2026年4月10日）。", "西安不去了。"),
        ("用户的生日聚会还是照常办。", "用户的生日聚会取消了。"),
    ],
)
def test_what_is_settled_ends_what_was_so_before(new: str, old: str) -> None:
    assert ends(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user has paid their brother back half.", "The user owes their brother 500."),
        ("The user has paid their sister back.", "The user owes their brother 500."),
        ("Dan paid the user back 20.", "Dan owes the user 40 quid."),
        ("The user paid Dan.", "Dan owes the user 40 quid."),
        ("The user's library card has lapsed.", "The user has a gym card."),
        ("The user's gym card ran out but the user renewed it.", "The user has a gym card."),
        ("The Rome trip is back on.", "The Paris trip is off."),
        ("The Rome trip might be back on.", "The Rome trip is off."),
        ("The user's sister's wedding is going ahead after all.", "The user called off the wedding."),
        (
            "Sam is the captain of the user's football team now.",
            "The captain of the user's hockey team is Joe.",
        ),
        (
            "Sam is the captain of the user's football team.",
            "The captain of the user's football team is Sam Hill.",
        ),
        ("The user's son has a new teacher, Mr Lloyd.", "The user's daughter's teacher is Mrs Webb."),
        ("The user's son has a new piano teacher, Mr Lloyd.", "The user's son's teacher is Mrs Webb."),
        ("用户还了小李一半的钱。", "用户欠小李五百块。"),
        ("小王把钱还用户了。", "小张欠用户三千。"),
        ("用户把钱还小王了。", "小王欠用户三千。"),
        ("健身卡快到期了。", "用户办了健身卡。"),
        ("健身卡到期了，又续了一年。", "用户办了健身卡。"),
        ("健身卡到期了。", "用户办了游泳卡。"),
        ("用户的妈妈的医保卡过期了。", "用户有医保卡。"),
        ("张经理调走了，新来的经理姓孙。", "用户的部门经理姓何。"),
        ("用户又决定去西安了。", "成都不去了。"),
        ("年会照常办。", "生日聚会取消了。"),
    ],
)
def test_what_is_anothers_or_half_done_ends_nothing(new: str, old: str) -> None:
    assert not ends(new, old)


def test_a_place_is_no_name_of_a_trip() -> None:
    assert (
        find_remaining_english("The Rome trip is off.", "The user's trip to Rome is on April 10, 2026.") == ""
    )
