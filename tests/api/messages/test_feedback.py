"""Feedback: a person's correction becomes what is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.expect import accepted


def give(api: Api, user: str, text: str, **options: Any) -> str:
    task = accepted(api.call("add/feedback", {"user_id": user, "feedback_content": text, **options}))
    assert (task["success"], task["status"]) == (True, "running")
    return api.wait_until_done(task["task_id"])


def test_a_correction_replaces_what_it_contradicts(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")

    assert give(api, user, "I live in Oslo, not in Porto.", conversation_id="talk") == "completed"

    current = repr(api.listed(user)["memory_detail_list"])
    assert "Oslo" in current
    assert "lives in Porto" not in current


def test_a_stated_preference_is_remembered(api: Api, user: str) -> None:
    give(api, user, "I prefer short answers.")

    assert any(
        "short answers" in preference
        for preference in api.preferences(user, "How long should answers be?", relativity=0)
    )


@pytest.mark.parametrize("order", ["User wants to delete memories about hotels.", "请删除关于酒店的记忆"])
def test_an_order_to_forget_becomes_no_memory(api: Api, user: str, order: str) -> None:
    assert give(api, user, order) == "completed"

    assert api.listed(user)["total"] == 0


@pytest.mark.parametrize(
    "options",
    [
        {"conversation_id": None},
        {"conversation_id": "never begun"},
        {"feedback_time": "last Tuesday, I think"},
        {"feedback_time": "2025-12-10 09:44:00"},
        {"feedback_time": 1765447440},
        {"agent_id": "bot", "app_id": "phone", "allow_public": False, "allow_knowledgebase_ids": []},
        {"agent_id": None, "app_id": None, "feedback_time": None, "allow_knowledgebase_ids": None},
    ],
)
def test_feedback_is_taken_with_all_its_options(api: Api, user: str, options: dict[str, Any]) -> None:
    assert give(api, user, "I prefer tea.", **options) == "completed"


def test_an_agent_alone_may_give_feedback(api: Api, user: str) -> None:
    task = api.data("add/feedback", {"agent_id": user, "feedback_content": "I prefer tea."})

    assert api.wait_until_done(task["task_id"]) == "completed"
    assert "tea" in repr(api.data("get/memory", {"agent_id": user}))
