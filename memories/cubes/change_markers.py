"""Change markers: whether anything was written to a cube since it was last read.

The database notes every statement that writes rows of a cube, from any client (`memories/migrations/0018_*`): each
leaves a note of its own and takes away the older ones that nobody else is taking away. So equal notes mean equal
rows, and a cube of thousands of rows is checked by reading one or two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor
from typing import NamedTuple, Self
from uuid import UUID

from django.db import connection

# Of the notes `note` of a cube.
NOTES = "count(*), coalesce(bit_xor(uuid_hash_extended(note.id, 0)), 0)"
_MARKERS = (
    f"SELECT cube_id, {NOTES} FROM memories_cubechange note WHERE cube_id = ANY(%s::uuid[]) GROUP BY cube_id"  # noqa: S608  # no word of it comes from outside
)


class ChangeMarker(NamedTuple):
    """Number and checksum of the change notes of one or several cubes: equal markers mean equal rows."""

    notes: int
    checksum: int

    @classmethod
    def joined(cls, markers: Iterable[ChangeMarker]) -> Self:
        all_markers = list(markers)
        return cls(
            sum(marker.notes for marker in all_markers),
            reduce(xor, (marker.checksum for marker in all_markers), 0),
        )


UNWRITTEN = ChangeMarker(0, 0)


def load_change_markers(cubes: Sequence[UUID]) -> dict[UUID, ChangeMarker]:
    """Return the marker of each cube. Call it inside the scope of their owner."""
    if not cubes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_MARKERS, [list(cubes)])
        noted = {cube: ChangeMarker(notes, checksum) for cube, notes, checksum in cursor.fetchall()}
    return {cube: noted.get(cube, UNWRITTEN) for cube in cubes}


def load_joint_change_marker(cubes: Sequence[UUID]) -> ChangeMarker:
    """Return the joint marker of all these cubes."""
    return ChangeMarker.joined(load_change_markers(cubes).values())
