"""A run in words: what happened, step by step, and what it teaches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from memories.text.tools.runs import MOST_ARGUMENTS, ToolRun, ToolStep, show_arguments, show_value
from memories.text.tools.verdicts import FAILURE, NO_RESULT, PENDING, SUCCESS
from memories.text.tools.voices import NamedCall, Voice
from memories.text.words.spacing import shorten_text

_MOST_STEPS = 12
_LONGEST_RESULT = 300
_LONGEST_REQUEST = 160
_MOST_FAILURES = 3


def describe_run(run: ToolRun, voice: Voice) -> str:
    """The run as one text: the request, then each call with what came of it."""
    lines = [voice.asked(run.request)]
    for step in run.steps[:_MOST_STEPS]:
        lines += [voice.called(step.tool, show_arguments(step.arguments)), _describe_outcome(step, voice)]
    if len(run.steps) > _MOST_STEPS:
        lines.append(voice.more(len(run.steps) - _MOST_STEPS))
    return " -> ".join(lines)


def _describe_outcome(step: ToolStep, voice: Voice) -> str:
    if step.result is None:
        return voice.no_result()
    if step.verdict.status == FAILURE:
        return voice.failed(step.verdict.error_type, step.verdict.reason)
    return voice.returned(shorten_text(_write_in_words(_parse_json_or_text(step.result)), _LONGEST_RESULT))


def _parse_json_or_text(result: str) -> Any:
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return result


def _write_in_words(value: Any, depth: int = 0) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{name}: {_write_in_words(part, depth + 1)}" for name, part in value.items())
        return f"({inside})" if depth else inside
    if isinstance(value, list):
        return "; ".join(_write_in_words(part, depth + 1) for part in value)
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value)


def list_tool_statuses(run: ToolRun, voice: Voice) -> list[dict[str, Any]]:
    """For each tool of the run, in the order of first use: how often it answered and worked, and what it taught."""
    names = dict.fromkeys(step.tool for step in run.steps)
    return [_build_status(name, [step for step in run.steps if step.tool == name], voice) for name in names]


def _build_status(tool: str, steps: Sequence[ToolStep], voice: Voice) -> dict[str, Any]:
    answered = [step for step in steps if step.verdict.status != PENDING]
    failed = [step.verdict.error_type for step in answered if step.verdict.status == FAILURE]
    return {
        "used_tool": tool,
        "answered": len(answered),
        "succeeded": len(answered) - len(failed),
        # The last failure, also when it was overcome: the kind to look out for.
        "error_type": failed[-1] if failed else "" if answered else NO_RESULT,
        "tool_experience": _write_experience(tool, steps, voice),
    }


def _write_experience(tool: str, steps: Sequence[ToolStep], voice: Voice) -> str:
    lines = [
        _describe_failure(tool, step, _find_next_success(steps, at), voice)
        for at, step in _iterate_failures(steps)
    ]
    worked = [step for step in steps if step.verdict.status == SUCCESS]
    if worked:
        returns = voice.between.join(_list_returned_names(worked[-1].result))
        lines.insert(0, voice.works(tool, show_arguments(worked[-1].arguments), returns))
    if not lines:
        lines = [voice.waits(tool, show_arguments(steps[-1].arguments))]
    return voice.stop.join(lines[: 1 + _MOST_FAILURES])


def _iterate_failures(steps: Sequence[ToolStep]) -> Iterator[tuple[int, ToolStep]]:
    return ((at, step) for at, step in enumerate(steps) if step.verdict.status == FAILURE)


def _find_next_success(steps: Sequence[ToolStep], at: int) -> ToolStep | None:
    return next((step for step in steps[at + 1 :] if step.verdict.status == SUCCESS), None)


def _describe_failure(tool: str, step: ToolStep, remedy: ToolStep | None, voice: Voice) -> str:
    verdict = step.verdict
    sentence = voice.failed_with(tool, show_arguments(step.arguments), verdict.error_type, verdict.reason)
    if remedy is None:
        end = "。" if voice.stop == "" else ". "
        return f"{sentence}{end}{voice.advice(verdict.error_type)}"
    return sentence + voice.helped(_describe_change(step.arguments, remedy.arguments, voice))


def _describe_change(before: Any, after: Any, voice: Voice) -> str:
    """Describe what was different in the call that worked."""
    if before == after:
        return voice.again()
    if not isinstance(before, dict) or not isinstance(after, dict):
        return voice.changed("", show_value(after), show_value(before)).strip()
    return voice.between.join(change.strip() for change in list(_describe_changes(before, after, voice))[:4])


def _describe_changes(before: dict[str, Any], after: dict[str, Any], voice: Voice) -> Iterator[str]:
    gone, new = [n for n in before if n not in after], [n for n in after if n not in before]
    for old in list(gone):
        name = next((name for name in new if after[name] == before[old]), None)
        if name is not None:
            gone.remove(old)
            new.remove(name)
            yield voice.renamed(name, old)
    for name in before:
        if name in after and after[name] != before[name]:
            yield voice.changed(name, show_value(after[name]), show_value(before[name]))
    yield from (voice.added(f"{name}={show_value(after[name])}") for name in new)
    yield from (voice.removed(name) for name in gone)


def _list_returned_names(result: str | None) -> list[str]:
    value = _parse_json_or_text(result or "")
    return [str(name) for name in list(value)[:6]] if isinstance(value, dict) else []


def write_experience(run: ToolRun, voice: Voice) -> str:
    """Write what to do about such a request next time."""
    request = shorten_text(run.request, _LONGEST_REQUEST)
    worked = [step for step in run.steps if step.verdict.status == SUCCESS]
    names = list(dict.fromkeys(step.tool for step in run.steps))[:6]
    failures = [step for _, step in _iterate_failures(run.steps)]
    if worked:
        lines = [voice.method(request, _list_calls(worked)), *_describe_overcome(run, voice)]
    elif failures:
        lines = [voice.no_success(request, names), voice.advice(failures[-1].verdict.error_type)]
    else:
        lines = [voice.unfinished(request, names)]
    return voice.stop.join(lines)


def _list_calls(worked: Sequence[ToolStep]) -> list[NamedCall]:
    """The calls that worked, in order; the same tool twice in a row is one."""
    calls: list[NamedCall] = []
    for step in worked:
        names = list(step.arguments)[:MOST_ARGUMENTS] if isinstance(step.arguments, dict) else []
        if not calls or calls[-1].tool != step.tool:
            calls.append(NamedCall(step.tool, names))
    return calls[:_MOST_STEPS]


def _describe_overcome(run: ToolRun, voice: Voice) -> list[str]:
    """Describe what failed on the way, each tool once: by its own later call, by another tool, or not at all."""
    lines: dict[str, str] = {}
    for at, step in _iterate_failures(run.steps):
        own = next((s for s in run.steps[at + 1 :] if s.tool == step.tool and _worked(s)), None)
        if step.tool in lines:
            continue
        other = _find_next_success(run.steps, at)
        if own is None and other is not None:
            lines[step.tool] = voice.other_tool(step.tool, step.verdict.error_type, other.tool)
        else:
            lines[step.tool] = _describe_failure(step.tool, step, own, voice)
    return list(lines.values())[:_MOST_FAILURES]


def _worked(step: ToolStep) -> bool:
    return step.verdict.status == SUCCESS
