"""The sentences of lessons, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol


class SkillWording(Protocol):
    def applies(self, goal: str) -> str: ...

    def join(self, notes: Sequence[str]) -> str: ...

    def wanted(self, quote: str) -> str: ...

    def method(self, goal: str, steps: Sequence[str]) -> str: ...

    def wish(self, goal: str, mended: Sequence[tuple[str, str]]) -> str: ...

    def also(self, quote: str) -> str: ...

    def complained(self, quote: str) -> str: ...

    def broke(self, tool: str, reason: str) -> str: ...

    def gave_up(self, quote: str) -> str: ...

    def called(self, tool: str, arguments: str) -> str: ...

    def assumed(self, quote: str) -> str: ...

    def worked(self, tool: str, arguments: str) -> str: ...

    def prevents(self, goal: str, better: str) -> str: ...

    def checks(self, point: str) -> str: ...

    def is_setback(self, note: str) -> bool: ...

    def is_failed_call(self, note: str, following: str) -> bool: ...


class EnglishWording:
    _SETBACK = re.compile(r"^(?:The user objected:|[\w.-]+ failed: |[\w.-]+ worked on another try)")

    def applies(self, goal: str) -> str:
        return f"The user asks for something like “{goal.rstrip('.')}”."

    def join(self, notes: Sequence[str]) -> str:
        return " ".join(note if note[-1] in ".!?…" else f"{note}." for note in notes)

    def wanted(self, quote: str) -> str:
        return f"The user asked: “{quote}”"

    def method(self, goal: str, steps: Sequence[str]) -> str:
        stated = " ".join(f"({number}) {step.rstrip('.;')};" for number, step in enumerate(steps, 1))
        return f"For requests such as “{goal}”: {stated.rstrip(';')}."

    def wish(self, goal: str, mended: Sequence[tuple[str, str]]) -> str:
        stated = "; ".join(
            f"“{objection}”{f' (what helped: “{done}”)' if done else ''}" for objection, done in mended
        )
        return f"For requests such as “{goal}”, mind from the start what the user objected to: {stated}."

    def also(self, quote: str) -> str:
        return f" Mind what the user asked for on the way: “{quote}”"

    def complained(self, quote: str) -> str:
        return f"The user said: “{quote}”"

    def broke(self, tool: str, reason: str) -> str:
        return f"{tool} failed: {reason}"

    def gave_up(self, quote: str) -> str:
        return f"The user gave up: “{quote}”"

    def called(self, tool: str, arguments: str) -> str:
        return f"The agent called {tool}({arguments}), which did not work."

    def assumed(self, quote: str) -> str:
        return f"The agent had gone on from: “{quote}”"

    def worked(self, tool: str, arguments: str) -> str:
        return f"Call {tool}({arguments}), which worked in the end."

    def prevents(self, goal: str, better: str) -> str:
        return f"For requests such as “{goal.rstrip('.')}”: {better}"

    def checks(self, point: str) -> str:
        return f"check the result before calling it done. {point}"

    def is_setback(self, note: str) -> bool:
        return bool(self._SETBACK.match(note))

    def is_failed_call(self, note: str, following: str) -> bool:
        """Return whether the note is a call that the next note says failed."""
        return note.startswith("Called ") and " failed: " in following


class ChineseWording:
    _SETBACK = re.compile(r"^(?:用户指出：|[\w.-]+ 失败：|[\w.-]+ 重试后成功)")

    def applies(self, goal: str) -> str:
        return f"用户提出类似“{goal.rstrip('。')}”的请求时。"

    def join(self, notes: Sequence[str]) -> str:
        return "".join(note if note[-1] in "。！？…" else f"{note}。" for note in notes)

    def wanted(self, quote: str) -> str:
        return f"用户要求：“{quote}”"

    def method(self, goal: str, steps: Sequence[str]) -> str:
        stated = "；".join(f"（{number}）{step.rstrip('。；')}" for number, step in enumerate(steps, 1))
        return f"遇到“{goal}”这类请求时：{stated}。"

    def wish(self, goal: str, mended: Sequence[tuple[str, str]]) -> str:
        stated = "；".join(
            f"“{objection}”{f'（有效的做法：“{done}”）' if done else ''}" for objection, done in mended
        )
        return f"遇到“{goal}”这类请求时，一开始就注意用户指出过的问题：{stated}。"

    def also(self, quote: str) -> str:
        return f"并注意用户途中提出的要求：“{quote}”"

    def complained(self, quote: str) -> str:
        return f"用户说：“{quote}”"

    def broke(self, tool: str, reason: str) -> str:
        return f"{tool} 失败：{reason}"

    def gave_up(self, quote: str) -> str:
        return f"用户放弃了：“{quote}”"

    def called(self, tool: str, arguments: str) -> str:
        return f"助手调用了 {tool}({arguments})，没有成功。"

    def assumed(self, quote: str) -> str:
        return f"助手此前的依据是：“{quote}”"

    def worked(self, tool: str, arguments: str) -> str:
        return f"调用 {tool}({arguments})，最后是这样成功的。"

    def prevents(self, goal: str, better: str) -> str:
        return f"遇到“{goal.rstrip('。')}”这类请求时：{better}"

    def checks(self, point: str) -> str:
        return f"确认结果之后再说已经完成。{point}"

    def is_setback(self, note: str) -> bool:
        return bool(self._SETBACK.match(note))

    def is_failed_call(self, note: str, following: str) -> bool:
        """Return whether the note is a call that the next note says failed."""
        return note.startswith("调用 ") and " 失败：" in following


_ENGLISH, _CHINESE = EnglishWording(), ChineseWording()


def get_wording(language: str) -> SkillWording:
    return _CHINESE if language == "zh" else _ENGLISH
