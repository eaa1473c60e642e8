"""Registry of task handlers: for each kind of task its function, and what to do when it fails for good.

An app registers its handlers when its module `tasks` is imported, which every worker does at start-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memories.models import Task
from memories.values import TaskKind
from tenancy.isolation.scoping import Scope


@dataclass(frozen=True, slots=True)
class TaskHandler:
    """`run` does a claimed task. `give_up` gets the subject of one that failed permanently, or is about to."""

    run: Callable[[Task], None]
    give_up: Callable[[Scope, UUID], None] | None = None


_handlers: dict[TaskKind, TaskHandler] = {}


def register_handler(
    kind: TaskKind,
    run: Callable[[Task], None],
    give_up: Callable[[Scope, UUID], None] | None = None,
) -> None:
    _handlers[kind] = TaskHandler(run, give_up)


def get_handler(kind: str) -> TaskHandler:
    return _handlers[TaskKind(kind)]


def give_up(kind: str, scope: Scope, subject: UUID) -> None:
    handler = get_handler(kind).give_up
    if handler is not None:
        handler(scope, subject)


def list_kinds_with_give_up() -> list[str]:
    """The kinds of tasks that have a `give_up` function."""
    return [kind.value for kind, known in _handlers.items() if known.give_up is not None]
