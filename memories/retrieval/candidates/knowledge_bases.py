"""Read knowledge bases for a search: small ones whole and from memory, large ones by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from memories.cubes.change_markers import ChangeMarker, load_change_markers
from memories.models import MemCube
from memories.retrieval.cache import snapshots
from memories.retrieval.cache.rows import count_cube_memories
from memories.retrieval.cache.sampled_counts import Survey, surveys
from memories.retrieval.cache.snapshot import Snapshot


class SmallBase(NamedTuple):
    """A base that is scored in full, with all of its rows."""

    cube: MemCube
    snapshot: Snapshot


class BasesBySize(NamedTuple):
    """The bases that are scored in full, and those that are too large."""

    small: list[SmallBase]
    large: tuple[MemCube, ...]


def split_by_size(cubes: Sequence[MemCube]) -> BasesBySize:
    """The bases that are scored in full, the smallest first until together they have as many rows as a search
    scores; and those that are too large. Inside the tenant's scope."""
    unknown = [cube for cube in cubes if not _is_known_as_large(cube)]
    markers = load_change_markers([cube.pk for cube in unknown])
    sizes = _load_sizes(markers)
    small: list[SmallBase] = []
    rows = 0
    for cube in sorted(unknown, key=lambda cube: sizes[cube.pk]):
        rows += sizes[cube.pk]
        if rows > snapshots.SCORE_ALL:
            break
        snapshot = snapshots.load_snapshot((cube.pk,), markers[cube.pk])
        if snapshot is not None:
            small.append(SmallBase(cube, snapshot))
    whole = {base.cube.pk for base in small}
    return BasesBySize(small, tuple(cube for cube in cubes if cube.pk not in whole))


def _load_sizes(markers: dict[UUID, ChangeMarker]) -> dict[UUID, int]:
    """Load how many rows each has; those that were written to, or are not kept, are counted."""
    kept = {cube: snapshots.get_current_snapshot((cube,), marker) for cube, marker in markers.items()}
    counted = count_cube_memories(
        [cube for cube, snapshot in kept.items() if snapshot is None], snapshots.SCORE_ALL
    )
    return counted | {cube: len(snapshot) for cube, snapshot in kept.items() if snapshot is not None}


def _is_known_as_large(cube: MemCube) -> bool:
    known = surveys.get(cube.pk)
    return known is not None and known.rows > snapshots.SCORE_ALL


def load_surveys(cubes: Sequence[MemCube]) -> list[Survey]:
    return [surveys.get(cube.pk) or surveys.take(cube.pk) for cube in cubes]
