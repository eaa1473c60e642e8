"""Knowledge bases as a search reads them: small ones whole and from memory, large ones by index."""

from __future__ import annotations

from collections.abc import Sequence

from memories import snapshots
from memories.models import MemCube, Memory
from memories.rows import stamps_of
from memories.snapshot import Snapshot
from memories.surveys import Survey, surveys

Small = list[tuple[MemCube, Snapshot]]


def by_size(cubes: Sequence[MemCube]) -> tuple[Small, tuple[MemCube, ...]]:
    """The bases that are scored in full, the smallest first until together they have as many rows as a search
    scores; and those that are too large. Inside the tenant's scope."""
    unknown = [cube for cube in cubes if not _is_known_as_large(cube)]
    stamps = stamps_of([cube.pk for cube in unknown], snapshots.SCORE_ALL)
    small: Small = []
    rows = 0
    for cube in sorted(unknown, key=lambda one: stamps[one.pk].rows):
        rows += stamps[cube.pk].rows
        if rows > snapshots.SCORE_ALL:
            break
        memories = Memory.objects.within(cube.pk).recallable()
        found = snapshots.snapshot_of(memories, (cube.pk,), stamps[cube.pk])
        if found is not None:
            small.append((cube, found))
    whole = {cube.pk for cube, _ in small}
    return small, tuple(cube for cube in cubes if cube.pk not in whole)


def _is_known_as_large(cube: MemCube) -> bool:
    known = surveys.get(cube.pk)
    return known is not None and known.rows > snapshots.SCORE_ALL


def surveys_of(cubes: Sequence[MemCube]) -> list[Survey]:
    return [surveys.get(cube.pk) or surveys.take(cube.pk) for cube in cubes]
