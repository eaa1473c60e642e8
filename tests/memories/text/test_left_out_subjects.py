"""The "I" that hasty writers leave out: put back before a verb of theirs, and nowhere else."""

from __future__ import annotations

import pytest

from memories.text.en.verbs import with_subject
from tests.support.extraction.extraction import remember, texts


@pytest.mark.parametrize(
    "clause",
    [
        "Family visiting us this weekend",
        "Emily flying to Beijing tomorrow",
        "Holly moved to Leeds last week",
        "Assembly starting at nine today",
        "Belly dancing on Tuesdays with Ann",
        "Lovely walking weather today here",
        "Elderly people walking along the beach",
        "Butterfly gardening with the children again",
    ],
)
def test_what_ends_like_an_adverb_is_not_taken_for_one(clause: str) -> None:
    assert with_subject(clause) == clause


@pytest.mark.parametrize(
    "clause",
    [
        "Finally moved to Porto",
        "Recently started running again",
        "Quickly ran home after work",
        "Sadly lost the match again",
        "Shed ten pounds this year",
        "Flying to Beijing tomorrow",
    ],
)
def test_the_subject_is_put_back(clause: str) -> None:
    assert with_subject(clause).startswith("I ")


def test_somebody_else_is_not_taken_for_the_user() -> None:
    assert not [text for text in texts(remember("Emily moved to Leeds last week.")) if "user" in text]


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ("我老婆快生了", "> 恭喜", "昨天生啦！女孩，6斤4两，提前了五天。"),
            ["用户的老婆昨天（2025年6月9日）生了。", "用户的孩子是女孩，6斤4两，提前了五天。"],
        ),
        (("我生了。儿子，7斤。",), ["用户生了。", "用户的孩子是儿子，7斤。"]),
        (
            ("我嫂子要生了", "> 哇", "昨晚生了，女儿，五斤八两"),
            ["用户的嫂子昨晚（2025年6月9日）生了。", "用户的嫂子的孩子是女儿，五斤八两。"],
        ),
        (("我家猫快生了", "> 哇", "昨天生了，四只"), ["用户家的猫昨天（2025年6月9日）生了，四只。"]),
    ],
)
def test_behind_a_birth_it_is_the_baby_of_whom_it_is_said(messages: tuple[str, ...], kept: list[str]) -> None:
    assert texts(remember(*messages))[-len(kept) :] == kept


@pytest.mark.parametrize(
    "message", ["生了一场病", "昨天生日，女孩们都来了", "我女儿生了气", "我妈生了我和弟弟"]
)
def test_what_is_no_birth_has_no_baby(message: str) -> None:
    assert not any("孩子" in text.replace("女孩", "") for text in texts(remember(message)))


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            ("女儿钢琴老师是邵老师", "> 嗯", "邵老师怀孕了，换成了她师妹小顾老师"),
            "用户的女儿钢琴老师换成了邵老师的师妹小顾老师。",
        ),
        (
            ("我健身教练叫阿杰", "> 嗯", "阿杰离职了，换成了他徒弟小武"),
            "用户健身教练换成了阿杰的徒弟小武。",
        ),
        # Where the role is not known, both clauses stand together.
        (("邵老师怀孕了，换成了她师妹小顾老师",), "邵老师怀孕了，换成了她师妹小顾老师。"),
        (("我以前的家教是李同学", "> 嗯", "李同学毕业了，换成了他学弟"), "李同学毕业了，换成了他学弟。"),
        (("车坏了，换成了地铁",), "用户的车坏了，换成了地铁。"),
    ],
)
def test_who_takes_over_takes_the_role_of_who_left(messages: tuple[str, ...], kept: str) -> None:
    assert kept in texts(remember(*messages))
