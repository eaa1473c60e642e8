"""Memories of tools through the API: made from tool messages, recalled, listed, filtered, deleted."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from tests.support.api_client import Api, Message, Tenant, message
from tests.support.expect import accepted, refused

PARAMETERS = {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]}
WEATHER = {
    "name": "get_weather",
    "description": "Get the current weather of a city",
    "parameters": PARAMETERS,
}
ASKED = "What's the weather like in Beijing right now?"
ASK = "How is the weather in Beijing today?"


def calls(*made: tuple[str, str, Any]) -> Message:
    """An assistant's message that only calls tools: (id, name, arguments)."""
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(sent)}}
            for call_id, name, sent in made
        ],
    }


def result(call_id: str, content: Any) -> Message:
    return message("tool", content if isinstance(content, str) else json.dumps(content), tool_call_id=call_id)


def weather_talk(city: str = "Beijing", answer: Any = "Cloudy, 7°C") -> list[Message]:
    return [
        message("system", f"You may call tools. {json.dumps([WEATHER])}"),
        message("user", f"What's the weather like in {city} right now?"),
        calls(("1", "get_weather", {"location": city})),
        result("1", answer),
    ]


def tools(api: Api, user: str, query: str = ASK, **options: Any) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = api.search(user, query, include_tool_memory=True, **options)[
        "tool_memory_detail_list"
    ]
    return memories


def listed(api: Api, user: str) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = api.listed(user)["tool_memory_detail_list"]
    return memories


def of_type(items: list[dict[str, Any]], tool_type: str) -> list[dict[str, Any]]:
    return [item for item in items if item["tool_type"] == tool_type]


