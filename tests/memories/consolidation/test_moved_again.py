"""What is moved in day and hour at once, put off twice or raised by somebody else has its new value; other things keep
theirs."""

from __future__ import annotations

import pytest

from memories.consolidation.similarity import (
    ComparedText,
    Similarity,
    compare_statements,
    may_be_of_several,
)
from memories.text.clauses.clausewise import says_new_value
from memories.text.clauses.corrections import correct_text
from memories.text.clauses.stated_values import find_values
from memories.values import Draft, MemoryKind
from tests.support.api_client import Api, message

NEAR = 0.75
POTTERY = "The user's pottery class is on Tuesdays at 6."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (POTTERY, 'The user said on 10 March 2026: "They moved pottery to Thursdays at 7."'),
        (POTTERY, "Pottery has moved to Thursdays at 7."),
        ("The user has choir practice on Wednesdays at 7pm.", "Choir has been moved to Mondays at 7.30."),
        ("The user's product launch is on April 2, 2026.", "The launch slipped to April 9, 2026."),
        ("Site launch slipped to April 6, 2026.", "Site launch slipped again to April 20, 2026."),
        (
            "The user's thesis deadline was pushed to April 15, 2026.",
            'The user said on 17 March 2026: "Thesis deadline slipped again, it\'s April 30 now."',
        ),
        (
            "The grant report deadline moved to March 27, 2026.",
            "The grant report is now due April 3, 2026.",
        ),
        ("The user's credit card limit is $3000.", "The bank raised the user's limit to $5000."),
        ("用户瑜伽课是每周二晚上七点。", "瑜伽课改到周四晚上八点了。"),
        ("用户的组会一直是周一（2026年3月9日）上午十点。", "导师把组会挪到周三下午两点了。"),
        ("同学聚会定在3月20号（2026年3月20日）。", "聚会改到27号（2026年3月27日）了。"),
        ("用户的论文初稿延到3月27号（2026年3月27日）交。", "用户的论文初稿又延到4月3号（2026年4月3日）了。"),
        ("用户上线时间推到4月1号（2026年4月1日）了。", "用户上线又推迟到4月15号（2026年4月15日）了。"),
        (
            "标书截止日期延到下周三（2026年3月18日）了。",
            "标书截止又延到3月27号（2026年3月27日）了。",
        ),
        ("用户现在工资八千。", "老板说从下个月（2026年4月）起给用户涨到九千五。"),
        ("用户的工资是一万。", "公司给用户加薪到一万二了。"),
        ("物业费每平两块五。", "物业说明年（2027年）涨到三块。"),
        ("The user is flying to Tokyo on April 2, 2026.", "Tokyo trip is now April 9, 2026 to 23."),
        (
            "The user has a flight to Denver on March 20, 2026.",
            "The user's Denver flight got moved to March 22, 2026.",
        ),
        ("用户4月2号（2026年4月2日）去东京。", "东京行程改到4月9号（2026年4月9日）了。"),
    ],
)
def test_what_was_moved_or_raised_is_a_change(old: str, new: str) -> None:
    assert compare_statements(ComparedText(new), ComparedText(old), NEAR) == Similarity.CHANGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (POTTERY, "The user also has pottery on Thursdays at 7."),
        (
            "The user group meets on Tuesdays at 6.",
            'The user said: "They moved the reading group to Thursdays at 7."',
        ),
        (
            "The user's dentist appointment is on April 14, 2026 at 10.",
            "The user's vet appointment moved to April 20, 2026 at 9.",
        ),
        ("The user's sister's credit card limit is $3000.", "The bank raised the user's limit to $5000."),
        ("公司年会定在3月20号（2026年3月20日）。", "聚会改到27号（2026年3月27日）了。"),
        ("用户的小区27号楼停水。", "用户停水改到28号（2026年3月28日）了。"),
        ("用户周一有一个班。", "用户周三又加了一个班。"),
        ("用户工资八千。", "公司涨到一百人了。"),
        ("用户的妻子工资八千。", "老板给用户涨到九千五了。"),
        ("用户工资三千二。", "房东涨到三千八了。"),
        ("The user went to Lisbon on May 4, 2025.", "The Lisbon trip has been moved to May 11, 2026."),
        (
            "The user's sister is going to Lisbon on May 4, 2026.",
            "The Lisbon trip has been moved to May 11, 2026.",
        ),
        ("The user is going to Lisbon on May 4, 2026.", "The Paris trip is now May 11, 2026."),
        ("用户五一（2026年5月）去成都玩。", "成都之行改到端午（2026年6月）了。"),
    ],
)
def test_another_thing_keeps_its_day_and_amount(old: str, new: str) -> None:
    assert not says_new_value(new, old)
    assert compare_statements(ComparedText(new), ComparedText(old), NEAR) != Similarity.CHANGED


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        (
            "The user's yoga class is on Mondays at 6 with Jo.",
            "Yoga has moved to Wednesdays at 7.",
            "The user's yoga class is on Wednesdays at 7 with Jo.",
        ),
        (
            "The user is driving to Cornwall on April 3, 2026 with the kids.",
            "The user's Cornwall holiday is now April 10, 2026 to 17.",
            "The user is driving to Cornwall on April 10, 2026 with the kids.",
        ),
    ],
)
def test_the_rest_of_what_was_moved_stays(old: str, new: str, right: str) -> None:
    assert correct_text(old, Draft(MemoryKind.FACT, new, "", (0,), 1.0)) == right


def test_the_first_is_not_within_the_fifteenth() -> None:
    first, fifteenth = (find_values(text)[0] for text in ("4月1号", "4月15号"))
    assert first.is_rival_of(fifteenth)


def test_the_reunion_may_be_either_of_two() -> None:
    school, family = "The user's school reunion is on March 20.", "The user's family reunion is on April 4."
    assert may_be_of_several("The reunion has been moved to March 27.", [school, family])
    assert not may_be_of_several("The reunion has been moved to March 27.", [school])
    assert not may_be_of_several("The reunion is now on March 27.", [school, "The reunion is on March 20."])


def test_of_two_reunions_both_keep_their_days(api: Api) -> None:
    api.add("ana", message("user", "My school reunion is on March 20. My family reunion is on April 4."))
    api.add("ana", message("user", "The reunion has been moved to March 27."), conversation_id="later")
    held = " ".join(api.current("ana"))
    assert "school reunion is on March 20" in held
    assert "family reunion is on April 4" in held


@pytest.mark.parametrize(
    ("first", "later", "here", "there"),
    [
        ("I rent a flat in Leeds for 900 a month.", "I moved to York last week.", "York", "Leeds"),
        ("我在望京租房，房租四千五。", "我上周搬到通州了。", "通州", "望京"),
    ],
)
def test_who_moved_last_week_lives_there_now(api: Api, first: str, later: str, here: str, there: str) -> None:
    tuesday, week = 1_750_150_800_000, 7 * 24 * 3_600_000
    api.add("bo", message("user", first, chat_time=tuesday))
    api.add("bo", message("user", later, chat_time=tuesday + week), conversation_id="later")
    held = " ".join(api.current("bo"))
    assert here in held
    assert there not in held
