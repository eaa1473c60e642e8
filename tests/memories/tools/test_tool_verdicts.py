"""Whether a tool did what it was asked for, judged from what it returned, in English and Chinese."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.text.tools.verdicts import judge_result

TRACEBACK = "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'city'"
PAGE = "How to handle an error: the server failed, nothing was found. " * 40


@pytest.mark.parametrize(
    "result",
    [
        "Sunny, 21 degrees.",
        "北京，7°C，多云",
        {"location": "Beijing", "temperature": "7°C"},
        {"error": None, "data": {"id": 5}},
        {"errors": [], "value": 3},
        {"error": "", "ok": True},
        {"success": True, "message": "Sent."},
        {"exit_code": 0, "stdout": "", "stderr": ""},
        {"status": 200, "body": "fine"},
        {"status": "ok"},
        {"code": 0, "message": "ok", "data": {"n": 1}},
        {"code": 200, "msg": "成功", "data": [1]},
        {"code": 86, "country": "China"},
        {"code": 404, "city": "Atlanta"},
        {"results": [{"title": "a"}], "total": 1},
        {"total": 0, "average": 3.5},
        ["a", "b"],
        [{"error": "one of them failed"}, {"value": 3}],
        [{"type": "text", "text": "Sunny."}],
        {"content": [{"type": "text", "text": "Sunny."}], "isError": False},
        "0 errors, 0 failed, 12 passed",
        "No errors found.",
        "编译完成，没有错误。",
        "错误数：0，通过：12",
        "true",
        "42",
        "Hi, I cannot come on Monday, see you on Tuesday.",
        PAGE,
        "3 rows in set",
        {"result": "Sunny"},
    ],
)
def test_a_result_that_answers_is_a_success(result: Any) -> None:
    assert judge_result(as_sent(result)).status == "success"


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        ({"error": "City not found"}, "not_found"),
        ({"error": {"code": 429, "message": "Too many requests"}}, "rate_limit"),
        ({"error": True, "message": "Invalid date format"}, "invalid_argument"),
        ({"errors": [{"message": "field `to` is required"}]}, "invalid_argument"),
        ({"success": False, "message": "permission denied"}, "permission"),
        ({"ok": "false", "found": True, "success": "false", "message": "boom"}, "error"),
        ({"found": False}, "not_found"),
        ({"isError": True, "content": [{"type": "text", "text": "request timed out"}]}, "timeout"),
        ({"status": "error", "message": "Internal server error"}, "server_error"),
        ({"status": 404, "body": "<html>"}, "not_found"),
        ({"status_code": 503}, "server_error"),
        ({"statusCode": "401", "body": ""}, "authentication"),
        ({"code": 40002, "message": "city is missing", "data": None}, "invalid_argument"),
        ({"code": 500, "message": "oops"}, "server_error"),
        ({"exit_code": 2, "stdout": "", "stderr": "unrecognised option"}, "exit_code"),
        ({"returncode": "1", "stdout": ""}, "exit_code"),
        ({"errcode": 40013, "errmsg": "invalid appid"}, "invalid_argument"),
        ("Error: connection refused", "network"),
        ("HTTP 404", "not_found"),
        ("Request failed with status code 429", "rate_limit"),
        ("bash: foo: command not found", "not_found"),
        (TRACEBACK, "exception"),
        ("TypeError: got an unexpected keyword argument 'city'", "invalid_argument"),
        ("Process exited with code 1", "exit_code"),
        ("No results found for 'xyzzy'.", "empty_result"),
        ("User not found", "not_found"),
        ("The API key is invalid.", "authentication"),
        ([{"type": "text", "text": "Error: no such file"}], "not_found"),
        ({"message": "Rate limit exceeded"}, "rate_limit"),
        ("查询失败：城市不存在", "not_found"),
        ("错误：缺少参数 location", "invalid_argument"),
        ({"状态": "失败", "原因": "服务繁忙"}, "server_error"),
        ("请求超时，请稍后重试", "timeout"),
        ("没有权限访问该文档", "permission"),
        ("未查询到相关数据", "empty_result"),
        ("无法连接服务器", "network"),
        ({"code": 1001, "msg": "余额不足"}, "error"),
        ("退出码：1", "exit_code"),
        ({"result": "Error: connection refused"}, "network"),
        ({"输出": "查询失败"}, "error"),
    ],
)
def test_a_result_that_complains_is_a_failure_of_its_kind(result: Any, error_type: str) -> None:
    verdict = judge_result(as_sent(result))

    assert (verdict.status, verdict.error_type) == ("failure", error_type)


@pytest.mark.parametrize(
    "result", ["", "  ", "null", "None", "[]", "{}", {"results": []}, {"data": None}, {"total": 0}]
)
def test_a_result_that_holds_nothing_found_nothing(result: Any) -> None:
    assert judge_result(as_sent(result)).error_type == "empty_result"


@pytest.mark.parametrize(
    "result", [{"code": 0, "message": "ok", "data": []}, {"结果": []}, {"list": [], "total": 0}]
)
def test_an_envelope_around_nothing_found_nothing(result: Any) -> None:
    assert judge_result(as_sent(result)).error_type == "empty_result"


def test_the_reason_is_short_and_without_secrets() -> None:
    verdict = judge_result(json.dumps({"error": "Login failed, password=hunter2 is wrong. " + "x" * 5_000}))

    assert "hunter2" not in verdict.reason
    assert len(verdict.reason) <= 160


@pytest.mark.parametrize("opened", ["[", '{"a":', '{"error":['])
def test_no_result_is_nested_too_deep_to_be_judged(opened: str) -> None:
    closed = {"[": "]", '{"a":': "}", '{"error":[': "]}"}[opened]

    for depth in (30, 300, 100_000):
        judge_result(opened * depth + "1" + closed * depth)


def as_sent(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
