"""The changes of an end user's memories in order of time, built from memories and their versions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.models import MemCube, Memory, MemoryVersion
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.browse.newest_memories import HEAVY, list_newest_memories

# So many memories of each kind are looked at for changes, the newest.
MOST = 1_000
PAGE = 50


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """A memory appeared, or `version` is what it was before a change; `versions` are all of its own, newest first."""

    at: datetime
    memory: Memory
    version: MemoryVersion | None
    versions: list[MemoryVersion]

    @property
    def cursor(self) -> str:
        return self.at.isoformat()


@dataclass(frozen=True, slots=True)
class Timeline:
    """One page, newest first; `has_more` where there are older ones, `is_cut` where older memories are left out."""

    events: list[TimelineEvent]
    has_more: bool
    is_cut: bool


def load_timeline(cube: MemCube, before: datetime | None = None) -> Timeline:
    """The events before a time, or the latest. Inside the project's scope.

    Events of one and the same microsecond are never parted: those that the page would cut off come on the page too.
    """
    earlier = Q(created_at__lt=before) if before else Q()
    with seeing_trash():
        newest = list_newest_memories(cube, Q(), MOST)
        known = newest.keys
        made = Memory.objects.within(cube).filter(earlier, pk__in=known)
        changed = MemoryVersion.objects.within(known).filter(earlier)
        times = [
            at
            for rows in (made, changed)
            for at in rows.order_by("-created_at").values_list("created_at", flat=True)[: PAGE + 1]
        ]
        times.sort(reverse=True)
        if not times:
            return Timeline([], has_more=False, is_cut=False)
        oldest = times[min(PAGE, len(times)) - 1]
        events = _list_events(cube, known, Q(created_at__gte=oldest) & earlier)
        has_more = times[-1] < oldest or (
            len(times) > PAGE and any(rows.filter(created_at__lt=oldest).exists() for rows in (made, changed))
        )
    return Timeline(events, has_more=has_more, is_cut=newest.is_cut)


def _list_events(cube: MemCube, known: list[UUID], within: Q) -> list[TimelineEvent]:
    made = set(Memory.objects.within(cube).filter(within, pk__in=known).values_list("pk", flat=True))
    changed = set(MemoryVersion.objects.within(known).filter(within).values_list("pk", "memory_id"))
    rows = Memory.objects.within(cube).filter(pk__in=made | {memory for _, memory in changed})
    rows = rows.select_related("superseded_by").defer(*HEAVY, *(f"superseded_by__{name}" for name in HEAVY))
    memories = {row.pk: row for row in rows}
    versions: dict[UUID, list[MemoryVersion]] = defaultdict(list)
    for version in MemoryVersion.objects.within(list(memories)).order_by("memory_id", "-number"):
        versions[version.memory_id].append(version)
    kept = {key for key, _ in changed}
    events = [TimelineEvent(memories[key].created_at, memories[key], None, versions[key]) for key in made]
    events += [
        TimelineEvent(version.created_at, memories[version.memory_id], version, versions[version.memory_id])
        for history in versions.values()
        for version in history
        if version.pk in kept
    ]
    # A change stands above the appearance that it follows.
    return sorted(
        events, key=lambda event: (event.at, event.version.number if event.version else 0), reverse=True
    )
