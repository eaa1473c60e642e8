"""Which tools an assistant has: schemas, however they are written down. English and Chinese."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.values import MemoryKind
from tests.support.extraction.tool_talk import LOCATION, PARAMETERS, WEATHER, drafts, schemas, system, user

WIRE = {"type": "function", "function": WEATHER}
MCP = {"name": "get_weather", "description": "Get current weather information", "inputSchema": PARAMETERS}


@pytest.mark.parametrize(
    "text",
    [
        f"You can call tools.\n{json.dumps([WEATHER], indent=2)}\nBe kind.",
        f"One tool: {json.dumps(WEATHER)}",
        f"<tools>\n{json.dumps(WIRE)}\n</tools>",
        json.dumps({"tools": [WIRE]}),
        json.dumps({"result": {"tools": [MCP]}}),
        json.dumps({"function_declarations": [WEATHER]}),
        f"A list [not JSON] and a brace {{ before it: {json.dumps(WEATHER)}",
        f"```json\n{json.dumps([{**MCP, 'input_schema': PARAMETERS}])}\n```",
    ],
)
def test_a_tool_is_found_however_the_system_message_writes_it_down(text: str) -> None:
    assert schemas(system(text)) == [WEATHER]


@pytest.mark.parametrize("offer", [[WIRE], WIRE, [MCP], json.dumps([WIRE]), {"tools": [WIRE]}])
def test_a_tool_is_found_in_the_tools_of_a_message(offer: Any) -> None:
    (draft,) = drafts([user("Hello")], MemoryKind.TOOL_SCHEMA, [offer])

    assert draft.details["schema"] == WEATHER


def test_a_tool_without_parameters_is_one_where_tools_are_listed() -> None:
    bare = {"name": "get_time", "description": "Tells the time"}

    (schema,) = schemas(system(f"<tools>{json.dumps(bare)}</tools>"))

    assert schema == {**bare, "parameters": {"type": "object", "properties": {}}}
    assert schemas(system(json.dumps(bare))) == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"name": "Kim", "description": "A customer"}),
        f"To call: {json.dumps({'name': 'get_weather', 'arguments': {'location': 'Beijing'}})}",
        f"<tools>{json.dumps({'name': 'get_weather', 'arguments': {}})}</tools>",
        f"To call: {json.dumps({'name': 'get_weather', 'parameters': {'location': 'Beijing'}})}",
        "[[[[[[" * 5_000,
        '{"a": ' * 5_000,
    ],
)
def test_what_is_no_tool_makes_none(text: str) -> None:
    assert schemas(system(text)) == []


def test_tools_in_the_words_of_users_are_no_tools() -> None:
    assert schemas(user(json.dumps(WEATHER))) == []


def test_the_same_tool_told_in_another_order_says_the_same() -> None:
    first, second = (
        drafts([system(text)], MemoryKind.TOOL_SCHEMA)[0].text for text in (json.dumps(WEATHER), shuffled())
    )

    assert first == second
    assert "location (string, required): City name, e.g. Beijing" in first


def shuffled() -> str:
    return json.dumps({"parameters": dict(reversed(PARAMETERS.items())), **WEATHER})


@pytest.mark.parametrize(
    "change",
    [
        {"enum": ["Beijing"]},
        {"minLength": 2},
        {"default": "Rome"},
        {"type": "array", "items": {"type": "string"}},
    ],
)
def test_any_change_of_a_parameter_changes_what_is_said(change: dict[str, Any]) -> None:
    changed = {**WEATHER, "parameters": {**PARAMETERS, "properties": {"location": LOCATION | change}}}

    texts = {
        drafts([system(json.dumps(tool))], MemoryKind.TOOL_SCHEMA)[0].text for tool in (WEATHER, changed)
    }

    assert len(texts) == 2


def test_a_tool_described_in_chinese_is_told_in_chinese() -> None:
    described = {"name": "get_weather", "description": "获取指定城市的天气", "parameters": PARAMETERS}

    (draft,) = drafts([system(json.dumps(described, ensure_ascii=False))], MemoryKind.TOOL_SCHEMA)

    assert draft.text.startswith("工具 get_weather：获取指定城市的天气。参数：location（string，必填）")
    assert draft.language == "zh"
