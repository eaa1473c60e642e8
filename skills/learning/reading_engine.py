"""Read a session with the model where one is configured, and with rules where there is none or it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memories.engine import get_chat_model_for
from memories.engine.fallback_report import report_replacement
from memories.engine.metering import metering_usage
from memories.engine.protocols import MODEL_ERRORS
from skills.learning.llm.tasks import build_signature, read_with
from skills.reading.talk import TalkMessage
from skills.reading.task_board import Board
from skills.reading.tasks import NAME, read_tasks
from tenancy.isolation.scoping import Scope


@dataclass(frozen=True, slots=True)
class Criteria:
    """The project's criteria of success and failure; "" where it says nothing."""

    success: str = ""
    failure: str = ""

    @classmethod
    def of(cls, configs: Mapping[str, Any]) -> Criteria:
        return cls(configs.get("task_success_criteria") or "", configs.get("task_failure_criteria") or "")


@dataclass(frozen=True, slots=True)
class BoardReading:
    """Outcome of the tasks, and who says so: an engine, and in brackets why another one could not."""

    board: Board
    by: str


def read_new_messages(
    scope: Scope, messages: Sequence[TalkMessage], known: int, board: Callable[[], Board], criteria: Criteria
) -> BoardReading:
    """Outside of transactions. The first `known` messages were read before and help to understand the others."""
    model = get_chat_model_for(scope)
    if model is None:
        return _read_by_rules(messages, known, board(), NAME)
    fresh = board()
    try:
        with metering_usage(scope):
            read_with(model, fresh, messages, known, criteria)
    except MODEL_ERRORS as error:
        return _read_by_rules(messages, known, board(), report_replacement(NAME, model.name, error))
    return BoardReading(fresh, build_signature(model))


def _read_by_rules(messages: Sequence[TalkMessage], known: int, board: Board, by: str) -> BoardReading:
    read_tasks(board, messages, known)
    return BoardReading(board, by)
