"""How tools were called, what came of it, and what that teaches. English and Chinese."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.values import Turn
from tests.support.extraction.tool_talk import (
    ASKED,
    CLOUDY,
    DAY,
    calls,
    result,
    run,
    runs,
    statuses,
    tool,
    user,
)


def test_a_call_its_arguments_and_its_result_become_one_run() -> None:
    made = run(user(ASKED), calls(("1", "get_weather", {"location": "Beijing"})), result("1", CLOUDY))

    assert made.text == (
        f'The user asked: "{ASKED}" -> get_weather was called with location="Beijing" -> '
        "it returned location: Beijing, temperature: 7°C, condition: Cloudy"
    )
    assert made.turns == (0, 1, 2)
    assert (
        made.details["experience"] == f"For requests such as \"{ASKED}\", call 'get_weather' with location."
    )
    assert tool(made, "get_weather") == {
        "used_tool": "get_weather",
        "answered": 1,
        "succeeded": 1,
        "error_type": "",
        "tool_experience": "'get_weather' works with location=\"Beijing\" and returns location, temperature, condition"
        ".",
    }


def test_a_chinese_request_is_told_in_chinese() -> None:
    made = run(
        user("北京现在天气怎么样？"),
        calls(("1", "查询天气", {"城市": "北京"})),
        result("1", {"温度": "7°C", "天气": "多云"}),
    )

    assert made.text == (
        '用户的请求：“北京现在天气怎么样？” -> 调用 查询天气，参数：城市="北京" -> 返回：温度: 7°C, 天气: 多云'
    )
    assert (
        made.details["experience"] == "遇到“北京现在天气怎么样？”这类请求时，应调用“查询天气”（参数 城市）。"
    )
    assert "成功，返回温度，天气" in tool(made, "查询天气")["tool_experience"]


@pytest.mark.parametrize(
    ("wrong", "right", "lesson"),
    [
        ({"city": "Beijing"}, {"location": "Beijing"}, "the argument was named location and not city"),
        ({"location": "Bejing"}, {"location": "Beijing"}, 'location was changed from "Bejing" to "Beijing"'),
        ({}, {"location": "Beijing"}, 'location="Beijing" was added'),
        ({"location": "Beijing", "x": 1}, {"location": "Beijing"}, "x was left out"),
        ({"location": "Beijing"}, {"location": "Beijing"}, "the same call was made again"),
    ],
)
def test_a_failure_that_was_overcome_teaches_how(wrong: Any, right: Any, lesson: str) -> None:
    made = run(
        user(ASKED),
        calls(("1", "get_weather", wrong)),
        result("1", {"error": "invalid arguments"}),
        calls(("2", "get_weather", right)),
        result("2", CLOUDY),
    )

    assert statuses(made) == ["failure", "success"]
    assert lesson in tool(made, "get_weather")["tool_experience"]
    assert lesson in made.details["experience"]
    assert (tool(made, "get_weather")["answered"], tool(made, "get_weather")["succeeded"]) == (2, 1)


def test_a_chinese_failure_that_was_overcome_teaches_how() -> None:
    made = run(
        user("北京天气如何"),
        calls(("1", "get_weather", {"city": "北京"})),
        result("1", "错误：缺少参数 location"),
        calls(("2", "get_weather", {"location": "北京"})),
        result("2", "多云，7度"),
    )

    assert "参数错误：错误：缺少参数 location" in made.details["experience"]
    assert "把参数名 city 改为 location 后成功。" in made.details["experience"]


def test_another_tool_that_did_the_job_is_recommended() -> None:
    made = run(
        user("Find the newest invoice."),
        calls(("1", "search_mail", {"q": "invoice"})),
        result("1", "Error: timed out"),
        calls(("2", "search_drive", {"q": "invoice"})),
        result("2", {"results": ["invoice-7.pdf"]}),
    )

    assert "When 'search_mail' fails (timeout), use 'search_drive' instead." in made.details["experience"]
    assert "call 'search_drive' with q" in made.details["experience"]


def test_what_never_worked_is_told_with_advice() -> None:
    made = run(
        user("北京天气"), calls(("1", "get_weather", {"location": "北平"})), result("1", "未找到该城市")
    )

    assert made.details["experience"] == (
        "遇到“北京天气”这类请求时，“get_weather”没有成功。再次查询前请确认名称是否正确。"
    )
    assert tool(made, "get_weather")["error_type"] == "not_found"


def test_several_calls_of_one_message_keep_their_order_whatever_order_they_are_answered_in() -> None:
    made = run(
        user("Compare the weather in Rome and Oslo."),
        calls(("1", "get_weather", {"location": "Rome"}), ("2", "get_weather", {"location": "Oslo"})),
        result("2", {"temperature": "-3°C"}),
        result("1", {"temperature": "18°C"}),
    )

    assert [(step["arguments"]["location"], step["result"]) for step in made.details["steps"]] == [
        ("Rome", '{"temperature": "18°C"}'),
        ("Oslo", '{"temperature": "-3°C"}'),
    ]


def test_each_request_is_a_run_of_its_own() -> None:
    first, second = runs(
        user("Weather in Rome?"),
        calls(("1", "get_weather", {"location": "Rome"})),
        result("1", "Sunny"),
        Turn("assistant", "Sunny!", DAY),
        user("Weather in Oslo?"),
        calls(("2", "get_weather", {"location": "Oslo"})),
        result("2", "Snow"),
    )

    assert "Rome" in first.text
    assert "Oslo" not in first.text
    assert second.turns == (4, 5, 6)


def test_a_call_without_a_result_is_unfinished_and_no_failure() -> None:
    made = run(user(ASKED), calls(("1", "get_weather", {"location": "Beijing"})))

    assert statuses(made) == ["pending"]
    assert tool(made, "get_weather") | {"tool_experience": ""} == {
        "used_tool": "get_weather",
        "answered": 0,
        "succeeded": 0,
        "error_type": "no_result",
        "tool_experience": "",
    }
    assert made.text.endswith("-> no result came")


def test_a_result_nobody_asked_for_makes_no_memory() -> None:
    assert runs(user(ASKED), result("9", CLOUDY), result("", CLOUDY)) == []


def test_a_second_result_of_a_call_is_nobodys() -> None:
    made = run(user(ASKED), calls(("1", "get_weather", {})), result("1", "Sunny"), result("1", "Error: late"))

    assert statuses(made) == ["success"]


def test_an_id_used_twice_belongs_to_the_latest_call_that_waits() -> None:
    first, second = runs(
        user("Weather in Rome?"),
        calls(("call", "get_weather", {"location": "Rome"})),
        result("call", "Sunny"),
        user("Weather in Oslo?"),
        calls(("call", "get_weather", {"location": "Oslo"})),
        result("call", "Error: unavailable"),
    )

    assert (statuses(first), statuses(second)) == (["success"], ["failure"])


def test_one_id_for_two_calls_of_a_message_is_answered_in_order() -> None:
    made = run(
        user("Rome and Oslo?"),
        calls(("x", "get_weather", {"location": "Rome"}), ("x", "get_weather", {"location": "Oslo"})),
        result("x", "Sunny"),
        result("x", "Error: unavailable"),
    )

    assert statuses(made) == ["success", "failure"]


def test_calls_that_nobody_asked_for_are_kept_without_inventing_a_request() -> None:
    made = run(calls(("1", "clean_up", {})), result("1", "Done."))

    assert made.text == "No request in words -> clean_up was called with no arguments -> it returned Done."
    assert "user asked" not in made.text


def test_a_huge_result_is_cut_and_still_judged_whole() -> None:
    made = run(
        user("Read it"),
        calls(("1", "read", {})),
        result("1", "word " * 40_000 + "\nProcess exited with code 3"),
    )

    assert statuses(made) == ["failure"]
    assert len(made.text) < 1_000
    assert len(json.dumps(made.details)) < 5_000


def test_many_calls_are_told_short_and_kept_in_bounds() -> None:
    made = run(user("Go on"), *(calls((str(n), "step", {"n": n})) for n in range(200)))

    assert "38 more calls" in made.text
    assert len(made.details["steps"]) == 50
