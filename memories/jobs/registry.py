"""Registry of task handlers: for each kind of task its function, and what to do when it fails for good.

An app registers its handlers when its module `tasks` is imported, which every worker does at start-up. It gives their
dotted names: a worker of files loads neither the rules of feedback nor those that generate skills.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.utils.module_loading import import_string

from memories.models import Task
from memories.values import Queue, TaskKind, get_queue
from tenancy.isolation.scoping import Scope

Run = Callable[[Task], None]
GiveUp = Callable[[Scope, UUID], None]


@dataclass(frozen=True, slots=True)
class TaskHandler:
    """Dotted names of two functions. `run` does a claimed task. `give_up` gets the subject of one that failed
    permanently, or is about to."""

    run: str
    give_up: str = ""

    def load_run(self) -> Run:
        run: Run = import_string(self.run)
        return run

    def load_give_up(self) -> GiveUp | None:
        give_up: GiveUp | None = import_string(self.give_up) if self.give_up else None
        return give_up


_handlers: dict[TaskKind, TaskHandler] = {}


def register_handler(kind: TaskKind, run: str, give_up: str = "") -> None:
    """Register the functions of a kind of task by their dotted names."""
    _handlers[kind] = TaskHandler(run, give_up)


def load_handlers(queue: Queue) -> None:
    """Import the handlers of the kinds in this queue, so that a wrong name ends the start of a worker."""
    for kind, handler in _handlers.items():
        if get_queue(kind) == queue:
            handler.load_run()
            handler.load_give_up()


def run_task(task: Task) -> None:
    _handlers[TaskKind(task.kind)].load_run()(task)


def give_up(kind: str, scope: Scope, subject: UUID) -> None:
    function = _handlers[TaskKind(kind)].load_give_up()
    if function is not None:
        function(scope, subject)


def list_kinds_with_give_up() -> list[str]:
    """The kinds of tasks that have a `give_up` function."""
    return [kind.value for kind, known in _handlers.items() if known.give_up]
