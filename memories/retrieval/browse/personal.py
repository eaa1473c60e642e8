"""The newest memories of an end user that say something of them, found by index whatever their number."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.models import MemCube, Memory
from memories.values import Kind

KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.EVENT)
# Neither compared nor shown.
HEAVY = ("embedding", "words", "words_vector", "content_hash")


def newest_keys(cube: MemCube, wanted: Q, most: int) -> list[UUID]:
    """The ids of the newest memories that are wanted, at most so many of each kind, without fast memories of turns."""
    first, *others = (
        Memory.objects.within(cube)
        .filter(wanted, kind=kind, is_rough=False)
        .order_by("-created_at", "-pk")
        .values("pk")[:most]
        for kind in KINDS
    )
    return [row["pk"] for row in first.union(*others, all=True)]


def oldest_at(cube: MemCube) -> datetime:
    """When the first of them was made, or the end user was first seen; imports may be dated before that."""
    first, *others = (
        Memory.objects.within(cube).filter(kind=kind).order_by("created_at").values("created_at")[:1]
        for kind in KINDS
    )
    return min([cube.created_at, *(row["created_at"] for row in first.union(*others, all=True))])
