"""Listing memories, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api_client import Api, message
from tests.support.expect import accepted

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


@pytest.fixture(scope="module")
def traveller(api: Api) -> Iterator[str]:
    """Somebody with twelve facts and one preference."""
    user = "the-listed-traveller"
    api.add(
        user, *[f"I visited {city} in May 2025." for city in CITIES], "I like sushi.", info={"scene": "trip"}
    )
    yield user
    api.data("delete/memory", {"user_id": user})


def page(api: Api, user: str, **options: Any) -> dict[str, Any]:
    return dict(accepted(api.call("get/memory", {"user_id": user, **options})))


def test_a_page_has_ten_of_each_kind_and_says_how_many_there_are(api: Api, traveller: str) -> None:
    first = page(api, traveller)

    assert len(first["memory_detail_list"]) == 10
    assert len(first["preference_detail_list"]) == 1
    assert first["tool_memory_detail_list"] == []
    assert {name: first[name] for name in ("total", "size", "current", "pages")} == {
        "total": 12,
        "size": 10,
        "current": 1,
        "pages": 2,
    }


def test_the_pages_together_hold_every_memory_once(api: Api, traveller: str) -> None:
    pages = [page(api, traveller, page=number, size=5)["memory_detail_list"] for number in (1, 2, 3, 4)]

    ids = [memory["id"] for memories in pages for memory in memories]
    assert [len(memories) for memories in pages] == [5, 5, 2, 0]
    assert len(set(ids)) == 12


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"current": 2}, 2),
        ({"page": 2, "current": 3}, 2),
        ({"page": "2"}, 2),
        ({"page": None, "current": None}, 1),
    ],
)
def test_the_page_has_two_names(api: Api, traveller: str, asked: dict[str, Any], number: int) -> None:
    assert page(api, traveller, size=5, **asked)["current"] == number


def test_fifty_fit_on_a_page(api: Api, traveller: str) -> None:
    whole = page(api, traveller, size=50)

    assert (len(whole["memory_detail_list"]), whole["pages"]) == (12, 1)


def test_preferences_can_be_left_out(api: Api, traveller: str) -> None:
    assert page(api, traveller, include_preference=False)["preference_detail_list"] == []


def test_a_memory_tells_where_it_came_from(api: Api, traveller: str) -> None:
    newest = page(api, traveller)["memory_detail_list"][0]

    (source,) = newest["sources"]
    assert (source["type"], source["role"]) == ("chat", "user")
    assert source["content"].startswith("I visited")
    assert source["chat_time"]
    assert newest["info"] == {"scene": "trip"}
    assert isinstance(newest["create_time"], int)


def test_of_what_was_said_very_often_a_list_shows_the_latest_hundred_sources(api: Api, user: str) -> None:
    often = [
        message("user", "I live in Oslo.", chat_time=f"2025-01-01 10:{n // 60:02}:{n % 60:02}")
        for n in range(120)
    ]
    api.add(user, *often, "I like sushi.")

    answer = page(api, user)

    (fact,) = answer["memory_detail_list"]
    (preference,) = answer["preference_detail_list"]
    assert [source["chat_time"][-5:] for source in fact["sources"]] == [
        f"{n // 60:02}:{n % 60:02}" for n in range(20, 120)
    ]
    assert len(preference["sources"]) == 1


def test_a_preference_tells_its_reason(api: Api, traveller: str) -> None:
    (preference,) = page(api, traveller)["preference_detail_list"]

    assert "sushi" in preference["preference"]
    assert preference["preference_type"] == "explicit_preference"
    assert preference["reasoning"]
    assert preference["sources"][0]["content"] == "I like sushi."


def test_a_user_nobody_knows_has_an_empty_page(api: Api, user: str) -> None:
    assert page(api, user) == {
        "memory_detail_list": [],
        "preference_detail_list": [],
        "tool_memory_detail_list": [],
        "total": 0,
        "size": 10,
        "current": 1,
        "pages": 0,
    }


def test_only_what_is_true_today_is_listed(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    api.add(user, "I moved to Berlin.")

    homes = [memory["memory_value"] for memory in page(api, user)["memory_detail_list"]]
    assert any("Berlin" in home for home in homes)
    assert not any("lives in Porto" in home for home in homes)
