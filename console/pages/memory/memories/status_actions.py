"""What a person may do with a memory's status, and how the console asks before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from memories.lifecycle.states import may_become
from memories.models import Memory
from memories.values import MemoryStatus


@dataclass(frozen=True, slots=True)
class StatusAction:
    """One thing that a person may do with a memory's status, in the words of its question; `key` is its shortcut."""

    starts: frozenset[MemoryStatus]
    ends: MemoryStatus
    icon: str
    key: str
    verb: Any
    title: Any
    text: Any
    message: Any


MOVES = {
    "freeze": StatusAction(
        frozenset({MemoryStatus.ACTIVATED}),
        MemoryStatus.FROZEN,
        "lock",
        "f",
        gettext_lazy("Freeze"),
        gettext_lazy("Freeze this memory?"),
        gettext_lazy(
            "Searches still find it. Nothing can rewrite, replace or archive it until you unfreeze it."
        ),
        gettext_lazy("Frozen."),
    ),
    "unfreeze": StatusAction(
        frozenset({MemoryStatus.FROZEN}),
        MemoryStatus.ACTIVATED,
        "lock-open",
        "f",
        gettext_lazy("Unfreeze"),
        gettext_lazy("Unfreeze this memory?"),
        gettext_lazy("Later statements may change or replace it again."),
        gettext_lazy("Unfrozen."),
    ),
    "archive": StatusAction(
        frozenset({MemoryStatus.ACTIVATED}),
        MemoryStatus.ARCHIVED,
        "archive",
        "a",
        gettext_lazy("Archive"),
        gettext_lazy("Archive this memory?"),
        gettext_lazy(
            "It is removed from every search immediately and stays here with its history. You can restore it."
        ),
        gettext_lazy("Archived."),
    ),
    "restore": StatusAction(
        frozenset({MemoryStatus.ARCHIVED, MemoryStatus.EXPIRED}),
        MemoryStatus.ACTIVATED,
        "undo-2",
        "a",
        gettext_lazy("Restore"),
        gettext_lazy("Restore this memory?"),
        gettext_lazy(
            "Searches find it again. If something else took its place meanwhile, that becomes history."
        ),
        gettext_lazy("Restored."),
    ),
}


def get_possible_moves(memory: Memory) -> dict[str, StatusAction]:
    possible = may_become(memory)
    return {
        name: move for name, move in MOVES.items() if memory.status in move.starts and move.ends in possible
    }
