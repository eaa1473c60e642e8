"""An assistant that used its weather tool once knows better how to use it in the next conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.api_client import Api, Message, message

ENGLISH = {
    "system": "You are an assistant that can call tools. Call the tool that fits when a request needs one.",
    "tool": {
        "name": "get_weather",
        "description": "Get current weather information for a given location",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string", "description": "City name, e.g. Beijing"}},
            "required": ["location"],
        },
    },
    "asked": "What's the weather like in Beijing right now?",
    "city": "Beijing",
    "result": {"location": "Beijing", "temperature": "7°C", "condition": "Cloudy"},
    "later": ["What clothes are suitable for Beijing", "How is the weather in Shanghai today?"],
    "run": [
        "What's the weather like in Beijing right now?",
        "get_weather",
        'location="Beijing"',
        "7°C",
        "Cloudy",
    ],
    "experience": ["What's the weather like in Beijing right now?", "'get_weather'", "location"],
    "tool_experience": ["location", "temperature", "condition"],
    "unrelated": "Which films does the user like?",
}
CHINESE = {
    "system": "你是一个可以调用工具的助手。用户的请求可以用工具完成时，必须调用合适的工具。",
    "tool": {
        "name": "get_weather",
        "description": "获取指定地点的当前天气信息",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string", "description": "城市名称，例如北京"}},
            "required": ["location"],
        },
    },
    "asked": "北京现在的天气怎么样？",
    "city": "北京",
    "result": {"location": "北京", "temperature": "7°C", "condition": "多云"},
    "later": ["去北京适合穿什么衣服", "今天上海天气如何？"],
    "run": ["北京现在的天气怎么样？", "get_weather", 'location="北京"', "7°C", "多云"],
    "experience": ["北京现在的天气怎么样？", "调用“get_weather”", "location"],
    "tool_experience": ["location", "temperature", "condition"],
    "unrelated": "用户喜欢哪些电影？",
}


def talk(story: dict[str, Any]) -> list[Message]:
    schema = json.dumps([story["tool"]], indent=2, ensure_ascii=False)
    arguments = json.dumps({"location": story["city"]}, ensure_ascii=False)
    call = {
        "id": "call_123",
        "type": "function",
        "function": {"name": "get_weather", "arguments": arguments},
    }
    returned = [{"type": "text", "text": json.dumps(story["result"], ensure_ascii=False)}]
    return [
        message("system", f"{story['system']}\n{schema}\n"),
        message("user", story["asked"]),
        {"role": "assistant", "tool_calls": [call]},
        message("tool", returned, tool_call_id="call_123"),
    ]


def recalled(api: Api, query: str, **options: Any) -> dict[str, dict[str, Any]]:
    """The tool memories of a later conversation's search, by their types."""
    asked = {"memory_limit_number": 10, "preference_limit_number": 10, "tool_memory_limit_number": 10}
    answer = api.search(
        "memos_user_123", query, conversation_id="0928", include_tool_memory=True, **asked, **options
    )
    return {item["tool_type"]: item for item in answer["tool_memory_detail_list"]}


@pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_a_later_conversation_recalls_the_tool_how_it_was_used_and_what_that_taught(
    api: Api, story: dict[str, Any]
) -> None:
    api.add("memos_user_123", *talk(story), conversation_id="demo-conv-id")

    for query in story["later"]:
        memories = recalled(api, query)

        schema, run = memories["ToolSchemaMemory"], memories["ToolTrajectoryMemory"]
        assert json.loads(schema["tool_value"]) == story["tool"]
        assert [part for part in story["run"] if part not in run["tool_value"]] == []
        assert [part for part in story["experience"] if part not in run["experience"]] == []
        (used,) = run["tool_used_status"]
        assert (used["used_tool"], used["error_type"], used["success_rate"]) == ("get_weather", "", 1.0)
        assert [part for part in story["tool_experience"] if part not in used["tool_experience"]] == []
        assert {item["conversation_id"] for item in memories.values()} == {"demo-conv-id"}


@pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_what_went_wrong_and_how_it_was_mended_is_recalled_with_it(api: Api, story: dict[str, Any]) -> None:
    system, asked, called, returned = talk(story)
    arguments = json.dumps({"city": story["city"]}, ensure_ascii=False)
    wrong = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    api.add(
        "memos_user_123",
        system,
        asked,
        {"role": "assistant", "tool_calls": [wrong]},
        message("tool", json.dumps({"error": "missing required argument: location"}), tool_call_id="call_1"),
        called,
        returned,
    )

    run = recalled(api, story["later"][1])["ToolTrajectoryMemory"]

    (used,) = run["tool_used_status"]
    assert (used["error_type"], used["success_rate"]) == ("invalid_argument", 0.5)
    for lesson in (used["tool_experience"], run["experience"]):
        assert "missing required argument: location" in lesson
        assert "location and not city" in lesson or "city 改为 location" in lesson


@pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_a_question_about_something_else_recalls_no_tool(api: Api, story: dict[str, Any]) -> None:
    api.add("memos_user_123", *talk(story))

    assert recalled(api, story["unrelated"]) == {}


def test_the_talk_about_weather_leaves_nothing_about_the_user(api: Api) -> None:
    api.add("memos_user_123", *talk(ENGLISH))

    listed = api.listed("memos_user_123")

    assert (listed["memory_detail_list"], listed["preference_detail_list"]) == ([], [])
