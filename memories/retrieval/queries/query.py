"""The parameters of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from memories.retrieval.queries.filters import MemoryFilter
from memories.values import MemoryKind, Subject

DEFAULT_RELATIVITY = 0.45


class KindLimit(NamedTuple):
    """Kinds that share an order of results, and how many of it are wanted at most."""

    kinds: tuple[MemoryKind, ...]
    most: int


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search: whose memories, for what, how many of each kind, how relevant at least (0..1).

    With `across`, the memories of all owners of the project that meet it are searched instead of the subject's, and
    nothing that is shared. With `is_personal`, facts and preferences that the subject itself holds and that hold today:
    nothing public and nothing superseded, whatever the question asks for. `today` is the day that "yesterday" and the
    like count from, None the present one.
    """

    subject: Subject
    text: str
    conversation_id: str = ""
    narrowed: MemoryFilter = field(default_factory=MemoryFilter.everything)
    knowledge_bases: tuple[str, ...] = ()
    facts: int = 9
    preferences: int = 9
    relativity: float = DEFAULT_RELATIVITY
    tools: int = 0
    skills: int = 0
    across: Q | None = None
    is_personal: bool = False
    with_expired: bool = False
    today: datetime | None = None

    @property
    def limits(self) -> tuple[KindLimit, ...]:
        """Return which kinds share an order, and how many of it are wanted. Each kind has an order of its own, so that
        many lines of one cannot crowd out the few of another; facts and what documents say are one list, in which
        some places are kept for facts."""
        facts = (MemoryKind.FACT,) if self.is_personal else (MemoryKind.FACT, MemoryKind.KNOWLEDGE)
        return (
            KindLimit(facts, self.facts),
            KindLimit((MemoryKind.PREFERENCE,), self.preferences),
            KindLimit((MemoryKind.TOOL_SCHEMA, MemoryKind.TOOL_TRAJECTORY), self.tools),
            KindLimit((MemoryKind.SKILL,), self.skills),
        )
