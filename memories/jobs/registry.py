"""What the worker can do: for each kind of task its work, and how what it is about ends with it.

An app opens its doors when its module `tasks` is imported, which every worker does at its start.
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
    """`run` does a claimed task. `give_up` is told the subject of one that is dead, or is about to be."""

    run: Callable[[Task], None]
    give_up: Callable[[Scope, UUID], None] | None = None


_handlers: dict[TaskKind, TaskHandler] = {}


def register_handler(
    kind: TaskKind,
    run: Callable[[Task], None],
    give_up: Callable[[Scope, UUID], None] | None = None,
) -> None:
    _handlers[kind] = TaskHandler(run, give_up)


def handler_for(kind: str) -> TaskHandler:
    return _handlers[TaskKind(kind)]


def give_up(kind: str, scope: Scope, subject: UUID) -> None:
    handler = handler_for(kind).give_up
    if handler is not None:
        handler(scope, subject)


def kinds_with_an_end() -> list[str]:
    """The kinds of tasks whose subjects are told of their end."""
    return [kind.value for kind, known in _handlers.items() if known.give_up is not None]
