"""How a talk stands when nothing is said any more."""

from __future__ import annotations

from memories.text.tools.verdicts import FAILURE, judge_result
from skills.reading.messages.requests import read_ask
from skills.reading.messages.signs import admits_failure, asks_back, asks_leave
from skills.reading.talk import ASSISTANT, USER, TalkMessage


def is_midway(last: TalkMessage) -> bool:
    """Return whether the agent is likely still at work: a tool runs, a result came, or a request was not answered
    yet."""
    if last.calls or (last.results and not last.is_said):
        return True
    return last.role == USER and bool(read_ask(last.text).requests)


def ends_badly(last: TalkMessage) -> bool:
    """Return whether the last word on a task is an error, or that the agent could not."""
    if last.role == ASSISTANT:
        return last.is_said and not last.calls and admits_failure(last.text)
    return any(judge_result(result.text).status == FAILURE for result in last.results[-1:])


def is_report(last: TalkMessage) -> bool:
    """Return whether the last word is an agent's that asks for nothing more."""
    return (
        last.role == ASSISTANT
        and last.is_said
        and not last.calls
        and not asks_back(last.text)
        and not asks_leave(last.text)
    )
