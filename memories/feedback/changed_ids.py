"""The changes of a feedback task, as ids only: its row is read before a tenant is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memories.consolidation.reconcile import Outcome
from memories.feedback.replace_words import Replaced
from memories.jobs.not_written import NOT_WRITTEN, NotWritten
from memories.models import Memory

KINDS = ("added", "merged", "replaced", "superseded", "deleted", "frozen")


@dataclass(slots=True)
class FeedbackChanges:
    """Ids of memories that feedback changed, by kind of change; frozen ones that stayed, and reasons for what was not
    done."""

    added: list[UUID] = field(default_factory=list)
    merged: list[UUID] = field(default_factory=list)
    replaced: list[UUID] = field(default_factory=list)
    superseded: list[UUID] = field(default_factory=list)
    deleted: list[UUID] = field(default_factory=list)
    frozen: list[UUID] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    deleted_kinds: dict[str, list[str]] = field(default_factory=dict)
    not_written: NotWritten = field(default_factory=NotWritten)

    @property
    def changed(self) -> list[UUID]:
        return [*self.added, *self.merged, *self.replaced, *self.superseded, *self.deleted]

    def note_nothing(self, reason: str) -> None:
        """Notes why one of the things asked for changed nothing."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def replace(self, done: Replaced) -> None:
        self.replaced += done.rewritten
        self.merged += done.merged
        self.frozen += done.frozen

    def write(self, outcome: Outcome, retired: Iterable[UUID]) -> None:
        self.added += outcome.added
        self.merged += outcome.merged
        self.superseded += [*retired, *outcome.superseded]

    def delete(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            self.deleted.append(memory.pk)
            self.deleted_kinds.setdefault(str(memory.kind), []).append(str(memory.pk))

    def result(self) -> dict[str, Any]:
        """The result for the task's row. `reason` says why nothing, or not everything, was done."""
        ids = {name: [str(key) for key in dict.fromkeys(getattr(self, name))] for name in KINDS}
        refused = self.not_written.list_shown()
        return {
            "applied": bool(self.changed),
            "reason": ", ".join(self.reasons),
            **ids,
            "deleted_kinds": self.deleted_kinds,
            **({NOT_WRITTEN: refused} if refused else {}),
        }
