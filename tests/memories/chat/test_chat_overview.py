"""Answers without a model: overviews in groups, and questions about the past, likings, numbers and what nobody said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.chat import Chat, generate_reply, prepare_briefing
from memories.engine import get_embedder
from memories.engine.answering import Briefing, Remembered
from memories.engine.local.answers.answer import LocalAnswerer
from memories.retrieval.queries.query import SearchQuery
from memories.text.clauses.overviews import OverviewTopic
from memories.text.quotes.quotations import is_quotation
from memories.values import MemoryKind, OwnerKind, Subject
from tests.support.api_client import Api, Tenant

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def known(text: str, kind: MemoryKind = MemoryKind.FACT, day: str = "2026-06-01", **more: Any) -> Remembered:
    return Remembered(kind, text, more.pop("relativity", 0.9), day, **more)


def at(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def answer(query: str, *remembered: Remembered, topic: OverviewTopic | None = None) -> list[str]:
    briefing = Briefing(
        query, () if topic else remembered, NOW, topic=topic, known=remembered if topic else ()
    )
    return LocalAnswerer(get_embedder()).answer(briefing).text.split("\n")


ENGLISH = (
    known("The user bought a kayak on 5 September 2026.", event_time=at(2026, 9, 5)),
    known("The user's name is Ruth.", slot="name"),
    known(
        "The user's sister Anna is getting married in May 2027.", day="2027-05-01", event_time=at(2027, 5, 1)
    ),
    known("The user works at Havtek.", slot="employer"),
    known("The user is allergic to shellfish.", MemoryKind.PREFERENCE, slot="allergy:shellfish"),
    known("The user has two daughters, Liv and Marte."),
    known("Liv is afraid of dogs."),
    known("The user wants to learn Portuguese."),
    known("The user loves knitting.", MemoryKind.PREFERENCE, slot="likes:knitting"),
    known("[assistant view] Ruth should buy a sailing boat.", speaker="assistant"),
)
CHINESE = (
    known("用户叫陈默。", slot="name"),
    known("用户对花生过敏。", MemoryKind.PREFERENCE, slot="allergy:花生"),
    known("用户有一个儿子叫小宇。"),
    known("小宇怕狗。"),
    known("用户现在在新星出版社当编辑。", slot="job"),
    known("用户喜欢爬山。", MemoryKind.PREFERENCE),
    known("用户打算2027年3月去日本。", event_time=at(2027, 3, 1)),
)


def test_an_overview_is_grouped_by_kind_and_said_to_the_user() -> None:
    lines = answer("What do you know about me?", *ENGLISH, topic=OverviewTopic.EVERYTHING)

    assert lines[1:] == [
        "Who you are:",
        "- Your name is Ruth.",
        "Health and safety:",
        "- You are allergic to shellfish.",
        "Family, friends and animals:",
        "- You have two daughters, Liv and Marte.",
        "- Liv is afraid of dogs.",
        "Work and studies:",
        "- You work at Havtek.",
        "What you like and want:",
        "- You love knitting.",
        "Plans:",
        "- Your sister Anna is getting married in May 2027. (2027-05-01)",
        "- You want to learn Portuguese.",
        "What happened:",
        "- You bought a kayak on 5 September 2026.",
    ]
    assert is_quotation("\n".join(lines))


def test_an_overview_in_chinese_is_in_chinese() -> None:
    lines = answer("总结一下你对我的了解", *CHINESE, topic=OverviewTopic.EVERYTHING)

    assert lines[1:] == [
        "关于你：",
        "- 你叫陈默。",
        "健康与安全：",
        "- 你对花生过敏。",
        "家人、朋友和宠物：",
        "- 你有一个儿子叫小宇。",
        "- 小宇怕狗。",
        "工作和学习：",
        "- 你现在在新星出版社当编辑。",
        "喜好与要求：",
        "- 你喜欢爬山。",
        "计划：",
        "- 你打算2027年3月去日本。",
    ]


def test_an_overview_of_one_topic_holds_that_topic_only() -> None:
    lines = answer("What do you know about my family?", *ENGLISH, topic=OverviewTopic.PEOPLE)

    assert [line for line in lines[1:] if not line.startswith("- ")] == ["Family, friends and animals:"]
    assert {"- Liv is afraid of dogs.", "- Your sister Anna is getting married in May 2027."} <= set(lines)


def test_a_long_group_says_how_much_is_left_out() -> None:
    many = [known(f"The user loves the author number {n}.", MemoryKind.PREFERENCE) for n in range(11)]

    assert answer("What do I like?", *many, topic=OverviewTopic.PREFERENCES)[-1] == "… and 3 more."


@pytest.mark.parametrize(("query", "word"), [("Who am I?", "No stored memory"), ("我是谁？", "没有")])
def test_an_overview_of_nothing_says_so(query: str, word: str) -> None:
    (line,) = answer(query, topic=OverviewTopic.EVERYTHING)

    assert word in line


def test_a_question_about_the_past_is_answered_with_what_was() -> None:
    now = known("The user lives in Stavanger.", relativity=0.99)
    then = known("The user lives in Bergen.", relativity=0.8, until="2026-07-01")
    also = known("用户在育才小学工作。", until="2026-05-11")

    assert answer("Where did I live before?", now, then)[1:] == [
        "- No longer so since 2026-07-01: “You live in Bergen.”"
    ]
    assert answer("我以前在哪里工作？", also)[1:] == ["- 自2026-05-11起不再如此：“你在育才小学工作。”"]
    assert "- You live in Stavanger. (2026-06-01)" in answer(
        "Where do I live now, and where before?", now, then
    )


def test_what_is_over_and_not_asked_for_answers_no_question_about_the_past() -> None:
    home = known("用户住在成都。", relativity=0.97)
    car = known("用户开一辆二手的丰田。", relativity=0.87, until="2026-09-05")
    work = known("用户在育才小学工作。", relativity=0.8, until="2026-05-11")

    assert answer("我以前住在哪里？", home, car)[1:] == ["- 你住在成都。（2026-06-01）"]
    assert answer("我以前在哪里工作？", home, car, work)[1:] == [
        "- 自2026-05-11起不再如此：“你在育才小学工作。”"
    ]


def test_a_question_for_a_number_is_not_counted() -> None:
    cousins = known("The user's cousin Per lives in Oslo."), known("The user's cousin Siri lives in Rome.")
    twins = known("The user has two cousins, Per and Siri.")

    lines = answer("How many cousins do I have?", *cousins)
    assert "not counted" in lines[1]
    assert len(lines) == 4
    assert answer("How many cousins do I have?", twins)[1:] == [
        "- You have two cousins, Per and Siri. (2026-06-01)"
    ]
    assert (
        "不计算"
        in answer("我有几个表弟？", known("用户的表弟小刚住在上海。"), known("用户的表弟小强住在广州。"))[1]
    )


def test_a_name_that_nobody_mentioned_is_named() -> None:
    iceland = known("The user went to Iceland in October 2026.")

    assert answer("Did I ever go to Japan?", iceland)[1] == "No stored memory names Japan. The nearest are:"
    assert (
        answer("When did I go to Iceland?", iceland)[1]
        == "- You went to Iceland in October 2026. (2026-06-01)"
    )


def test_a_memory_that_shares_no_word_is_only_near() -> None:
    cat = known("The user has a cat and a parrot.")

    assert answer("Which pets do I keep?", cat)[1:] == [
        "No stored memory says it in these words. The nearest are:",
        "- You have a cat and a parrot. (2026-06-01)",
    ]


def test_preferences_answer_a_question_for_likings_without_the_word_may() -> None:
    tea = known("The user prefers tea over coffee.", MemoryKind.PREFERENCE)
    short = known("The user would like short answers without emoji.", MemoryKind.PREFERENCE)

    assert answer("What do I prefer, tea or coffee?", tea, short)[1:] == [
        "- You prefer tea over coffee. (2026-06-01)"
    ]


def test_allergies_come_along_when_food_is_asked_for() -> None:
    allergy = known("The user is allergic to shellfish.", MemoryKind.PREFERENCE)

    assert "- You are allergic to shellfish. (2026-06-01)" in answer(
        "Recommend a restaurant for tonight", allergy
    )
    assert "No stored memory" in answer("Recommend a film for tonight", allergy)[0]


def test_what_only_the_assistant_said_is_said_to_be_its_own() -> None:
    view = known("[assistant view] The user needs 2.5 litres of water a day.", speaker="assistant")

    assert answer("How much water do I need?", view)[1:] == [
        "- The assistant said: “The user needs 2.5 litres of water a day.” (2026-06-01)"
    ]


def test_a_person_is_told_what_was_remembered_of_them(tenant: Tenant, api: Api) -> None:
    api.add(
        "ruth", "My name is Ruth and I live in Bergen.", "I am allergic to shellfish.", "I love knitting."
    )

    whole = api.data(
        "chat", {"user_id": "ruth", "conversation_id": "c", "query": "What do you know about me?"}
    )
    chat = Chat(SearchQuery(Subject(OwnerKind.END_USER, "ruth"), "我是谁？", preferences=0), is_kept=False)
    prepared = prepare_briefing(tenant.project, chat)
    text = generate_reply(tenant.project, chat, prepared.briefing).text

    for part in ("Ruth", "Bergen", "shellfish", "knitting"):
        assert part in whole["response"]
    assert "Ruth" in text
    assert "knitting" not in text  # preferences were not asked for
