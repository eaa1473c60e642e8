"""Which tools were called with what, in which order, for which request, and what each of them returned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memories.text.secrets import MASKED_FIRST, mask_result, mask_secrets, mask_text
from memories.text.tools.verdicts import PENDING_VERDICT, Verdict, judge_result
from memories.text.words.spacing import shorten_text
from memories.values import ToolCall, Turn

MOST_STEPS = 50
# What is kept of a result. It is judged whole.
_LONGEST_RESULT = 2_000
_LONGEST_ARGUMENT, _LONGEST_PART, _MOST_KEPT = 2_000, 200, 20
_LONGEST_REQUEST = 300
_LONGEST_SHOWN = 80
MOST_ARGUMENTS = 8


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One call of a tool. `result` is None until it came; both are without secrets, and cut."""

    tool: str
    arguments: Any
    result: str | None
    verdict: Verdict
    turns: tuple[int, ...]


@dataclass(slots=True)
class ToolRun:
    """The calls for one request; `asked` is the turn that made it, None where nobody did."""

    request: str
    asked: int | None
    steps: list[ToolStep] = field(default_factory=list)

    @property
    def turns(self) -> tuple[int, ...]:
        asked = () if self.asked is None else (self.asked,)
        return tuple(sorted({*asked, *(turn for step in self.steps for turn in step.turns)}))


def find_runs(turns: Sequence[Turn]) -> list[ToolRun]:
    """The runs of a conversation in order. Results whose call nobody made here belong to no run."""
    answered = _match_answers(turns)
    runs: list[ToolRun] = []
    run = ToolRun("", None)
    for at, turn in enumerate(turns):
        if turn.role == "user":
            run = ToolRun(_shorten_request(turn.text), at)
        for number, call in enumerate(turn.calls if turn.role == "assistant" else ()):
            if not run.steps:
                runs.append(run)
            if len(run.steps) < MOST_STEPS:
                run.steps.append(_build_step(call, at, answered.get((at, number)), turns))
    return runs


def _match_answers(turns: Sequence[Turn]) -> dict[tuple[int, int], int]:
    """For each call, by its turn and place in it, the turn that answers it.

    An id that was used again is answered to the latest message that waits for it, and there to the first such call.
    Results and calls without any id belong together only until the user speaks again.
    """
    waiting: dict[str, list[list[tuple[int, int]]]] = {}
    answered: dict[tuple[int, int], int] = {}
    for at, turn in enumerate(turns):
        if turn.role == "user":
            waiting.pop("", None)
        elif turn.role == "assistant":
            for call_id, calls in _group_by_id(turn.calls, at).items():
                waiting.setdefault(call_id, []).append(calls)
        elif turn.role == "tool" and (open_calls := waiting.get(turn.answers)):
            answered[open_calls[-1].pop(0)] = at
            if not open_calls[-1]:
                open_calls.pop()
    return answered


def _group_by_id(calls: Sequence[ToolCall], at: int) -> dict[str, list[tuple[int, int]]]:
    places_by_id: dict[str, list[tuple[int, int]]] = {}
    for number, call in enumerate(calls):
        places_by_id.setdefault(call.id, []).append((at, number))
    return places_by_id


def _build_step(call: ToolCall, at: int, answered_at: int | None, turns: Sequence[Turn]) -> ToolStep:
    arguments = _parse_arguments(call.arguments)
    if answered_at is None:
        return ToolStep(call.name, arguments, None, PENDING_VERDICT, (at,))
    result = turns[answered_at].text
    return ToolStep(call.name, arguments, _shorten_result(result), judge_result(result), (at, answered_at))


def _parse_arguments(sent: str) -> Any:
    """The arguments as JSON, or the text when it is none: models write broken JSON."""
    try:
        value = json.loads(sent) if sent.strip() else {}
    except (ValueError, RecursionError):
        return shorten_text(mask_text(sent[:MASKED_FIRST]), _LONGEST_ARGUMENT)
    return _shorten_arguments(mask_secrets(value))


def _shorten_arguments(arguments: Any) -> Any:
    """Long arguments (a file to write, a mail to send) by their beginnings."""
    if len(_write_value(arguments)) <= _LONGEST_ARGUMENT:
        return arguments
    if not isinstance(arguments, dict):
        return shorten_text(_write_value(arguments), _LONGEST_ARGUMENT)
    # Names too may be long, and there may be thousands.
    few = list(arguments.items())[:_MOST_KEPT]
    return {shorten_text(name, _LONGEST_PART): _shorten_part(part) for name, part in few}


def _shorten_part(part: Any) -> Any:
    return (
        part if len(_write_value(part)) <= _LONGEST_PART else shorten_text(_write_value(part), _LONGEST_PART)
    )


def _write_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shorten_result(result: str) -> str:
    return shorten_text(mask_result(result), _LONGEST_RESULT)


def show_message(text: str, calls: Sequence[ToolCall]) -> str:
    """A message of a run as it may be shown: cut, without secrets, its calls below its words."""
    called = [
        f"{call.name}({show_arguments(_parse_arguments(call.arguments))})" for call in calls[:MOST_STEPS]
    ]
    return "\n".join([*([_shorten_result(text)] if text.strip() else []), *called])


def _shorten_request(text: str) -> str:
    return shorten_text(mask_text(" ".join(text[:MASKED_FIRST].split())), _LONGEST_REQUEST)


def show_arguments(arguments: Any) -> str:
    """`location="Beijing", days=3`."""
    if not isinstance(arguments, dict):
        return show_value(arguments) if arguments not in (None, "", []) else ""
    shown = [f"{name}={show_value(value)}" for name, value in list(arguments.items())[:MOST_ARGUMENTS]]
    return ", ".join(shown + ["…"] * (len(arguments) > MOST_ARGUMENTS))


def show_value(value: Any) -> str:
    return shorten_text(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)
