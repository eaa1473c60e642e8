"""How far a task is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.api_client import Api
from tests.support.expect import UNKNOWN_ID, accepted, refused


def test_a_task_is_followed_to_its_end(api: Api, user: str) -> None:
    task = api.add(user, "I live in Porto.", async_mode=True)["task_id"]

    assert api.wait_until_done(task) == "completed"
    assert accepted(api.call("get/status", {"task_id": task})) == {"task_id": task, "status": "completed"}


def test_feedback_is_followed_in_the_same_way(api: Api, user: str) -> None:
    task = api.data("add/feedback", {"user_id": user, "feedback_content": "I prefer tea."})["task_id"]

    assert api.wait_until_done(task) == "completed"


def said(*times: str | None) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"I ate at place number {place}."}
        | ({"chat_time": at} if at is not None else {})
        for place, at in enumerate(times)
    ]


def kept(api: Api, user: str) -> list[tuple[str, str]]:
    """Each message's time as it was sent, and the day that it is dated; "now" for the last minutes."""
    listed = api.data("get/message", {"user_id": user, "conversation_id": "meals"})["message_detail_list"]
    dated = [
        (message["chat_time"], datetime.fromtimestamp(message["create_time"] / 1000, UTC))
        for message in listed
    ]
    minutes_ago = datetime.now(UTC) - timedelta(minutes=10)
    return [(sent, "now" if at > minutes_ago else at.date().isoformat()) for sent, at in dated]


@pytest.mark.parametrize(
    ("times", "unread", "days"),
    [
        (["2025年9月12日 早上8点", "2025年9月13日"], [], ["2025-09-12", "2025-09-13"]),
        (
            ["2025-09-12", "开学那天", "2025-09-14"],
            [(1, "neighbours")],
            ["2025-09-12", "2025-09-12", "2025-09-14"],
        ),
        (["the other day", "2025-09-12"], [(0, "neighbours")], ["2025-09-12", "2025-09-12"]),
        (["the other day", "一个晴天"], [(0, "arrival"), (1, "arrival")], ["now", "now"]),
        ([None, "", "  "], [], ["now", "now", "now"]),
        ([None, "once"], [(1, "arrival")], ["now", "now"]),
    ],
)
def test_a_time_that_cannot_be_read_is_named_and_its_message_kept(
    api: Api, user: str, times: list[str | None], unread: list[tuple[int, str]], days: list[str]
) -> None:
    body = {"user_id": user, "conversation_id": "meals", "messages": said(*times)}
    task = api.data("add/message", body)["task_id"]

    status = api.data("get/status", {"task_id": task})

    named = [{"field": f"messages[{place}].chat_time", "dated_by": by} for place, by in unread]
    assert status.get("unread_times", []) == named
    assert kept(api, user) == [(sent or "", day) for sent, day in zip(times, days, strict=True)]


def test_feedback_whose_time_cannot_be_read_is_dated_by_its_arrival(api: Api, user: str) -> None:
    body = {"user_id": user, "feedback_content": "I prefer tea.", "feedback_time": "after lunch or so"}
    task = api.data("add/feedback", body)["task_id"]

    unread_times = api.data("get/status", {"task_id": task})["unread_times"]

    assert unread_times == [{"field": "feedback_time", "dated_by": "arrival"}]


@pytest.mark.parametrize("task", ["x", "0", UNKNOWN_ID, "../../etc/passwd", "' OR 1=1 --", "é" * 200])
def test_an_unknown_task_is_not_found(api: Api, task: str) -> None:
    refused(api.call("get/status", {"task_id": task}), 50131)
