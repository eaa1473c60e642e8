"""Read sessions with a model, which acts by the tools of the contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings

from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Deadline
from memories.engine.protocols import AnswerUseless
from skills.learning.llm.message_text import build_message_text
from skills.learning.prompts import load_prompt
from skills.learning.tool_loop import TEXT, Ending, ModelTool, build_parameters, run_rounds
from skills.reading.talk import TalkMessage
from skills.reading.task_board import Board, RefusedAction, get_latest
from skills.values import SessionTaskState

if TYPE_CHECKING:
    from skills.learning.reading_engine import Criteria

PROMPT, PURPOSE = "observe-1", "observation"
ROUNDS = 6
# All rounds together, so many times the limit of one question.
_DEADLINE_FACTOR, _LONGEST_SECONDS = 3, 75.0
_PROGRESSES = 6
LONGEST_PART = 1_024
_SUCCESS = "the user confirms it, or the agent did it without errors and goes on."
_FAILURE = "there was an error that was not overcome, the user says that it failed, or gives it up."
_INTEGER = {"type": "integer"}
_INTEGERS = {"type": "array", "items": _INTEGER}


def build_signature(model: ChatModel) -> str:
    return f"{model.name[:60]} ({PROMPT})"


def read_with(
    model: ChatModel, board: Board, messages: Sequence[TalkMessage], known: int, criteria: Criteria
) -> None:
    """Acts on the board. Raises what `run_rounds` raises; the board is of no use then."""
    instructions = load_prompt(PROMPT).replace("{success}", criteria.success or _SUCCESS)
    tools = _Tools(board, messages, known)
    run = run_rounds(
        model,
        instructions.replace("{failure}", criteria.failure or _FAILURE),
        _build_prompt_data(board, messages, known),
        tools.all,
        rounds=ROUNDS,
        deadline=Deadline.after(min(_LONGEST_SECONDS, _DEADLINE_FACTOR * settings.LLM["SECONDS"])),
        purpose=PURPOSE,
    )
    if run.ending is not Ending.FINISHED and not tools.has_changed:
        raise AnswerUseless(f"nothing done, ended by {run.ending}")


def _build_prompt_data(board: Board, messages: Sequence[TalkMessage], known: int) -> dict[str, Any]:
    notes = [note for task in board.tasks if not task.is_finished for note in task.progresses]
    return {
        "tasks": [
            {"task_order": order, "status": task.status.value, "task_description": task.description}
            for order, task in enumerate(board.tasks, 1)
        ],
        "progress": get_latest(notes, _PROGRESSES),
        "preferences": board.preferences,
        "messages": [
            build_message_text(message, LONGEST_PART) | {"id": at} | ({"known": True} if at < known else {})
            for at, message in enumerate(messages)
        ],
    }


class _Tools:
    """The tools over one board. Messages are named by their place in what the model was shown."""

    def __init__(self, board: Board, messages: Sequence[TalkMessage], known: int) -> None:
        self._board = board
        self._messages = messages
        self._known = known
        self.has_changed = False

    @property
    def all(self) -> list[ModelTool]:
        status = {"type": "string", "enum": [state.value for state in SessionTaskState]}
        update = build_parameters(task_order=_INTEGER, task_status=status, task_description=TEXT)
        bounds = {**_INTEGERS, "minItems": 2, "maxItems": 2}
        return [
            ModelTool(
                "insert_task",
                "Adds a task behind the one of this order; 0 puts it first.",
                build_parameters(after_task_order=_INTEGER, task_description=TEXT),
                self._insert_task,
            ),
            ModelTool(
                "update_task",
                "Changes the status of a task, its description, or both.",
                {**update, "required": ["task_order"]},
                self._update_task,
            ),
            ModelTool(
                "append_messages_to_task",
                "Says that the messages from the first id to the second, both included, belong to a task.",
                build_parameters(task_order=_INTEGER, message_id_range=bounds),
                self._append_messages,
            ),
            ModelTool(
                "append_task_progress",
                "Notes one milestone of a task.",
                build_parameters(task_order=_INTEGER, progress=TEXT),
                self._add_progress,
            ),
            ModelTool(
                "append_messages_to_planning_section",
                "Says that these messages are about what is to be done.",
                build_parameters(message_ids=_INTEGERS),
                self._add_plan,
            ),
            ModelTool(
                "submit_user_preference",
                "Notes something lasting about the user, in the third person.",
                build_parameters(preference=TEXT),
                self._add_preference,
            ),
            ModelTool(
                "report_thinking",
                "Says what you think.",
                build_parameters(thinking=TEXT),
                lambda arguments: "Go on.",
            ),
            ModelTool("finish", "Ends the work.", build_parameters(), lambda arguments: "Done.", ends=True),
        ]

    def _insert_task(self, arguments: dict[str, Any]) -> str:
        made = self._board.insert(arguments["after_task_order"], arguments["task_description"])
        return self._confirm_answer(f"Task {self._board.find_order(made)} was added.")

    def _update_task(self, arguments: dict[str, Any]) -> str:
        status = arguments.get("task_status")
        self._board.update(
            arguments["task_order"],
            SessionTaskState(status) if status else None,
            arguments.get("task_description"),
        )
        return self._confirm_answer("Done.")

    def _append_messages(self, arguments: dict[str, Any]) -> str:
        first, last = arguments["message_id_range"]
        if first > last:
            raise RefusedAction("the first id is greater than the second")
        self._refuse_unknown([first, last])  # before the range takes as much memory as a model says
        self._board.place(arguments["task_order"], self._list_new(range(first, last + 1)))
        return self._confirm_answer("Done.")

    def _add_progress(self, arguments: dict[str, Any]) -> str:
        self._board.add_progress(arguments["task_order"], arguments["progress"])
        return self._confirm_answer("Noted.")

    def _add_plan(self, arguments: dict[str, Any]) -> str:
        self._board.add_plan(self._list_new(arguments["message_ids"]))
        return self._confirm_answer("Done.")

    def _add_preference(self, arguments: dict[str, Any]) -> str:
        self._board.add_preference(arguments["preference"])
        return self._confirm_answer("Noted.")

    def _confirm_answer(self, answer: str) -> str:
        self.has_changed = True
        return answer

    def _refuse_unknown(self, places: Sequence[int]) -> None:
        if not places or min(places) < 0 or max(places) >= len(self._messages):
            raise RefusedAction(f"message ids go from 0 to {len(self._messages) - 1}")

    def _list_new(self, places: Sequence[int]) -> list[UUID]:
        """List the messages at these places that are new in this run. Raises `RefusedAction` when there are none."""
        self._refuse_unknown(places)
        new = [self._messages[at].id for at in dict.fromkeys(places) if at >= self._known]
        if not new:
            raise RefusedAction("these messages were dealt with before")
        return new
