"""How far a task is."""

from __future__ import annotations

import pytest

from tests.api.expect import UNKNOWN_ID, accepted, refused
from tests.api_client import Api


def test_a_task_is_followed_to_its_end(api: Api, user: str) -> None:
    task = api.add(user, "I live in Porto.", async_mode=True)["task_id"]

    assert api.wait_until_done(task) == "completed"
    assert accepted(api.call("get/status", {"task_id": task})) == {"task_id": task, "status": "completed"}


def test_feedback_is_followed_in_the_same_way(api: Api, user: str) -> None:
    task = api.data("add/feedback", {"user_id": user, "feedback_content": "I prefer tea."})["task_id"]

    assert api.wait_until_done(task) == "completed"


@pytest.mark.parametrize("task", ["x", "0", UNKNOWN_ID, "../../etc/passwd", "' OR 1=1 --", "é" * 200])
def test_an_unknown_task_is_not_found(api: Api, task: str) -> None:
    refused(api.call("get/status", {"task_id": task}), 50131)
