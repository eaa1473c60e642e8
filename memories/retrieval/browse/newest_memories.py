"""The newest memories about an end user, found by index however many there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.models import MemCube, Memory
from memories.values import MemoryKind

KINDS = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.EVENT)
# Neither compared nor shown.
HEAVY = ("embedding", "words", "words_vector", "content_hash")


@dataclass(frozen=True, slots=True)
class Newest:
    """The ids of memories; `is_cut` where there are more of a kind than were asked for."""

    keys: list[UUID]
    is_cut: bool


def list_newest_memories(cube: MemCube, wanted: Q, most: int) -> Newest:
    """The newest memories that are wanted, about so many of each kind, without raw memories of turns."""
    first, *others = (
        Memory.objects.within(cube)
        .filter(wanted, kind=kind, is_raw=False)
        .order_by("-created_at", "-pk")
        .values("pk", "kind")[: most + 1]
        for kind in KINDS
    )
    rows = list(first.union(*others, all=True))
    of_kinds = Counter(row["kind"] for row in rows)
    return Newest([row["pk"] for row in rows], any(count > most for count in of_kinds.values()))


def get_oldest_time(cube: MemCube) -> datetime:
    """Return when the first of them was made, or the end user was first seen; imports may be dated before that."""
    first, *others = (
        Memory.objects.within(cube).filter(kind=kind).order_by("created_at").values("created_at")[:1]
        for kind in KINDS
    )
    return min([cube.created_at, *(row["created_at"] for row in first.union(*others, all=True))])