def runs(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return of_type(items, "ToolTrajectoryMemory")


def schemas(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return of_type(items, "ToolSchemaMemory")


@pytest.fixture(scope="module")
def asker(api: Api) -> str:
    """A user who asked for the weather; nobody says anything more to them."""
    name = f"asker-{uuid4().hex[:8]}"
    api.add(name, *weather_talk(), conversation_id="demo", info={"scene": "sky"})
    return name


def test_a_search_that_asks_for_tools_gets_schema_and_run_in_the_documented_shape(
    api: Api, asker: str
) -> None:
    memories = tools(api, asker)

    (run,), (schema,) = runs(memories), schemas(memories)
    assert json.loads(schema["tool_value"]) == WEATHER
    assert {"tool_used_status", "experience"} & schema.keys() == set()
    assert run["tool_value"].startswith(f'The user asked: "{ASKED}" -> get_weather was called')
    assert run["experience"]
    (used,) = run["tool_used_status"]
    assert used.keys() == {"used_tool", "error_type", "success_rate", "tool_experience"}
    assert (used["used_tool"], used["error_type"], used["success_rate"]) == ("get_weather", "", 1.0)
    for item in (run, schema):
        assert (item["conversation_id"], item["status"], item["info"]) == (
            "demo",
            "activated",
            {"scene": "sky"},
        )
        assert isinstance(item["create_time"], int)
        assert isinstance(item["update_time"], int)
        assert 0.45 <= item["relativity"] <= 1
    assert [item["relativity"] for item in memories] == sorted(
        (item["relativity"] for item in memories), reverse=True
    )


def test_without_being_asked_for_tools_stay_away(api: Api, asker: str) -> None:
    for options in ({}, {"include_tool_memory": False}, {"include_tool_memory": None}):
        answer = api.search(asker, ASK, relativity=0, **options)
        assert answer["tool_memory_detail_list"] == []
        assert "get_weather" not in repr(answer["memory_detail_list"])


def test_as_many_tool_memories_come_as_were_asked_for(api: Api, user: str) -> None:
    cities = ("Rome", "Oslo", "Lima", "Cairo", "Delhi", "Porto", "Turin")
    for city in cities:
        api.add(user, *weather_talk(city)[1:], conversation_id=city)

    asked = "What is the weather like?"
    assert len(tools(api, user, asked, relativity=0)) == 6
    assert len(tools(api, user, asked, relativity=0, tool_memory_limit_number=2)) == 2
    assert len(tools(api, user, asked, relativity=0, tool_memory_limit_number=25)) == 7
    assert tools(api, user, asked, relativity=0, tool_memory_limit_number=0) == []


def test_a_page_lists_tool_memories_with_the_messages_they_came_from(api: Api, asker: str) -> None:
    page = api.listed(asker)

    (run,), (schema,) = runs(page["tool_memory_detail_list"]), schemas(page["tool_memory_detail_list"])
    assert [source["role"] for source in run["sources"]] == ["user", "assistant", "tool"]
    assert [source["content"] for source in run["sources"]] == [
        ASKED,
        'get_weather(location="Beijing")',
        "Cloudy, 7°C",
    ]
    assert [source["role"] for source in schema["sources"]] == ["system"]
    assert run["info"] == {"scene": "sky"}
    assert page["total"] == 2
    without = api.listed(asker, include_tool_memory=False)
    assert (without["tool_memory_detail_list"], without["total"]) == ([], len(without["memory_detail_list"]))


def test_the_same_tool_sent_again_is_no_second_memory(api: Api, user: str) -> None:
    for city in ("Beijing", "Rome"):
        api.add(user, *weather_talk(city), conversation_id=city)

    assert len(schemas(listed(api, user))) == 1
    assert len(runs(listed(api, user))) == 2


def test_a_tool_that_changed_keeps_its_memory_and_tells_its_new_schema(api: Api, user: str) -> None:
    api.add(user, *weather_talk())
    (before,) = schemas(listed(api, user))
    only = {"type": "object", "properties": {}}
    # Less than before, and as a tool field in the wire's own form.
    narrower = [{"type": "function", "function": {**WEATHER, "parameters": only}}]

    api.add(user, message("user", "Hello again", tools=narrower))

    (after,) = schemas(listed(api, user))
    assert json.loads(after["tool_value"])["parameters"] == only
    assert after["id"] == before["id"]


def test_an_old_schema_that_arrives_late_changes_nothing(api: Api, user: str) -> None:
    api.add(user, *weather_talk())
    older = {**WEATHER, "description": "Weather, first version"}

    api.add(user, message("system", json.dumps(older), chat_time="2020-01-01 10:00:00"))

    (kept,) = schemas(listed(api, user))
    assert json.loads(kept["tool_value"])["description"] == WEATHER["description"]


def test_a_run_whose_messages_come_one_by_one_is_one_memory(api: Api, user: str) -> None:
    def seen() -> tuple[str, str, str]:
        (run,) = runs(listed(api, user))
        return run["id"], run["tool_used_status"][0]["error_type"], run["tool_value"]

    api.add(user, message("user", "Please tell me the weather in Rome, Oslo and Lima."))
    states = []
    for number, city in enumerate(("Rome", "Oslo", "Lima")):
        api.add(user, calls((str(number), "get_weather", {"location": city})))
        states.append(seen())
        api.add(user, result(str(number), f"Sunny in {city}"))
        states.append(seen())

    assert len({memory_id for memory_id, _, _ in states}) == 1
    assert [error for _, error, _ in states][:2] == ["no_result", ""]
    last = states[-1][2]
    assert last.startswith('The user asked: "Please tell me the weather in Rome, Oslo and Lima."')
    assert [city for city in ("Rome", "Oslo", "Lima") if f"Sunny in {city}" in last] == [
        "Rome",
        "Oslo",
        "Lima",
    ]


def test_how_often_a_tool_worked_is_told_by_all_runs_of_the_user(api: Api, user: str) -> None:
    for city, answer in (
        ("Rome", "Sunny"),
        ("Oslo", "Snow"),
        ("Atlantis", "Error: city not found"),
        ("Lima", "Fog"),
    ):
        api.add(user, *weather_talk(city, answer)[1:], conversation_id=city)
    api.add("somebody-else", *weather_talk("Rome", "Error: timed out")[1:])

    rates = {used["success_rate"] for run in runs(listed(api, user)) for used in run["tool_used_status"]}

    assert rates == {0.75}
    assert tools(api, user)[0]["tool_used_status"][0]["success_rate"] == 0.75


def test_the_same_run_again_counts_without_being_told_twice(api: Api, user: str) -> None:
    api.add(user, *weather_talk("Rome", "Error: city not found")[1:], conversation_id="1")
    for conversation in ("2", "3"):
        api.add(user, *weather_talk("Oslo", "Snow")[1:], conversation_id=conversation)

    both = runs(listed(api, user))

    assert len(both) == 2
    assert {used["success_rate"] for run in both for used in run["tool_used_status"]} == {0.6667}


def test_a_result_without_its_call_is_stored_and_makes_no_memory(api: Api, user: str) -> None:
    api.add(user, *weather_talk()[1:3], conversation_id="other")
    api.add(user, message("user", "And now?"), result("1", "Cloudy"), result("nobody's", {"x": 1}))

    kept = api.data("get/message", {"user_id": user, "conversation_id": "talk"})["message_detail_list"]
    assert [message["role"] for message in kept] == ["user", "tool", "tool"]
    (run,) = runs(listed(api, user))
    assert run["conversation_id"] == "other"
    assert run["tool_used_status"][0]["error_type"] == "no_result"


@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": ""}]])
def test_a_tool_may_return_nothing(api: Api, user: str, content: Any) -> None:
    api.add(user, *weather_talk()[1:3], message("tool", content, tool_call_id="1"))

    (run,) = runs(listed(api, user))
    assert run["tool_used_status"][0]["error_type"] == "empty_result"


def test_a_message_that_is_no_result_must_say_something(api: Api, user: str) -> None:
    body = {"user_id": user, "conversation_id": "c", "messages": [message("tool", "")]}

    refused(api.call("add/message", body), 40002, "content")


def test_secrets_of_calls_and_results_are_in_no_memory_however_it_is_read(api: Api, user: str) -> None:
    secret = "hunter2-and-more"
    api.add(
        user,
        message("user", "Log in to the shop"),
        calls(("1", "login", {"user": "kim", "password": secret})),
        result("1", {"ok": True, "access_token": secret}),
    )

    answers = [listed(api, user), tools(api, user, "log in to the shop")]
    assert all(len(answer) == 1 for answer in answers)
    assert secret not in repr(answers)
    assert "kim" in repr(answers)
    (run,) = runs(answers[0])
    memory = accepted(api.get(f"get/memory/{run['id']}"))
    assert (memory["memory_view"], memory["content"]) == ("tool", run["tool_value"])
    assert 'login(user="kim", password="***")' in repr(memory["metadata"]["sources"])
    assert secret not in repr(memory)


def test_what_is_said_of_tools_counts_towards_the_limit_of_a_request(api: Api, user: str) -> None:
    long = {**WEATHER, "description": "weather and climate " * 15_000}
    body = {"user_id": user, "conversation_id": "c", "messages": [message("user", "Hi", tools=[long])]}

    refused(api.call("add/message", body), 40305)


def test_tool_memories_are_filtered_like_others(api: Api, user: str) -> None:
    api.add(user, *weather_talk("Rome")[1:], info={"scene": "trip"}, agent_id="guide", tags=["weather"])
    api.add(user, *weather_talk("Oslo")[1:], conversation_id="2")

    for condition in (
        {"scene": "trip"},
        {"agent_id": "guide"},
        {"tags": {"contains": "weather"}, "scene": "trip"},
    ):
        (memory,) = tools(api, user, relativity=0, filter={"user": {"and": [condition]}})
        assert "Rome" in memory["tool_value"]


def test_deleting_tool_memories_leaves_the_others(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.", *weather_talk())

    accepted(api.call("delete/memory", {"user_id": user, "memory_type": "tool"}))

    assert listed(api, user) == []
    assert tools(api, user, relativity=0) == []
    assert any("Porto" in fact for fact in api.facts(user, "Where does the user live?"))


def test_a_deleted_run_is_gone_with_its_beginnings(api: Api, user: str) -> None:
    *begun, last = weather_talk()[1:]
    api.add(user, *begun)
    api.add(user, last)
    (run,) = runs(listed(api, user))

    accepted(api.call("delete/memory", {"memory_ids": [run["id"]]}))

    assert listed(api, user) == []


def test_public_tool_memories_serve_other_users(tenant: Tenant) -> None:
    with tenant.api() as mine:
        mine.add("kim", *weather_talk(), allow_public=True)

        memories = tools(mine, "lou")

    assert (len(runs(memories)), len(schemas(memories))) == (1, 1)


def test_one_users_tool_does_not_replace_anothers_of_the_same_name_in_public(tenant: Tenant) -> None:
    other = {**WEATHER, "description": "Tells the weather at sea"}
    with tenant.api() as mine:
        mine.add("kim", *weather_talk(), allow_public=True)
        mine.add("lou", message("system", json.dumps(other)), allow_public=True)

        memories = schemas(tools(mine, "sam", "Which tool tells the weather?", relativity=0))

    assert {json.loads(memory["tool_value"])["description"] for memory in memories} == {
        WEATHER["description"],
        other["description"],
    }


def test_strangers_see_nothing_of_our_tools(strangers_api: Api, asker: str) -> None:
    assert tools(strangers_api, asker, relativity=0) == []
    assert listed(strangers_api, asker) == []


def test_an_agent_alone_has_tool_memories_too(api: Api) -> None:
    body = {"agent_id": "clerk", "conversation_id": "c", "messages": weather_talk(), "async_mode": False}
    accepted(api.call("add/message", body))

    search = {"agent_id": "clerk", "query": ASK, "include_tool_memory": True}
    assert len(accepted(api.call("search/memory", search))["tool_memory_detail_list"]) == 2
