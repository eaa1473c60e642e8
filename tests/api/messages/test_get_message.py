"""Messages as they were said."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api, message
from tests.support.expect import accepted


@pytest.fixture
def talk(api: Api, user: str) -> dict[str, str]:
    """A conversation of sixty messages in two requests."""
    for first in (0, 30):
        notes = [message("user" if n % 2 else "assistant", f"note {n}") for n in range(first, first + 30)]
        api.add(user, *notes, async_mode=True)
    return {"user_id": user, "conversation_id": "talk"}


def contents(api: Api, body: dict[str, object]) -> list[str]:
    return [message["content"] for message in accepted(api.call("get/message", body))["message_detail_list"]]


@pytest.mark.parametrize(("limit", "count"), [({}, 6), ({"message_limit_number": 1}, 1)])
def test_the_last_messages_come_in_the_order_they_were_said(
    api: Api, talk: dict[str, str], limit: dict[str, int], count: int
) -> None:
    assert contents(api, {**talk, **limit}) == [f"note {n}" for n in range(60 - count, 60)]


def test_at_most_fifty_come_at_once(api: Api, talk: dict[str, str]) -> None:
    assert len(contents(api, {**talk, "message_limit_number": "50"})) == 50


def test_a_message_has_its_role_and_its_times_in_milliseconds(api: Api, user: str) -> None:
    api.add(user, message("user", "Hello.", chat_time="2025-06-10 08:00:00"), async_mode=True)

    (row,) = api.data("get/message", {"user_id": user, "conversation_id": "talk"})["message_detail_list"]
    assert (row["role"], row["content"], row["create_time"]) == ("user", "Hello.", 1749542400000)
    assert isinstance(row["update_time"], int)


@pytest.mark.parametrize("changed", ["user_id", "conversation_id"])
def test_a_conversation_that_nobody_began_is_empty(api: Api, talk: dict[str, str], changed: str) -> None:
    assert contents(api, {**talk, changed: "nobody"}) == []


def test_a_conversation_belongs_to_one_user(api: Api, talk: dict[str, str], user: str) -> None:
    api.add(f"{user}-other", "my own note", async_mode=True)

    assert contents(api, {**talk, "user_id": f"{user}-other"}) == ["my own note"]
