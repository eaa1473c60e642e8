"""The memories that a member chose in the list: the ticked ones, or all that match its filters."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, Q
from django.http import QueryDict

from console.pages.memory.memories.listing.list_query import WantedMemories
from console.ui.lists.query_values import parse_uuids
from console.ui.lists.selection import Selection
from memories.lifecycle.bulk.orders import MOST_ITEMS, BulkOrder
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.listing import find_memories
from memories.values import BulkAction, MemoryKind, MemoryStatus
from tenancy.models import Project


class BulkChoice(Selection):
    """The memories of a selection, and the job on them."""

    @property
    def wanted(self) -> WantedMemories:
        return WantedMemories.of(QueryDict(self.filter))

    def order(self, project: Project, action: BulkAction, tag: str = "") -> BulkOrder:
        if not self.everything:
            held = Memory.objects.within(MemCube.objects.within(project))
            return BulkOrder(action, held.filter(pk__in=parse_uuids(self.ids)), self.cutoff, tag=tag)
        wanted = self.wanted
        chosen = find_memories(project, wanted.shelf(now=self.cutoff)).select_related(None)
        chosen = chosen.exclude(pk__in=self.excluded)
        return BulkOrder(action, chosen, self.cutoff, wanted.fields(), tag)


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of chosen memories, by kind, and how many of them are frozen."""

    by_kind: dict[str, int] = field(default_factory=dict)
    frozen: int = 0

    @property
    def total(self) -> int:
        return sum(self.by_kind.values())

    @classmethod
    def of(cls, memories: MemoryQuerySet) -> Figures:
        """Counts no more than one above what a job takes."""
        kinds = {f"kind_{kind.value}": Count("pk", filter=Q(kind=kind)) for kind in MemoryKind}
        frozen = Count("pk", filter=Q(status=MemoryStatus.FROZEN))
        counts = memories.order_by()[: MOST_ITEMS + 1].aggregate(frozen=frozen, **kinds)
        by_kind = {kind.value: count for kind in MemoryKind if (count := counts[f"kind_{kind.value}"])}
        return cls(by_kind, counts["frozen"])
