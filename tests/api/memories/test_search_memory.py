"""Searching: defaults, limits, thresholds, and the shape of every answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from tests.support.api_client import Api
from tests.support.expect import accepted

LISTS = {
    "memory_detail_list",
    "preference_detail_list",
    "tool_memory_detail_list",
    "skill_detail_list",
}
CITIES = [
    "Porto",
    "Lisbon",
    "Madrid",
    "Berlin",
    "Vienna",
    "Prague",
    "Oslo",
    "Rome",
    "Athens",
    "Dublin",
    "Cairo",
    "Lima",
]
DISHES = [
    "soup",
    "rice",
    "sushi",
    "pasta",
    "curry",
    "salad",
    "tofu",
    "bread",
    "fish",
    "dumplings",
    "noodles",
    "pizza",
]


@pytest.fixture(scope="module")
def traveller(api: Api) -> Iterator[str]:
    """Somebody with a dozen facts and a dozen preferences."""
    user = "the-traveller"
    api.add(user, *[f"I visited {city} in May 2025." for city in CITIES])
    api.add(user, *[f"I like {dish}." for dish in DISHES])
    yield user
    api.data("delete/memory", {"user_id": user})


def counts(answer: dict[str, Any]) -> tuple[int, int]:
    return len(answer["memory_detail_list"]), len(answer["preference_detail_list"])


ASK = "Which cities did the user visit, and which dishes does the user like?"


def test_a_user_nobody_knows_has_empty_lists(api: Api, user: str) -> None:
    answer = api.search(user, "anything")

    assert answer == {**{name: [] for name in LISTS}, "preference_note": ""}


def test_without_limits_nine_of_each_kind_come(api: Api, traveller: str) -> None:
    assert counts(api.search(traveller, ASK, relativity=0)) == (9, 9)


@pytest.mark.parametrize(("facts", "preferences"), [(0, 0), (1, 2), ("3", "4"), (25, 25)])
def test_as_many_come_as_were_asked_for(
    api: Api, traveller: str, facts: int | str, preferences: int | str
) -> None:
    limits = {"memory_limit_number": facts, "preference_limit_number": preferences}

    lengths = counts(api.search(traveller, ASK, relativity=0, **limits))

    assert lengths == (min(int(facts), 12), min(int(preferences), 12))


def test_preferences_can_be_left_out(api: Api, traveller: str) -> None:
    answer = api.search(traveller, ASK, relativity=0, include_preference=False)

    assert counts(answer) == (9, 0)
    assert answer["preference_note"] == ""


def test_a_note_says_how_to_use_preferences_when_there_are_some(api: Api, traveller: str) -> None:
    note = api.search(traveller, ASK, relativity=0)["preference_note"]

    assert isinstance(note, str)
    assert "preferences" in note


def test_tools_and_skills_are_empty_lists_whatever_is_asked(api: Api, traveller: str) -> None:
    answer = api.search(traveller, ASK, include_tool_memory=True, include_skill=True, skill_limit_number=25)

    assert (answer["tool_memory_detail_list"], answer["skill_detail_list"]) == ([], [])


@pytest.mark.parametrize("name", ["memory_detail_list", "preference_detail_list"])
def test_every_list_begins_with_the_most_relevant(api: Api, traveller: str, name: str) -> None:
    scores = [item["relativity"] for item in api.search(traveller, ASK, relativity=0)[name]]

    assert scores == sorted(scores, reverse=True)
    assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("least", [0, 0.2, "0.45", 0.9, 1])
def test_nothing_below_the_threshold_comes(api: Api, traveller: str, least: float | str) -> None:
    answer = api.search(traveller, "Did the user visit Oslo?", relativity=least)

    scores = [item["relativity"] for name in LISTS for item in answer[name]]
    assert all(score >= float(least) for score in scores)


def test_without_a_threshold_it_is_45_hundredths(api: Api, traveller: str) -> None:
    def found(**options: float) -> list[str]:
        return api.facts(traveller, "Did the user visit Oslo?", memory_limit_number=25, **options)

    assert found() == found(relativity=0.45)


def test_a_question_about_nothing_known_finds_nothing_unless_all_is_wanted(api: Api, traveller: str) -> None:
    question = "What is the capital of Mongolia?"

    assert counts(api.search(traveller, question)) == (0, 0)
    assert counts(api.search(traveller, question, relativity=0)) == (9, 9)


def test_what_was_asked_for_by_name_comes_first(api: Api, traveller: str) -> None:
    assert "Oslo" in api.facts(traveller, "Has the user been to Oslo?")[0]


FACT = {
    "id": str,
    "memory_key": str,
    "memory_value": str,
    "memory_type": str,
    "conversation_id": str,
    "status": str,
    "confidence": float,
    "tags": list,
    "create_time": int,
    "update_time": int,
    "relativity": float,
}
PREFERENCE = {
    "id": str,
    "preference": str,
    "preference_type": str,
    "reasoning": str,
    "conversation_id": str,
    "status": str,
    "create_time": int,
    "update_time": int,
    "relativity": float,
}


@pytest.mark.parametrize(
    ("name", "shape"), [("memory_detail_list", FACT), ("preference_detail_list", PREFERENCE)]
)
def test_each_item_has_every_documented_field(
    api: Api, traveller: str, name: str, shape: dict[str, type]
) -> None:
    item = api.search(traveller, ASK, relativity=0)[name][0]

    assert {field: type(item[field]) for field in shape} == shape
    assert str(UUID(item["id"])) == item["id"]
    assert item["status"] == "activated"
    assert 1_500_000_000_000 < item["create_time"] <= item["update_time"]


def test_kinds_are_named_as_documented(api: Api, traveller: str) -> None:
    answer = api.search(traveller, ASK, relativity=0)

    kinds = {item["memory_type"] for item in answer["memory_detail_list"]}
    assert kinds <= {"WorkingMemory", "LongTermMemory", "UserMemory"}
    stated = {item["preference_type"] for item in answer["preference_detail_list"]}
    assert stated <= {"explicit_preference", "implicit_preference"}


def test_the_running_conversation_weighs_more(api: Api, user: str) -> None:
    api.add(user, "My colleague Tom plays the violin.", conversation_id="work")
    api.add(user, "My neighbour Tom plays the piano.", conversation_id="home")

    anywhere = scores(api, user)
    for talk in ("work", "home"):
        here = scores(api, user, conversation_id=talk)
        assert [name for name in here if here[name] > anywhere[name]] == [talk]


def scores(api: Api, user: str, **options: str) -> dict[str, float]:
    """The relativity of each conversation's memory."""
    memories = api.search(user, "What does Tom play?", relativity=0, **options)["memory_detail_list"]
    return {item["conversation_id"]: item["relativity"] for item in memories}


@pytest.mark.parametrize("bases", [None, [], "all", ["all"]])
def test_a_project_without_knowledge_bases_can_search_them_all(
    api: Api, traveller: str, bases: list[str] | str | None
) -> None:
    assert api.facts(traveller, ASK, relativity=0, knowledgebase_ids=bases)


def test_an_agent_beside_the_user_is_no_error(api: Api, traveller: str) -> None:
    body = {"user_id": traveller, "query": ASK, "relativity": 0, "agent_id": "bot", "app_id": "app"}

    assert accepted(api.call("search/memory", body))["memory_detail_list"]


@pytest.mark.parametrize("query", ["?", "😀", "的", "\u202e", "a" * 3000, "SELECT * FROM memory; --", "%_\\"])
def test_any_text_is_a_question(api: Api, traveller: str, query: str) -> None:
    api.search(traveller, query, relativity=0)
