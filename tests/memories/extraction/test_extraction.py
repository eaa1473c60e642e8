"""What Engram remembers of a conversation when no model is configured."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.values import MemoryKind
from tests.support.extraction.extraction import only, remember, texts


@pytest.mark.parametrize(
    "message",
    [
        "Hey! How are you?",
        "Thanks a lot, that's great!",
        "What's the weather?",
        "Can you help me find a flight to Rome?",
        "Recommend some good books.",
        "I want to ask about my refund progress.",
        "I have a question",
        "你好！谢谢！",
        "你喜欢什么？",
        "推荐一部电影",
        "帮我规划一个5天的行程，最好便宜一点。",
        "",
        "...!?",
    ],
)
def test_greetings_questions_and_requests_give_nothing(message: str) -> None:
    assert remember(message) == []


def test_a_statement_becomes_a_fact_in_the_third_person() -> None:
    facts = remember("I booked a table at Luigi's and my wife loved it.")

    assert [(fact.kind, fact.text, fact.turns) for fact in facts] == [
        (MemoryKind.FACT, "The user booked a table at Luigi's.", (0,)),
        (MemoryKind.FACT, "The user's wife loved the user's table.", (0,)),
    ]


def test_verbs_agree_with_the_user() -> None:
    facts = remember("I often go to the gym and study law, I've got a coach, and I don't work late.")

    assert texts(facts) == [
        "The user often goes to the gym.",
        "The user studies law.",
        "The user has got a coach.",
        "The user does not work late.",
    ]


def test_each_statement_of_a_message_is_a_memory() -> None:
    facts = remember("Tom visited me. We cooked pasta. It rained all evening.")

    assert texts(facts) == [
        "Tom visited the user.",
        "The user cooked pasta.",
        'The user said on 10 June 2025: "It rained all evening."',
    ]


def test_a_very_long_message_is_cut_into_several_facts() -> None:
    story = " ".join(
        f"Then friend number {n} told me a long story about the town of Riverside {n}." for n in range(30)
    )

    facts = remember(story)

    assert len(facts) > 2
    assert all(len(fact.text.split()) <= 90 for fact in facts)


def test_a_statement_before_a_question_is_kept() -> None:
    fact = only(remember("I want to travel during summer vacation, can you recommend something?"))

    assert fact.text == "The user wants to travel during summer vacation."


def test_a_user_who_leaves_out_the_subject_is_still_the_subject() -> None:
    fact = only(remember("Flying to Beijing next Wed, staying at Ji Hotel Chaoyang."))

    assert fact.text == "The user is flying to Beijing next Wed (18 June 2025), staying at Ji Hotel Chaoyang."
    assert fact.event_time == datetime(2025, 6, 18, tzinfo=UTC)


# Where the user lives, and when they travelled.


def test_a_residence_is_a_state() -> None:
    home = only(remember("I live in Beijing.", at=datetime(2025, 1, 10, 10, tzinfo=UTC)))

    assert (home.text, home.slot, home.memory_type) == (
        "The user lives in Beijing.",
        "residence",
        "UserMemory",
    )
    assert home.event_time == datetime(2025, 1, 10, tzinfo=UTC)


def test_a_move_says_where_the_user_lives_now() -> None:
    home = only(remember("I moved to Shanghai.", at=datetime(2025, 6, 1, 10, tzinfo=UTC)))

    assert home.text == "The user moved to Shanghai (1 June 2025) and lives there now."
    assert home.slot == "residence"


def test_a_move_in_june_names_the_year() -> None:
    home = only(remember("I moved to Shanghai in June."))

    assert home.text == "The user moved to Shanghai in June 2025 and lives there now."
    assert home.event_time == datetime(2025, 6, 1, tzinfo=UTC)


def test_a_former_residence_does_not_replace_the_present_one() -> None:
    before, now = remember("I used to live in Beijing but now I live in Shanghai.")

    assert (now.text, now.slot) == ("The user lives in Shanghai.", "residence")
    assert before.text == "The user used to live in Beijing."
    assert (before.slot, before.value, before.is_end) == ("residence", "Beijing", True)


def test_leaving_a_place_ends_the_state() -> None:
    left = only(remember("I no longer live in Beijing."))

    assert (left.slot, left.is_end) == ("residence", True)


def test_trips_are_events_with_their_own_time() -> None:
    first = only(
        remember(
            "I traveled to Xi'an during last year's National Day holiday.",
            at=datetime(2025, 10, 8, tzinfo=UTC),
        )
    )
    second = only(
        remember(
            "I traveled to Hangzhou during this year's May Day holiday.", at=datetime(2026, 5, 2, tzinfo=UTC)
        )
    )

    assert (first.slot, second.slot) == ("", "")
    assert first.text.endswith("last year's National Day holiday (October 2024).")
    assert first.event_time == datetime(2024, 10, 1, tzinfo=UTC)
    assert second.event_time == datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("I saw Tom yesterday", "yesterday (9 June 2025)"),
        ("I saw Tom last Friday", "last Friday (6 June 2025)"),
        ("I saw Tom on Friday", "on Friday (6 June 2025)"),
        ("I saw Tom last month", "last month (May 2025)"),
        ("I saw Tom two years ago", "two years ago (2023)"),
        ("I saw Tom three days ago", "three days ago (7 June 2025)"),
        ("I saw Tom last week", "last week (the week before 10 June 2025)"),
        ("I saw Tom last summer", "last summer (summer 2024)"),
        ("I saw Tom in August", "in August 2024"),
        ("I saw Tom on May 5th", "on May 5th, 2025"),
        ("I will see Tom tomorrow", "tomorrow (11 June 2025)"),
        ("I will see Tom next month", "next month (July 2025)"),
        ("I will see Tom in August", "in August 2025"),
        ("I will see Tom in two weeks", "in two weeks (around 24 June 2025)"),
        ("昨天我见了小王", "昨天（2025年6月9日）"),
        ("上周三我见了小王", "上周三（2025年6月4日）"),
        ("我下周三要见小王", "下周三（2025年6月18日）"),
        ("三天前我见了小王", "三天前（2025年6月7日）"),
        ("去年国庆我见了小王", "去年国庆（2024年10月）"),
        ("今年五一我见了小王", "今年五一（2025年5月）"),
        ("上个月我见了小王", "上个月（2025年5月）"),
        ("我6月20日要见小王", "6月20日（2025年6月20日）"),
    ],
)
def test_relative_dates_are_written_out(message: str, written: str) -> None:
    assert written in only(remember(message)).text


def test_how_long_something_took_is_no_date() -> None:
    assert only(remember("I finished the book in two weeks")).event_time is None


@pytest.mark.parametrize(
    ("message", "slot"),
    [
        ("My name is Maria Lopez", "name"),
        ("I'm 28 years old", "age"),
        ("I am a designer in the Creative Platform Department.", "job"),
        ("I work at Google", "employer"),
        ("My birthday is May 5", "birthday"),
        ("I got married last week", "marital status"),
        ("I have a dog named Max", "pet:max"),
        ("I drive a Tesla", "vehicle"),
        ("I study at Peking University", "school"),
        ("My laptop is a 13-inch Intel MacBook Pro", "device:computer"),
        ("I use an iPhone 15", "device:phone"),
        ("My goal is to run a marathon", "goal"),
        ("Please remember that my budget is 500 dollars.", "budget"),
        ("Last month I started working at Google.", "employer"),
        ("我叫张三", "name"),
        ("我今年28岁", "age"),
        ("我在腾讯工作", "employer"),
        ("我是一名设计师", "job"),
        ("我住在北京", "residence"),
        ("去年六月我搬到了上海。", "residence"),
        ("我养了一只猫叫咪咪", "pet:咪咪"),
        ("我的电脑是MacBook Pro", "device:computer"),
    ],
)
def test_states_have_the_slot_that_a_later_statement_replaces(message: str, slot: str) -> None:
    assert only(remember(message)).slot == slot


def test_a_person_who_introduces_themselves_is_remembered_part_by_part() -> None:
    drafts = remember("I'm Alex, 28, backend dev in Hangzhou, I play badminton.", "> Hi Alex!")

    assert texts(drafts) == [
        "The user's name is Alex.",
        "The user is 28 years old (as of 10 June 2025).",
        "The user is a backend dev in Hangzhou.",
        "The user plays badminton.",
    ]


def test_job_and_employer_can_change_apart() -> None:
    job, employer = remember("I work as a designer at Google")

    assert (job.text, job.slot) == ("The user works as a designer.", "job")
    assert (employer.text, employer.slot) == ("The user works at Google.", "employer")


def test_a_nationality_is_no_name() -> None:
    assert all(draft.slot != "name" for draft in remember("I'm Chinese", "I'm Happy"))


# Preferences.


def test_a_stated_preference_comes_with_a_reason() -> None:
    liking = only(remember("I like apples."))

    assert liking.kind is MemoryKind.PREFERENCE
    assert (liking.text, liking.preference_type) == ("The user likes apples.", "explicit_preference")
    assert liking.reasoning == "The user said directly that they like apples."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I like apples.", "I don't like apples anymore."),
        ("I love coffee", "I can't stand coffee"),
        ("I really enjoy eating spicy dishes", "I avoid spicy food"),
        ("My favorite color is green.", "My favorite color is blue."),
        ("Please answer concisely", "From now on, reply in detail"),
        ("我喜欢苹果", "我不再喜欢苹果了"),
        ("我喜欢吃辣", "我现在不能吃辣的"),
        ("我最喜欢的颜色是绿色", "我最喜欢的颜色是蓝色"),
    ],
)
def test_a_changed_mind_meets_the_former_preference(before: str, after: str) -> None:
    assert only(remember(before)).slot == only(remember(after)).slot != ""


# The hotel of the quick start.


# What others said.


# Talks between named people.


# Whatever people write.
