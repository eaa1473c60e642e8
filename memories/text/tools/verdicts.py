"""Did a tool do what it was asked for? Judged from what it returned, since nobody says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memories.text.secrets import mask_secrets, mask_text
from memories.text.tools.complaints import detect_error_type, find_complaint
from memories.text.words.spacing import shorten_text

SUCCESS, FAILURE, PENDING = "success", "failure", "pending"
NO_RESULT, EMPTY_RESULT = "no_result", "empty_result"

# Fields whose mere content is a failure, whose falsehood is one, and whose number is one.
_ERRORS = (
    "error",
    "errors",
    "exception",
    "traceback",
    "err",
    "errmsg",
    "error_message",
    "errorMessage",
    "错误",
)
_FLAGS_FALSE = ("success", "ok", "succeeded", "successful", "found", "isSuccess", "is_success")
_FLAGS_TRUE = ("isError", "is_error", "failed", "hasError", "timed_out", "timedOut")
_EXITS = (
    "exit_code",
    "exitCode",
    "exit_status",
    "returncode",
    "return_code",
    "retcode",
    "errcode",
    "errno",
    "error_code",
)
_HTTP = ("status_code", "statusCode", "http_status", "httpStatus", "status", "code")
_STATES = ("status", "state", "result", "outcome", "状态", "结果")
_BAD_STATES = frozenset(
    """
        error errored fail failed failure exception timeout timed_out denied rejected unauthorized
        forbidden not_found aborted cancelled canceled unavailable 失败 错误 异常 超时 拒绝 未找到
        不存在
    """.split()
)
_MESSAGES = ("message", "msg", "detail", "details", "reason", "description", "stderr", "信息", "消息", "原因")
_HOLDERS = (
    "results",
    "result",
    "data",
    "items",
    "records",
    "rows",
    "hits",
    "matches",
    "list",
    "entries",
    "结果",
    "数据",
)
_COUNTS = ("total", "count", "num_results", "totalResults", "total_count", "数量", "总数")
_NONE: tuple[Any, ...] = (None, "", [], {}, False, 0, "null", "none", "None", "无", "0")
_ENVELOPE = frozenset(
    {"code", "message", "msg", "data", "request_id", "requestId", "trace_id", "success", "timestamp"}
)
_WRAPPERS = frozenset(
    {"result", "output", "content", "text", "response", "data", "body", "结果", "输出", "返回", "数据"}
)
_LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class Verdict:
    """success, failure or pending; `error_type` and `reason` are of a failure."""

    status: str
    error_type: str = ""
    reason: str = ""


PENDING_VERDICT = Verdict(PENDING, NO_RESULT)
_GOOD = Verdict(SUCCESS)
_EMPTY = Verdict(FAILURE, EMPTY_RESULT)


def judge_result(result: str) -> Verdict:
    """Return what a result, as the tool gave it, says about the call."""
    text = result.strip()
    value = _decode_text(text)
    if isinstance(value, str) or value is text:
        return _judge_text(str(value))
    return _judge_value(value)


def _decode_text(text: str) -> Any:
    if not text.startswith(("{", "[", '"')) and text not in ("null", "None"):
        return text
    try:
        # Masked at once: that also ends what is nested too deep to walk through.
        return mask_secrets(json.loads(text)) if text != "None" else None
    except (ValueError, RecursionError):
        return text


def _judge_value(value: Any) -> Verdict:
    if isinstance(value, str):
        return _judge_text(value)
    if value is None or value == [] or value == {}:
        return _EMPTY
    if isinstance(value, list):
        return _judge_list(value)
    return _judge_object(value) if isinstance(value, dict) else _GOOD


def _judge_text(text: str) -> Verdict:
    if not text.strip() or text.strip().lower() in {"null", "none", "nil", "undefined", "[]", "{}", "无"}:
        return _EMPTY
    complaint = find_complaint(text)
    return _build_failure(complaint, detect_error_type(complaint)) if complaint else _GOOD


def _judge_list(values: list[Any]) -> Verdict:
    """One good part is a good result."""
    parts = [value["text"] if _is_part(value) else value for value in values[:20]]
    if not any(isinstance(part, str | dict) for part in parts):
        return _GOOD
    verdicts = [judge_result(part) if isinstance(part, str) else _judge_value(part) for part in parts]
    return next((verdict for verdict in verdicts if verdict.status == SUCCESS), verdicts[0])


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "text" and isinstance(value.get("text"), str)


def _judge_object(value: dict[str, Any]) -> Verdict:
    for failure in _iterate_failures(value):
        return failure
    if _is_part(value):
        return judge_result(value["text"])
    content = value.get("content")
    if isinstance(content, list) and content and all(_is_part(part) for part in content):
        return _judge_list(content)
    if _holds_nothing(value):
        return _EMPTY
    if len(value) == 1 and value.keys() <= _WRAPPERS:
        return _judge_value(next(iter(value.values())))
    if value.keys() <= {*_MESSAGES, "status", "code"} and (messages := _list_messages_in(value)):
        return _judge_text(" ".join(messages))
    return _GOOD


def _iterate_failures(value: dict[str, Any]) -> Iterator[Verdict]:
    """Return what in the object says that it failed, plainest first."""
    reason = " ".join(_list_messages_in(value))
    for name in _ERRORS:
        if name in value and value[name] not in _NONE:
            message = _get_error_words(value[name]) or reason
            number = _get_http_status(value) or _get_http_status(value[name])
            yield _build_failure(
                message, _get_http_error_type(number) or detect_error_type(f"{message} {reason}")
            )
    if any(value.get(name) is False or value.get(name) == "false" for name in _FLAGS_FALSE):
        kind = "not_found" if value.get("found") is False else detect_error_type(reason)
        yield _build_failure(reason, _get_http_error_type(_get_http_status(value)) or kind)
    if any(value.get(name) is True for name in _FLAGS_TRUE):
        message = reason or " ".join(_get_part_texts(value.get("content")))
        yield _build_failure(message, detect_error_type(message))
    if number := _get_http_status(value):
        yield _build_failure(reason or f"HTTP {number}", _get_http_error_type(number))
    if name := next((name for name in _EXITS if _is_bad_number(value.get(name))), ""):
        message = reason or f"{name} {value[name]}"
        kind = detect_error_type(reason)
        yield _build_failure(message, kind if kind != "error" else "exit_code")
    for name in _STATES:
        state = value.get(name)
        if isinstance(state, str) and state.strip().lower().replace(" ", "_") in _BAD_STATES:
            yield _build_failure(reason or state, detect_error_type(f"{state} {reason}"))
    if _is_refusing_envelope(value):
        yield _build_failure(reason, detect_error_type(reason))


def _get_error_words(error: Any) -> str:
    if isinstance(error, dict):
        return " ".join(_list_messages_in(error)) or json.dumps(error, ensure_ascii=False)
    if isinstance(error, list):
        return "; ".join(_get_error_words(entry) for entry in error[:3])
    return "" if isinstance(error, bool) else str(error)


def _list_messages_in(value: dict[str, Any]) -> list[str]:
    return [message for name in _MESSAGES if isinstance(message := value.get(name), str) and message.strip()]


def _get_part_texts(content: Any) -> list[str]:
    parts = content if isinstance(content, list) else [content]
    return [part["text"] if _is_part(part) else str(part) for part in parts[:3] if part]


def _get_http_status(value: Any) -> int:
    """The number of a failed HTTP call; `status` and `code` name one only between 400 and 599."""
    if not isinstance(value, dict):
        return 0
    for name in _HTTP:
        number = value.get(name)
        if isinstance(number, str) and number.isascii() and number.isdecimal() and len(number) == 3:
            number = int(number)
        # A `code` of that size may be anything's, unless the object says something too.
        if isinstance(number, int) and 400 <= number <= 599 and (name != "code" or _list_messages_in(value)):
            return number
    return 0


def _get_http_error_type(number: int) -> str:
    if not number:
        return ""
    known = {401: "authentication", 403: "permission", 404: "not_found", 410: "not_found", 408: "timeout"}
    known |= {429: "rate_limit", 504: "timeout"}
    return known.get(number, "invalid_argument" if number < 500 else "server_error")


def _is_bad_number(number: Any) -> bool:
    if isinstance(number, str):
        return number.lstrip("-").isdecimal() and number.strip("-0") != ""
    return isinstance(number, int) and not isinstance(number, bool) and number != 0


def _is_refusing_envelope(value: dict[str, Any]) -> bool:
    """{"code": 40002, "message": "…", "data": null}: business errors that travel with HTTP 200."""
    code = value.get("code")
    if not isinstance(code, int) or isinstance(code, bool) or code == 0 or 200 <= code < 300:
        return False
    return value.keys() <= _ENVELOPE and bool(_list_messages_in(value)) and value.get("data") in _NONE


def _holds_nothing(value: dict[str, Any]) -> bool:
    """Nothing was found: the lists that should hold something are empty, or the count is 0."""
    held = [value[name] for name in _HOLDERS if name in value]
    if held:
        return all(holder in (None, [], {}, "") for holder in held)
    counts = [value[name] for name in _COUNTS if name in value]
    others = [part for name, part in value.items() if name not in _COUNTS and part not in _NONE]
    return bool(counts) and all(count == 0 for count in counts) and not others


def _build_failure(message: str, error_type: str) -> Verdict:
    reason = shorten_text(" ".join(mask_text(message[:2_000]).split()), _LONGEST_REASON)
    return Verdict(FAILURE, error_type or "error", reason)
