"""Change history of knowledge bases: what changed and who stated it, sent inside the changing transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.models import MemCube
from memories.signals import base_changed
from memories.values import OwnerKind


@dataclass(frozen=True, slots=True)
class ChangeCause:
    """The feedback, message or member that caused a change: ids only, texts stay with the person.

    `member` is the id of the account's member who entered it in the console. Without a feedback it was said in
    messages, which the changes name.
    """

    project: UUID
    feedback: UUID | None = None
    member: str = ""

    @property
    def reason(self) -> str:
        """The reason, as versions of changed memories have it."""
        return f"corrected by feedback {self.feedback}" if self.feedback else "corrected by a message"


@dataclass(frozen=True, slots=True)
class BaseChange:
    """One memory of a base replaced by another, reworded in place (the same twice, with the version that it had),
    or added (without one before). `message` is the one that said it, where it was no feedback."""

    cube: UUID
    before: UUID | None
    after: UUID
    version: int = 0
    message: UUID | None = None


def announce_changes(cubes: Sequence[MemCube], changes: Iterable[BaseChange], cause: ChangeCause) -> None:
    """Send a signal in the transaction of the changes, so that receivers record them in the same one."""
    known = list(changes)
    for cube in cubes:
        here = [change for change in known if change.cube == cube.pk]
        if here and cube.owner_kind == OwnerKind.KNOWLEDGE_BASE:
            base_changed.send(None, cube_id=cube.pk, changes=here, cause=cause)
