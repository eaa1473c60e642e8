"""What a project holds and what changed in it lately, with bounded counts, for its overview."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.consolidation.versions import Reason
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.browse.bounded_count import count_up_to
from memories.retrieval.browse.listing import UNSHOWN, MemoryQuery, counts_by_kind, find_memories
from memories.values import OwnerKind
from tenancy.ids import build_uuid7_at
from tenancy.models import Project

# Counted exactly up to this; one more says that there are others.
COUNTED = 10_000
# So many changes are looked at, the newest, and so many of their memories are shown.
CHANGES_READ, CHANGES_SHOWN = 1_000, 5
MOVES_OF_TRASH = (Reason.INTO_TRASH.value, Reason.TAKEN_OUT.value)


@dataclass(frozen=True, slots=True)
class KindCounts:
    """Numbers of current memories by kind, counted up to `most` of each; one more says that there are others."""

    by_kind: dict[str, int]
    most: int

    def of(self, kinds: Iterable[str]) -> tuple[int, bool]:
        """Return how many there are of these kinds at least, and whether there are others."""
        counts = [self.by_kind.get(kind, 0) for kind in kinds]
        return sum(min(count, self.most) for count in counts), any(count > self.most for count in counts)


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """Counts of changed memories since a time; `deleted` ones are in the trash. `latest` are those that changed
    last."""

    created: int
    changed: int
    deleted: int
    latest: list[Memory]


def count_by_kind(project: Project) -> KindCounts:
    """Count memories by kind, inside the project's tenant scope."""
    memories = find_memories(project, MemoryQuery())
    return KindCounts(counts_by_kind(project, memories, COUNTED), COUNTED)


def count_end_users(project: Project, words: str = "") -> int:
    """Count end users whose id contains these words, at most `COUNTED` + 1; inside the project's tenant scope."""
    users = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER)
    return count_up_to(users.filter(owner_id__icontains=words) if words else users, COUNTED)


def load_changes_since(project: Project, since: datetime) -> MemoryChanges:
    """Load memories that changed since then, inside the project's tenant scope."""
    created = counts_by_kind(project, find_memories(project, MemoryQuery(since=since)), COUNTED).total()
    with seeing_trash():
        trashed = Memory.objects.of_project(project).exclude(purge_at=None)
        deleted = count_up_to(trashed.filter(updated_at__gte=since), COUNTED)
    changed = _list_changed_since(project, since)
    return MemoryChanges(created, len(changed), deleted, _load_memories(project, changed[:CHANGES_SHOWN]))


def _list_changed_since(project: Project, since: datetime) -> list[UUID]:
    """The memories that got a version since then, last changed first: ids of versions grow with time."""
    versions = MemoryVersion.objects.of_project(project)
    recent = versions.filter(pk__gte=build_uuid7_at(since)).exclude(reason__in=MOVES_OF_TRASH)
    newest = recent.order_by("-pk").values_list("memory_id", flat=True)[:CHANGES_READ]
    return list(dict.fromkeys(newest))


def _load_memories(project: Project, keys: list[UUID]) -> list[Memory]:
    rows = Memory.objects.of_project(project).defer(*UNSHOWN).in_bulk(keys)
    return [rows[key] for key in keys if key in rows]


def has_data(project: Project) -> bool:
    """Return whether anybody or anything has memories there; inside the project's scope."""
    return MemCube.objects.within(project).exists()
