"""The counts of what reconciling the drafts of a task did."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(slots=True)
class Outcome:
    """Ids of what was added, merged and superseded; `placed` is, draft by draft, the memory that says it."""

    added: list[UUID] = field(default_factory=list)
    merged: list[UUID] = field(default_factory=list)
    superseded: list[UUID] = field(default_factory=list)
    placed: list[UUID] = field(default_factory=list)
