"""Talks that say that something is done no more, and sentences alike that end nothing."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.similarity import ComparedText, Similarity, compare_statements


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("The user smokes ten a day.", "The user has not smoked since New Year.", True),
        ("The user's wife smokes ten a day.", "The user has not smoked since New Year.", False),
        ("The user works at the mill.", "The user has not stopped since New Year.", False),
        (
            "The user is on the parish council.",
            "The user lost their seat on the parish council in the May election.",
            True,
        ),
        (
            "The user is on the school board.",
            "The user lost their seat on the parish council in the May election.",
            False,
        ),
        (
            "The user's daughter is engaged to a lad called Ryan.",
            "The user's daughter has broken it off with Ryan.",
            True,
        ),
        ("The user's daughter works with Ryan.", "The user's daughter has broken it off with Ryan.", False),
        ("The user takes the 7:10 train to Derby.", "The user catches the 6:52 these days.", True),
        ("The user takes the 7:10 train to Derby.", "The user caught the 6:52 today.", False),
    ],
)
def test_what_is_done_no_more_ends_only_what_was_done(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "en") == is_over


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("用户租住在码头边一个老太太家。", "用户搬出来了。", True),
        ("用户租住在码头边一个老太太家。", "用户的女儿搬出去了。", False),
        ("用户是业委会的委员，管绿化。", "五月（2025年5月）换届，用户没选上，不是业委会委员了。", True),
        ("用户坐七点十分的火车去德阳。", "用户现在坐六点五十二的。", True),
        ("用户坐七点十分的火车去德阳。", "用户今天坐六点五十二的。", False),
        ("用户家狗饼干吃生骨肉。", "兽医让饼干改吃罐头了。", True),
        ("用户每天早上吃鸡蛋。", "用户中午改吃面条了。", False),
        ("用户一天抽十根烟。", "用户过年（2026年2月）以后一根没抽。", True),
        ("用户的爸爸一天抽十根烟。", "用户过年（2026年2月）以后一根没抽。", False),
        ("用户的女儿跟小瑞订婚了。", "用户的女儿跟小瑞吹了。", True),
        ("用户的女儿跟小瑞是同事。", "用户的女儿跟小瑞吹了。", False),
        ("用户家狗雷克斯吃生骨肉。", "兽医让饼干改吃罐头了。", False),
        ("用户吃素。", "兽医让饼干改吃罐头了。", False),
        ("用户喝咖啡。", "用户现在改喝茶了。", True),
        ("用户喝咖啡。", "用户的妈妈改喝茶了。", False),
    ],
)
def test_what_is_done_no_more_in_chinese_ends_only_what_was_done(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "zh") == is_over


@pytest.mark.parametrize(
    ("old", "new", "is_changed"),
    [
        (
            "The user swims at the lido every morning.",
            "The user could not swim at the lido this morning (14 April 2026).",
            False,
        ),
        ("The user plays darts on Tuesdays.", "The user could not play on Tuesday (14 April 2026).", False),
        ("The user smokes.", "The user did not smoke at the party.", False),
        ("The user drinks coffee.", "The user did not drink coffee yesterday (13 April 2026).", False),
        ("The user eats meat.", "The user does not eat meat.", True),
        ("The user drinks coffee.", "The user does not drink coffee any more.", True),
    ],
)
def test_what_was_not_done_once_is_still_done(old: str, new: str, is_changed: bool) -> None:
    assert (compare_statements(ComparedText(new), ComparedText(old), 0.5) == Similarity.CHANGED) == is_changed


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("用户在健身房当教练。", "教练不做了。", True),
        ("用户在健身房当教练。", "用户的教练不做了。", False),
        ("用户在健身房当教练。", "用户换教练了。", False),
        ("用户在学校当老师。", "班主任不当了。", False),
        ("用户的男朋友在當兵。", "用户的男朋友退伍了。", True),
        ("用户的男朋友在当兵。", "用户的表哥退伍了。", False),
        ("用户跟室友合租在永和。", "用户搬出來了。", True),
        ("用户跟老公住。", "用户的妹妹搬出来了。", False),
        ("用户的女兒讀國小。", "用户的女兒上國中了。", True),
        ("用户的女儿读国小。", "用户的侄女上国中了。", False),
        ("用户在夜市開雞排店。", "用户的雞排店頂讓了。", True),
    ],
)
def test_who_does_it_no_more_is_the_one_who_did(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "zh") == is_over


@pytest.mark.parametrize("new", ["，。！", "（2026年3月2日）", "。", "……", "", "!?"])
def test_what_says_nothing_ends_nothing(new: str) -> None:
    assert not ends_memory(new, "用户住在臺北。", "zh")
    assert not ends_memory(new, "The user lives in Rome.", "en")
