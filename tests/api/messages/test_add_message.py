"""Adding messages: what was acknowledged is there, found at once, and refined soon after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from memories.consolidation.cube_locks import lock_cube
from memories.cubes.access import provide_cube
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.expect import accepted

HOTEL = "I have booked a summer trip to Guangzhou."


def said(api: Api, user: str, talk: str = "talk") -> list[dict[str, Any]]:
    wanted = {"user_id": user, "conversation_id": talk, "message_limit_number": 50}
    return list(api.data("get/message", wanted)["message_detail_list"])


def everything(api: Api, user: str) -> str:
    listed = api.listed(user)
    return repr(listed["memory_detail_list"] + listed["preference_detail_list"])


@contextmanager
def busy_cube(developer: Tenant, user: str) -> Iterator[None]:
    """While this lasts no worker writes refined memories of the user."""
    with tenant_scope(developer.project):
        cube = provide_cube(developer.project, Subject(OwnerKind.END_USER, user))
    with tenant_scope(developer.project):
        lock_cube(cube.pk)
        yield


def test_messages_are_answered_at_once_and_refined_in_the_background(api: Api, user: str) -> None:
    task = api.add(user, HOTEL, async_mode=True)

    assert task == {"success": True, "status": "running", "task_id": str(UUID(task["task_id"]))}
    assert api.wait_until_done(task["task_id"]) == "completed"
    assert "Guangzhou" in everything(api, user)


def test_the_very_next_search_finds_the_turn_as_it_was_said(api: Api, developer: Tenant, user: str) -> None:
    when = "2025-12-10 09:44:00"
    with busy_cube(developer, user):
        turn = [message("user", HOTEL, chat_time=when), message("assistant", "Enjoy it!", chat_time=when)]
        api.add(user, *turn, async_mode=True)
        raw = api.search(user, "Where does the user travel in summer?")["memory_detail_list"][0]

    at = "[09:44 AM on 10 December, 2025 UTC]"
    assert raw["memory_value"] == f"user: {at}: {HOTEL}\nassistant: {at}: Enjoy it!\n"
    assert raw["memory_key"] == f"user: {at}: {HOTEL}"
    assert (raw["memory_type"], raw["tags"]) == ("WorkingMemory", ["mode:fast"])


def test_a_caller_that_waits_is_answered_after_the_work(api: Api, user: str) -> None:
    words = [message("user", HOTEL)]
    task = api.data("add/message", {"user_id": user, "messages": words, "async_mode": False})

    assert task["status"] == "completed"
    assert "mode:fast" not in everything(api, user)
    assert "Guangzhou" in everything(api, user)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        {"type": "file", "file": {"file_data": "https://example.org/a.pdf"}},
    ],
)
def test_a_message_with_a_file_is_never_waited_for(api: Api, user: str, part: dict[str, Any]) -> None:
    words = [message("user", [part, {"type": "text", "text": "I like this."}])]
    task = api.data("add/message", {"user_id": user, "messages": words, "async_mode": False})

    assert task["status"] == "running"


ODD_TEXTS = [
    "  two  blanks ",
    "line\r\nend\n\n",
    "<b>&amp;</b>",
    "e\u0301 ≠ é",
    "😀👩‍👩‍👧",
    "\u202eright to left",
    "'; DROP TABLE",
]


def test_messages_come_back_exactly_as_they_were_sent(api: Api, user: str) -> None:
    api.add(user, *ODD_TEXTS, async_mode=True)

    assert [message["content"] for message in said(api, user)] == ODD_TEXTS


def test_every_form_of_message_is_kept(api: Api, user: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Xi\'an"}'}}
    sent = [
        message("system", "You know these tools: ..."),
        message("user", [{"type": "text", "text": "How is the weather?"}], role_name="Kim"),
        {"role": "assistant", "tool_calls": [call]},
        message("tool", [{"type": "text", "text": "Sunny."}], tool_call_id="1"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    task = api.add(user, *sent)

    kept = said(api, user)
    assert task["status"] == "completed"
    assert [message["role"] for message in kept] == ["system", "user", "assistant", "tool", "assistant"]
    assert kept[1]["content"] == [{"type": "text", "text": "How is the weather?"}]
    assert (kept[2]["tool_calls"], kept[3]["tool_call_id"]) == ([call], "1")


def test_a_time_is_read_in_any_of_its_spellings(api: Api, user: str) -> None:
    times = [
        ("2025-12-11 10:04:00", 1765447440000),
        ("2025-12-11 10:04:00.250", 1765447440250),
        ("2025-12-11T10:04:00+00:00", 1765447440000),
        ("2025-12-11T18:04:00+08:00", 1765447440000),
        ("10:04 AM on 11 December, 2025 UTC", 1765447440000),
        ("2025-12-11", 1765411200000),
        ("1765447440", 1765447440000),
        (1765447440, 1765447440000),
        ("1765447440250", 1765447440250),
        ("2025年12月11日", 1765411200000),
    ]
    api.add(user, *[message("user", "Hello.", chat_time=written) for written, _ in times], async_mode=True)

    kept = [(message["chat_time"], message["create_time"]) for message in said(api, user)]
    assert kept == [(str(written), milliseconds) for written, milliseconds in times]


def test_a_time_that_nobody_can_read_is_no_reason_to_refuse(api: Api, user: str) -> None:
    times = ["", "soon", "2025-13-45", "0001-01-01", "9999-12-31", -5, 1e20, "大概吧", "x" * 200]
    api.add(user, *[message("user", "Hello.", chat_time=written) for written in times], async_mode=True)

    assert [message["chat_time"] for message in said(api, user)] == [str(written) for written in times]


def test_what_was_said_twice_is_stored_twice_and_remembered_once(api: Api, user: str) -> None:
    for _ in range(2):
        api.add(user, "I live in Porto.")

    assert len(said(api, user)) == 2
    assert everything(api, user).count("memory_value") == 1


def test_a_client_that_names_no_conversation_goes_on_with_the_same_one(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.", conversation_id=None)
    api.add(user, "My sister is called Ana.", conversation_id=None)

    listed = api.listed(user)["memory_detail_list"]
    assert len({memory["conversation_id"] for memory in listed}) == 1


def test_users_whose_names_look_alike_are_different_users(api: Api, user: str) -> None:
    names = [f"{user} é", f"{user} e\u0301", f"{user} É", f"{user} é ", f"{user}:é", f"{user}/é@x.org"]
    for number, name in enumerate(names):
        api.add(name, f"note {number}", async_mode=True)

    for number, name in enumerate(names):
        assert [message["content"] for message in said(api, name)] == [f"note {number}"]


def test_an_agent_without_a_user_has_memories_of_its_own(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    api.add(None, "I live in Lisbon.", agent_id=user)  # type: ignore[arg-type]  # as the SDK sends it

    own = api.data("get/memory", {"agent_id": user})
    assert "Lisbon" in repr(own)
    assert "Porto" not in repr(own)
    assert "Lisbon" not in everything(api, user)


def test_a_group_talk_is_remembered_for_everybody_in_it(api: Api, user: str) -> None:
    group = [f"{user}-a", f"{user}-b", f"{user}-a"]
    task = api.add(group, "I live in Porto.")  # type: ignore[arg-type]

    assert api.wait_until_done(task["task_id"]) == "completed"
    assert [len(said(api, member)) for member in group[:2]] == [1, 1]


def test_what_may_be_public_is_found_by_other_users_of_the_project(
    tenant: Tenant, strangers_api: Api
) -> None:
    with tenant.api() as api:
        api.add("kim", "The office is in Harbour Street.", allow_public=True)
        api.add("kim", "I live in Porto.")
        facts = api.facts("lee", "Where is the office?", relativity=0)

    assert any("Harbour Street" in fact for fact in facts)
    assert not any("Porto" in fact for fact in facts)
    assert strangers_api.facts("lee", "Where is the office?", relativity=0) == []


def test_a_memory_knows_what_was_sent_with_its_message(api: Api, user: str) -> None:
    sent = {"scene": "chat", "sessionKey": "agent:main:main", "nested": {"list": [1, None, True]}}
    api.add(user, "I live in Porto.", info=sent, agent_id="bot", app_id="app", tags=["home"])

    memory = api.listed(user)["memory_detail_list"][0]
    assert memory["info"] == sent
    assert memory["sources"][0]["content"] == "I live in Porto."
    assert (memory["sources"][0]["role"], memory["sources"][0]["type"]) == ("user", "chat")


def test_small_talk_makes_no_memory_and_is_no_failure(api: Api, user: str) -> None:
    task = api.add(user, message("user", "ok"), message("assistant", "👍"))

    assert task["status"] == "completed"
    assert api.current(user) == []


def test_five_hundred_messages_are_taken_at_once(api: Api, user: str) -> None:
    many = [message("user", f"Note {number}.") for number in range(500)]
    body = {"user_id": user, "conversation_id": "talk", "messages": many}

    accepted(api.call("add/message", body))

    assert [message["content"] for message in said(api, user)] == [
        f"Note {number}." for number in range(450, 500)
    ]


def test_a_users_turns_are_worked_on_in_their_order(api: Api, user: str) -> None:
    cities = ["Porto", "Lisbon", "Madrid", "Berlin"]
    tasks = [
        api.add(user, f"I moved to {city}.", conversation_id=uuid4().hex, async_mode=True) for city in cities
    ]

    assert [api.wait_until_done(task["task_id"]) for task in tasks] == ["completed"] * 4
    assert any("Berlin" in fact for fact in api.facts(user, "Where does the user live?"))


@pytest.mark.parametrize(
    ("written", "words", "day", "date"),
    [
        ("2026-11-20T07:00:00+08:00", "我明天要去复诊。", "2026年11月21日", "2026-11-21"),
        ("北京时间2026年11月20日早上7点", "我昨天去医院拿了报告。", "2026年11月19日", "2026-11-19"),
        ("2026-11-20T23:30:00-05:00", "I dropped the car off today.", "20 November 2026", "2026-11-20"),
        ("2026-11-20 23:30 America/New_York", "I fly to Oslo tomorrow.", "21 November 2026", "2026-11-21"),
        ("Fri, 20 Nov 2026 23:30:00 -0500", "I fly to Oslo tomorrow.", "21 November 2026", "2026-11-21"),
        ("2026-11-20T23:30:00", "I fly to Oslo tomorrow.", "21 November 2026", "2026-11-21"),
        ("2026-11-20T23:30:00Z", "I fly to Oslo tomorrow.", "21 November 2026", "2026-11-21"),
        (1795231800, "I fly to Oslo tomorrow.", "22 November 2026", "2026-11-22"),
    ],
)
def test_the_day_is_the_one_where_the_message_was_written(
    api: Api, user: str, written: str | int, words: str, day: str, date: str
) -> None:
    api.add(user, message("user", words, chat_time=written))

    (memory,) = api.listed(user)["memory_detail_list"]
    dated = datetime.fromtimestamp(memory["memory_time"] / 1000, UTC)
    assert day in memory["memory_value"]
    assert dated == datetime.fromisoformat(date).replace(tzinfo=UTC)


def test_a_state_told_in_the_morning_of_the_east_holds_since_it_was_told(api: Api, user: str) -> None:
    api.add(user, message("user", "我住在成都。", chat_time="2026-11-20T07:00:00+08:00"))
    api.add(user, message("user", "我搬到重庆了，我住在重庆。", chat_time="2026-11-20T07:30:00+08:00"))

    listed = [memory["memory_value"] for memory in api.listed(user)["memory_detail_list"]]
    assert any("重庆" in text for text in listed)
    assert not any("成都" in text for text in listed)
