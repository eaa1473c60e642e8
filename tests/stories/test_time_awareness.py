"""Memories that change with time: what is true now, what was true before, and what happened when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.api_client import Api, message

USER = "test_user"


@pytest.fixture
def life(api: Api) -> Api:
    """Two homes and two journeys, told at their times."""
    api.add(
        USER,
        message("user", "I live in Beijing.", chat_time="2025-01-10 10:00:00"),
        message("user", "I moved to Shanghai.", chat_time="2025-06-01 10:00:00"),
        message(
            "user",
            "I traveled to Xi'an during last year's National Day holiday.",
            chat_time="2025-10-08 10:00:00",
        ),
        message(
            "user",
            "I traveled to Hangzhou during this year's May Day holiday.",
            chat_time="2026-05-02 10:00:00",
        ),
    )
    return api


def test_asked_about_today_it_knows_the_present_home(life: Api) -> None:
    facts = life.facts(USER, "Where do I live now?")

    assert "Shanghai" in facts[0]
    assert not any("Beijing" in fact for fact in facts)


def test_asked_about_before_it_knows_the_former_home(life: Api) -> None:
    facts = life.facts(USER, "Where did I live before?")

    assert "Beijing" in facts[0]


def test_journeys_are_kept_apart_with_the_latest_first(life: Api) -> None:
    facts = life.facts(USER, "Where have I traveled?")

    journeys = [city for fact in facts for city in ("Hangzhou", "Xi'an") if city in fact]
    assert journeys == ["Hangzhou", "Xi'an"]


def test_the_latest_journey_is_the_recent_one(life: Api) -> None:
    assert "Hangzhou" in life.facts(USER, "Where did I travel recently?")[0]


def test_a_taste_that_changed_is_answered_as_it_is_today(api: Api) -> None:
    api.add(USER, "I like apples.")
    api.add(USER, "I don't like apples anymore.")

    preferences = api.preferences(USER, "Does the user like apples?", relativity=0)

    assert len([preference for preference in preferences if "apple" in preference]) == 1
    assert "not" in preferences[0]


def test_what_one_can_eat_now_counts(api: Api) -> None:
    api.add(
        USER,
        message("user", "I like spicy food.", chat_time="2025-09-12 08:00:00"),
        message(
            "user",
            "I can't eat very oily or spicy food now, and I prefer something lighter.",
            chat_time="2025-09-25 12:00:00",
        ),
    )

    answer = api.search(USER, "What food suits the user?", relativity=0)

    text = repr([item["preference"] for item in answer["preference_detail_list"]])
    text += repr([item["memory_value"] for item in answer["memory_detail_list"]])
    assert "lighter" in text
    assert "likes spicy food." not in text


def test_a_filter_over_times_narrows_what_is_recalled(life: Api) -> None:
    question = "Where have I traveled?"

    assert life.facts(USER, question, filter={"and": [{"create_time": {"gte": "2020-01-01"}}]})
    assert not life.facts(USER, question, filter={"and": [{"create_time": {"lt": "2020-01-01"}}]})


def test_the_month_or_day_of_a_question_tells_which_event_it_means(api: Api) -> None:
    api.add(
        USER,
        message("user", "I went to Lisbon with Ana last weekend.", chat_time="2026-03-04 12:00:00"),
        message("user", "I ran the half marathon in Leeds yesterday.", chat_time="2026-04-12 12:00:00"),
        message("user", "I went to Bergen for a conference last week.", chat_time="2026-05-20 12:00:00"),
        message("user", "My car broke down on the motorway this morning.", chat_time="2026-06-15 12:00:00"),
        message("user", "I had my wisdom tooth out yesterday.", chat_time="2026-08-19 12:00:00"),
    )
    api.add(
        "Lin",
        message("user", "上周末我和小安去了苏州。", chat_time="2026-03-04 12:00:00"),
        message("user", "昨天我跑了半程马拉松。", chat_time="2026-04-12 12:00:00"),
        message("user", "上周我去成都开会。", chat_time="2026-05-20 12:00:00"),
        message("user", "今天早上车在高速上抛锚了。", chat_time="2026-06-15 12:00:00"),
    )

    for user, question, answer in (
        (USER, "Where did I go in May 2026?", "Bergen"),
        (USER, "What did I do in April 2026?", "marathon"),
        (USER, "What happened on 15 June 2026?", "car"),
        (USER, "What happened in August 2026?", "tooth"),
        ("Lin", "五月我去了哪里？", "成都"),
        ("Lin", "2026年四月我做了什么？", "马拉松"),
        ("Lin", "六月十五号发生了什么？", "抛锚"),
    ):
        assert answer in api.facts(user, question)[0], question

    assert len(api.facts(USER, "What happened in August 2026?")) == 1
    assert len(api.facts("Lin", "六月十五号发生了什么？")) == 1


def test_a_weekday_or_a_distance_tells_which_event_a_question_means(api: Api) -> None:
    now = datetime.now(UTC)
    soon = now + timedelta(days=3)
    written_at = [(now - timedelta(days=days)).strftime("%Y-%m-%d 12:00:00") for days in (14, 7, 1)]
    statements = (
        "I planted two hundred tulip bulbs today.",
        "I rang the insurer about the windscreen today.",
        f"The boiler inspection is on {soon.day} {soon:%B %Y}, and choir practice is two days later.",
    )
    statements_zh = (
        "今天我在阳台种了二十棵番茄苗。",
        "今天我给保险公司打了电话。",
        f"{soon.year}年{soon.month}月{soon.day}日上门检修锅炉。",
    )
    for user, sentences in ((USER, statements), ("Lin", statements_zh)):
        for sentence, chat_time in zip(sentences, written_at, strict=True):
            api.add(user, message("user", sentence, chat_time=chat_time))

    for user, question, answer in (
        (USER, "What did I do two weeks ago?", "tulip"),
        (USER, "What did I do a week ago?", "insurer"),
        (USER, f"What do I have on {soon:%A}?", "boiler"),
        ("Lin", "两周前我做了什么？", "番茄"),
        ("Lin", "七天前我做了什么？", "保险"),
        ("Lin", f"周{'一二三四五六日'[soon.weekday()]}我有什么安排？", "锅炉"),
    ):
        assert answer in api.facts(user, question)[0], question


@pytest.mark.parametrize(
    "question", ["What did I do on 9999-12-31?", "0000-05-01", "9999年12月31日我做了什么？"]
)
def test_a_question_may_name_a_day_at_the_end_of_the_calendar(life: Api, question: str) -> None:
    assert life.search(USER, question, relativity=0)["memory_detail_list"]


def test_the_week_in_which_something_was_said_makes_it_no_nearer_to_a_question(api: Api) -> None:
    scores = []
    for user, said_at in (("Ann", "2026-07-30 12:00:00"), ("Bea", "2026-07-23 12:00:00")):
        api.add(user, message("user", "I am going to view houses on Saturday.", chat_time=said_at))
        (fact,) = api.search(user, "Sort out what is piling up.", relativity=0)["memory_detail_list"]
        scores.append(fact["relativity"])

    assert scores[0] == pytest.approx(scores[1], abs=0.02)
