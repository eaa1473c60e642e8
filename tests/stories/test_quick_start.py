"""The quick start, as a newcomer follows it: one talk about a hotel, recalled three months later."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import Api, message

USER = "memos_user_123"
HOTEL_TALK = [
    message("user", "I have booked a summer trip to Guangzhou. Which hotel chains are available?"),
    message("assistant", "You can consider 7 Days Inn, Ji Hotel, Hilton, and others."),
    message("user", "I will choose 7 Days Inn."),
    message("assistant", "Got it. Feel free to ask if you have other questions."),
]
QUESTION = (
    "I want to travel during the National Day holiday. "
    "Please recommend a city I have not been to and a hotel brand I have not stayed at."
)


@pytest.fixture
def recalled(api: Api) -> dict[str, Any]:
    """What the second session gets for its question, once the first was refined."""
    first = {"user_id": USER, "conversation_id": "0610", "messages": HOTEL_TALK}
    task = api.data("add/message", first)
    assert (task["success"], task["status"]) == (True, "running")
    assert api.wait_until_done(task["task_id"]) == "completed"
    return api.search(USER, QUESTION, conversation_id="0928")


def test_the_next_session_knows_the_trip_and_the_hotel(recalled: dict[str, Any]) -> None:
    facts = [fact for fact in recalled["memory_detail_list"] if fact["conversation_id"] == "0610"]
    text = " ".join(fact["memory_value"] for fact in facts)

    assert "Guangzhou" in text
    assert "7 Days Inn" in text


def test_the_memories_speak_of_the_user_in_the_third_person(recalled: dict[str, Any]) -> None:
    for fact in recalled["memory_detail_list"]:
        assert "user" in fact["memory_value"].lower()
        assert " I " not in f" {fact['memory_value']} "


def test_the_next_session_knows_what_the_user_may_prefer(recalled: dict[str, Any]) -> None:
    preferences = recalled["preference_detail_list"]

    assert any(preference["preference_type"] == "implicit_preference" for preference in preferences)
    assert any(
        "hotel" in preference["preference"].lower() or "inn" in preference["preference"].lower()
        for preference in preferences
    )
    assert recalled["preference_note"]


def test_right_after_adding_the_talk_itself_is_found(api: Api) -> None:
    api.add(USER, *HOTEL_TALK, conversation_id="0610", async_mode=True)

    answer = api.search(USER, "Which hotel did I choose?", conversation_id="0610")

    assert "7 Days Inn" in repr(answer)
