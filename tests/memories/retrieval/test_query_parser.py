"""What a question asks for, in English and Chinese."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.retrieval.queries.mentioned_dates import MentionedDate
from memories.retrieval.queries.parser import (
    Question,
    QuestionType,
    TimeTarget,
    parse_question,
)

TODAY = datetime(2026, 3, 15, 12, tzinfo=UTC)


def read(text: str) -> Question:
    return parse_question(text, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "Where did I live before?",
        "Where did I live before I moved to Shanghai?",
        "What was my previous job?",
        "Which car did I use to drive? I used to have two.",
        "我以前住在哪里？",
        "我之前在哪里工作？",
        "用户过去喜欢吃什么？",
    ],
)
def test_questions_about_the_past_want_what_is_over(text: str) -> None:
    assert read(text).time_target == TimeTarget.BEFORE


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live now?",
        "What is my current job?",
        "Do I still have a dog?",
        "我现在住在哪里？",
        "我目前的工作是什么",
    ],
)
def test_questions_about_today_want_what_holds(text: str) -> None:
    assert read(text).time_target == TimeTarget.NOW


@pytest.mark.parametrize(
    "text",
    [
        "Where have I travelled?",
        "What should I pack before the trip?",
        "Am I used to cold water?",
        "去北京之前要准备什么？",
        "三天以前我吃了什么？",
        "Where did I live before, and where do I live now?",
    ],
)
def test_other_questions_name_no_time(text: str) -> None:
    assert read(text).time_target == TimeTarget.ANY


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When is my sister's wedding?", QuestionType.WHEN),
        ("我的考试是什么时候？", QuestionType.WHEN),
        ("Where am I staying?", QuestionType.WHERE),
        ("我在哪里打工？", QuestionType.WHERE),
        ("Who is Peter?", QuestionType.WHO),
        ("我的导师是谁？", QuestionType.WHO),
        ("How many children do I have?", QuestionType.HOW_MANY),
        ("我每个月要还多少贷款？", QuestionType.HOW_MANY),
        ("Tell me a story", QuestionType.OTHER),
    ],
)
def test_the_question_word_tells_what_kind_of_answer_is_wanted(text: str, expected: QuestionType) -> None:
    assert read(text).type == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I do on 7 May 2023?", MentionedDate(2023, 5, 7)),
        ("What did I do on May 7th, 2023?", MentionedDate(2023, 5, 7)),
        ("What did I do on 2023-05-07?", MentionedDate(2023, 5, 7)),
        ("我2023年5月7日做了什么？", MentionedDate(2023, 5, 7)),
        ("What happened in June 2025?", MentionedDate(2025, 6)),
        ("What happened in May?", MentionedDate(month=5)),
        ("What did I read in 2024?", MentionedDate(2024)),
        ("Where did I go last year?", MentionedDate(2025)),
        ("我去年去了哪里？", MentionedDate(2025)),
        ("What did I buy last month?", MentionedDate(2026, 2)),
        ("我昨天吃了什么？", MentionedDate(2026, 3, 14)),
        ("What did I say the day before yesterday?", MentionedDate(2026, 3, 13)),
        ("What am I doing tomorrow?", MentionedDate(2026, 3, 16)),
        ("后天我有什么安排？", MentionedDate(2026, 3, 17)),
        ("五月我去了哪里？", MentionedDate(month=5)),
        ("十二月二十三号我们做了什么？", MentionedDate(month=12, day=23)),
        ("去年五月我在忙什么？", MentionedDate(2025, 5)),
        ("Where did I go in May last year?", MentionedDate(2025, 5)),
        ("What is planned for next month?", MentionedDate(2026, 4)),
        ("What do I have on Thursday?", MentionedDate(2026, 3, 19)),
        ("Who did I meet on Thursday?", MentionedDate(2026, 3, 12)),
        ("Who did I meet last Tuesday?", MentionedDate(2026, 3, 10)),
        ("What did the vet say four days ago?", MentionedDate(2026, 3, 11)),
        ("Where was I three months ago?", MentionedDate(2025, 12)),
        ("What is due on the 20th?", MentionedDate(2026, 3, 20)),
        ("周四我有什么安排？", MentionedDate(2026, 3, 19)),
        ("上周三我见了谁？", MentionedDate(2026, 3, 4)),
        ("我三天前种了什么？", MentionedDate(2026, 3, 12)),
        ("昨天点了什么外卖？", MentionedDate(2026, 3, 14)),
        ("前天班会讲了什么？", MentionedDate(2026, 3, 13)),
        ("我三个月前在哪？", MentionedDate(2025, 12)),
    ],
)
def test_dates_are_read_as_far_as_they_are_spoken(text: str, expected: MentionedDate) -> None:
    assert read(text).dates == (expected,)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did I do last week?", MentionedDate(2026, 3, 2), MentionedDate(2026, 3, 8)),
        ("What did I do last weekend?", MentionedDate(2026, 3, 7), MentionedDate(2026, 3, 8)),
        ("What did I sow two weeks ago?", MentionedDate(2026, 2, 26), MentionedDate(2026, 3, 4)),
        ("Where did I go last summer?", MentionedDate(2025, 6), MentionedDate(2025, 8)),
        ("下周我有什么安排？", MentionedDate(2026, 3, 16), MentionedDate(2026, 3, 22)),
        ("两周前我种了什么？", MentionedDate(2026, 2, 26), MentionedDate(2026, 3, 4)),
    ],
)
def test_a_time_of_several_days_is_each_of_them(text: str, first: MentionedDate, last: MentionedDate) -> None:
    dates = read(text).dates

    assert (dates[0], dates[-1]) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "What do I do on Thursdays?",
        "What do I usually do at the weekend?",
        "我每周四都做什么？",
        "Is Friday a name?",
    ],
)
def test_a_day_of_every_week_is_no_date(text: str) -> None:
    assert read(text).dates == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I do in April 2026?", True),
        ("What’s on for next month?", True),
        ("What happened on the 3rd of October?", True),
        ("2026年四月我做了什么？", True),
        ("下周我有什么安排？", True),
        ("What did I buy in April?", False),
        ("Where did I go last week?", False),
        ("What did Ana do in April?", False),
        ("四月我去哪里出差？", False),
        ("What do I have on Thursday?", True),
        ("我上周三做了什么？", True),
        ("Which bulbs did I plant two weeks ago?", False),
        ("What did I do?", False),
    ],
)
def test_a_question_may_ask_by_its_date_alone(text: str, expected: bool) -> None:
    assert read(text).asks_by_date_alone == expected


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("What did I do on ſunday?", "What did I do on Sunday?"),
        ("What happened yeſterday?", "What happened yesterday?"),
        ("Where was I laſt ſprıng?", "Where was I last spring?"),
    ],
)
def test_letters_that_patterns_take_for_i_and_s_are_read_as_these(odd: str, plain: str) -> None:
    assert read(odd).dates == read(plain).dates != ()


@pytest.mark.parametrize(
    "text",
    [
        "May I have dessert?",
        "What about the 45th of 2023-17-40?",
        "What did I do on 0000-05-01?",
        "What did I do on 9999-12-31?",
        "9999年12月31日我做了什么？",
        "去年13月底我做了什么？",
        "",
        "?",
        "\0",
        "每十个月体检一次吗？",
    ],
)
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert all(date.month is None for date in read(text).dates)


def test_a_person_is_recognised_by_name() -> None:
    question = read("What does Ann's brother think of 小雨?")

    assert question.names("Ann")
    assert question.names("ann")
    assert question.names("小雨")
    assert not question.names("An")
    assert not question.names("")


def test_the_word_user_tells_nothing() -> None:
    assert "user" not in read("Where does the user live?").terms
    assert "用户" not in read("用户住在哪里？").terms


def test_a_pasted_page_is_read_quickly_and_in_few_terms() -> None:
    question = read("Supercalifragilistic " + " ".join(f"word{number}" for number in range(50_000)))

    assert len(question.terms) <= 32
    assert question.terms[0].startswith("supercal")


def test_the_language_of_the_question_is_known() -> None:
    assert read("Where do I live?").language == "en"
    assert read("我住在哪里？").language == "zh"


@pytest.mark.parametrize(
    "text", ["Where did I travel recently?", "我最近去了哪里？", "What's my latest order?"]
)
def test_recent_things_are_asked_for_by_name(text: str) -> None:
    assert read(text).wants_recent
