"""The task board of a session while it is read: allowed changes and their results.

Both engines act on it through the same methods, which are the tools of the contract. A `RefusedAction` tells why
something was not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memories.text.words.spacing import shorten_text
from skills.values import SessionTaskState as State
from tenancy.ids import uuid7


class RefusedAction(Exception):
    """A tool did not do what it was asked for. The reason is reported to the model."""


FINISHED = (State.SUCCESS, State.FAILED)
MOST_TASKS, MOST_PROGRESSES, MOST_PREFERENCES = 200, 100, 200
LONGEST_DESCRIPTION, LONGEST_PROGRESS, LONGEST_PREFERENCE = 1_000, 400, 500


@dataclass(slots=True)
class BoardTask:
    """`has_ended` says that it reached an end in this reading, be it that it had reached one before."""

    id: UUID
    description: str
    status: State = State.PENDING
    progresses: list[str] = field(default_factory=list)
    is_new: bool = False
    has_ended: bool = False

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    def turn(self, status: State) -> None:
        if status != self.status:
            self.status, self.has_ended = status, status in FINISHED


@dataclass(slots=True)
class Board:
    """`placed` says which task each message is of; `planned` are messages of the planning section."""

    tasks: list[BoardTask] = field(default_factory=list)
    preferences: list[str] = field(default_factory=list)
    placed: dict[UUID, BoardTask] = field(default_factory=dict)
    planned: list[UUID] = field(default_factory=list)

    def task(self, order: int) -> BoardTask:
        if not 1 <= order <= len(self.tasks):
            raise RefusedAction(f"there is no task {order}")
        return self.tasks[order - 1]

    def insert(self, after: int, description: str) -> BoardTask:
        """After the task of this order, 0 for the first place; later tasks move on."""
        if not 0 <= after <= len(self.tasks):
            raise RefusedAction(f"there is no task {after}")
        if len(self.tasks) >= MOST_TASKS:
            raise RefusedAction(f"a session has at most {MOST_TASKS} tasks")
        text = _require_short_text(description, "task_description", LONGEST_DESCRIPTION)
        made = BoardTask(uuid7(), text, is_new=True)
        self.tasks.insert(after, made)
        return made

    def add(self, description: str) -> BoardTask:
        return self.insert(len(self.tasks), description)

    def update(self, order: int, status: State | None = None, description: str | None = None) -> None:
        task = self.task(order)
        if status is None and description is None:
            raise RefusedAction("nothing to update: give task_status or task_description")
        if description is not None:
            task.description = _require_short_text(description, "task_description", LONGEST_DESCRIPTION)
        if status is not None:
            task.turn(status)

    def place(self, order: int, messages: Iterable[UUID]) -> None:
        task = self._get_open_task(order)
        task.turn(State.RUNNING)
        for message in messages:
            self.placed[message] = task
            if message in self.planned:
                self.planned.remove(message)

    def add_progress(self, order: int, note: str) -> None:
        task = self._get_open_task(order)
        text = _require_short_text(note, "progress", LONGEST_PROGRESS)
        if text not in task.progresses[-3:]:
            task.progresses = [*task.progresses, text][-MOST_PROGRESSES:]

    def add_plan(self, messages: Iterable[UUID]) -> None:
        for message in messages:
            self.placed.pop(message, None)
            if message not in self.planned:
                self.planned.append(message)

    def add_preference(self, preference: str) -> None:
        """A preference that is known already changes nothing."""
        text = _require_short_text(preference, "preference", LONGEST_PREFERENCE)
        if _normalise_text(text) not in {_normalise_text(known) for known in self.preferences}:
            self.preferences = [*self.preferences, text][-MOST_PREFERENCES:]

    def find_order(self, task: BoardTask) -> int:
        return next(order for order, known in enumerate(self.tasks, 1) if known is task)

    def _get_open_task(self, order: int) -> BoardTask:
        task = self.task(order)
        if task.is_finished:
            raise RefusedAction(f"task {order} is finished: set it to running first if it is taken up again")
        return task


def get_latest(progresses: Sequence[str], most: int) -> list[str]:
    return list(progresses[-most:])


def _require_short_text(text: str, name: str, longest: int) -> str:
    text = " ".join(text.split())
    if not text:
        raise RefusedAction(f"{name} is empty")
    return shorten_text(text, longest)


def _normalise_text(text: str) -> str:
    return text.strip(" .。!！").casefold()
