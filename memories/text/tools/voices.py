"""The sentences of tool memories, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class NamedCall(NamedTuple):
    """A call of a tool, with the names of its arguments."""

    tool: str
    arguments: Sequence[str]


class Voice(Protocol):
    """Phrases about tools in one language. Arguments come as they are to be shown: `location="Beijing"`."""

    none: str
    between: str
    stop: str

    def asked(self, request: str) -> str: ...

    def called(self, tool: str, arguments: str) -> str: ...

    def returned(self, result: str) -> str: ...

    def failed(self, error_type: str, reason: str) -> str: ...

    def no_result(self) -> str: ...

    def more(self, count: int) -> str: ...

    def works(self, tool: str, arguments: str, returns: str) -> str: ...

    def failed_with(self, tool: str, arguments: str, error_type: str, reason: str) -> str: ...

    def waits(self, tool: str, arguments: str) -> str: ...

    def helped(self, change: str) -> str: ...

    def other_tool(self, failed: str, error_type: str, worked: str) -> str: ...

    def changed(self, name: str, new: str, old: str) -> str: ...

    def added(self, argument: str) -> str: ...

    def removed(self, name: str) -> str: ...

    def renamed(self, new: str, old: str) -> str: ...

    def again(self) -> str: ...

    def method(self, request: str, calls: Sequence[NamedCall]) -> str: ...

    def no_success(self, request: str, tools: Sequence[str]) -> str: ...

    def unfinished(self, request: str, tools: Sequence[str]) -> str: ...

    def advice(self, error_type: str) -> str: ...


class EnglishVoice:
    none = "no arguments"
    between = ", "
    stop = " "

    def asked(self, request: str) -> str:
        return f'The user asked: "{request}"' if request else "No request in words"

    def called(self, tool: str, arguments: str) -> str:
        return f"{tool} was called with {arguments or self.none}"

    def returned(self, result: str) -> str:
        return f"it returned {result}"

    def failed(self, error_type: str, reason: str) -> str:
        return f"it failed ({error_type}){': ' + reason if reason else ''}"

    def no_result(self) -> str:
        return "no result came"

    def more(self, count: int) -> str:
        return f"{count} more calls"

    def works(self, tool: str, arguments: str, returns: str) -> str:
        return f"'{tool}' works with {arguments or self.none}{' and returns ' + returns if returns else ''}."

    def failed_with(self, tool: str, arguments: str, error_type: str, reason: str) -> str:
        why = f"{error_type}: {reason}" if reason else error_type
        return f"'{tool}' failed with {arguments or self.none} ({why})"

    def waits(self, tool: str, arguments: str) -> str:
        return f"'{tool}' was called with {arguments or self.none}, and no result came."

    def helped(self, change: str) -> str:
        return f"; it worked after {change}."

    def other_tool(self, failed: str, error_type: str, worked: str) -> str:
        return f"When '{failed}' fails ({error_type}), use '{worked}' instead."

    def changed(self, name: str, new: str, old: str) -> str:
        return f"{name} was changed from {old} to {new}"

    def added(self, argument: str) -> str:
        return f"{argument} was added"

    def removed(self, name: str) -> str:
        return f"{name} was left out"

    def renamed(self, new: str, old: str) -> str:
        return f"the argument was named {new} and not {old}"

    def again(self) -> str:
        return "the same call was made again"

    def method(self, request: str, calls: Sequence[NamedCall]) -> str:
        calls_in_words = ", then ".join(
            f"'{call.tool}'{' with ' + ', '.join(call.arguments) if call.arguments else ''}" for call in calls
        )
        return f"{self._write_for_request(request)} call {calls_in_words}."

    def no_success(self, request: str, tools: Sequence[str]) -> str:
        return f"{self._write_for_request(request)} {_join_quoted(tools, ' and ')} did not succeed."

    def unfinished(self, request: str, tools: Sequence[str]) -> str:
        return (
            f"{self._write_for_request(request)} {_join_quoted(tools, ' and ')} was called; how it went is "
            f"not known yet."
        )

    @staticmethod
    def _write_for_request(request: str) -> str:
        return f'For requests such as "{request}",' if request else "Without a request in words,"

    def advice(self, error_type: str) -> str:
        return _ADVICE.get(error_type, _ADVICE["error"])


class ChineseVoice:
    none = "无参数"
    between = "，"
    stop = ""

    def asked(self, request: str) -> str:
        return f"用户的请求：“{request}”" if request else "没有文字请求"

    def called(self, tool: str, arguments: str) -> str:
        return f"调用 {tool}，参数：{arguments or '无'}"

    def returned(self, result: str) -> str:
        return f"返回：{result}"

    def failed(self, error_type: str, reason: str) -> str:
        return f"失败（{_get_kind_name(error_type)}）{'：' + reason if reason else ''}"

    def no_result(self) -> str:
        return "没有收到结果"

    def more(self, count: int) -> str:
        return f"另有 {count} 次调用"

    def works(self, tool: str, arguments: str, returns: str) -> str:
        with_arguments = (
            f"使用参数 {arguments} 调用“{tool}”成功" if arguments else f"不带参数调用“{tool}”成功"
        )
        return f"{with_arguments}{'，返回' + returns if returns else ''}。"

    def failed_with(self, tool: str, arguments: str, error_type: str, reason: str) -> str:
        why = f"{_get_kind_name(error_type)}：{reason}" if reason else _get_kind_name(error_type)
        return f"“{tool}”使用 {arguments or self.none} 时失败（{why}）"

    def waits(self, tool: str, arguments: str) -> str:
        return f"“{tool}”以 {arguments or self.none} 调用后没有收到结果。"

    def helped(self, change: str) -> str:
        return f"；{change}{' ' if change[-1:].isascii() else ''}后成功。"

    def other_tool(self, failed: str, error_type: str, worked: str) -> str:
        return f"“{failed}”失败（{_get_kind_name(error_type)}）时，改用“{worked}”。"

    def changed(self, name: str, new: str, old: str) -> str:
        return f"把 {name} 从 {old} 改为 {new} "

    def added(self, argument: str) -> str:
        return f"加上 {argument} "

    def removed(self, name: str) -> str:
        return f"去掉 {name} "

    def renamed(self, new: str, old: str) -> str:
        return f"把参数名 {old} 改为 {new} "

    def again(self) -> str:
        return "以相同参数重试"

    def method(self, request: str, calls: Sequence[NamedCall]) -> str:
        calls_in_words = "，然后".join(
            f"调用“{call.tool}”{'（参数 ' + '、'.join(call.arguments) + '）' if call.arguments else ''}"
            for call in calls
        )
        return f"{self._write_for_request(request)}应{calls_in_words}。"

    def no_success(self, request: str, tools: Sequence[str]) -> str:
        return f"{self._write_for_request(request)}{_join_quoted(tools, '和', '“”')}没有成功。"

    def unfinished(self, request: str, tools: Sequence[str]) -> str:
        return f"{self._write_for_request(request)}调用了{_join_quoted(tools, '和', '“”')}，结果尚不清楚。"

    @staticmethod
    def _write_for_request(request: str) -> str:
        return f"遇到“{request}”这类请求时，" if request else "没有文字请求时，"

    def advice(self, error_type: str) -> str:
        return _ADVICE_ZH.get(error_type, _ADVICE_ZH["error"])


def _join_quoted(names: Sequence[str], joint: str, marks: str = "''") -> str:
    return joint.join(f"{marks[0]}{name}{marks[1]}" for name in names)


_ADVICE = {
    "invalid_argument": "Check the arguments against the tool's schema before the next call.",
    "not_found": "Check how the thing is named before asking for it again.",
    "authentication": "It needs valid credentials first.",
    "permission": "It is not allowed here; ask for access or take another way.",
    "rate_limit": "Wait before the next call, and call it less often.",
    "timeout": "Try again later, or ask for less at once.",
    "network": "Try again when the network can be reached.",
    "server_error": "The tool itself was out of order; try again later or take another way.",
    "empty_result": "It found nothing; ask in other words or more widely.",
    "error": "Read its message before making the same call again.",
}
_ADVICE_ZH = {
    "invalid_argument": "再次调用前请对照工具的参数说明检查参数。",
    "not_found": "再次查询前请确认名称是否正确。",
    "authentication": "需要先提供有效的凭证。",
    "permission": "没有权限，请申请权限或换一种方式。",
    "rate_limit": "请稍等再调用，并降低调用频率。",
    "timeout": "请稍后重试，或减少一次请求的内容。",
    "network": "请在网络可用时重试。",
    "server_error": "工具本身出了故障，请稍后重试或换一种方式。",
    "empty_result": "没有查到内容，请换个说法或扩大范围。",
    "error": "再次以相同方式调用前请先看它的提示。",
}
_KINDS = {
    "invalid_argument": "参数错误",
    "not_found": "未找到",
    "authentication": "认证失败",
    "permission": "没有权限",
    "rate_limit": "限流",
    "timeout": "超时",
    "network": "网络错误",
    "server_error": "服务故障",
    "empty_result": "结果为空",
    "exit_code": "退出码非零",
    "exception": "异常",
    "error": "错误",
}


def _get_kind_name(error_type: str) -> str:
    return _KINDS.get(error_type, error_type)


ENGLISH, CHINESE = EnglishVoice(), ChineseVoice()


def get_voice(language: str) -> Voice:
    return CHINESE if language == "zh" else ENGLISH
