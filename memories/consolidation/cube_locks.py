"""Locks of cubes: who compares memories and writes them holds the cube's until the transaction ends."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.values import OwnerKind
from tenancy.models import Project


def lock_cube(cube_id: UUID) -> None:
    """Lock a cube until the transaction ends: nobody else compares and writes memories in it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [cube_id.int & 0x7FFF_FFFF_FFFF_FFFF])


def lock_cubes(project: Project, keys: Iterable[UUID]) -> None:
    """Several, in the order in which everybody takes them: what is shared comes last."""
    wanted = set(keys)
    owners = dict(MemCube.objects.within(project).filter(pk__in=wanted).values_list("pk", "owner_kind"))
    for key in sorted(wanted, key=lambda pk: (owners.get(pk) == OwnerKind.PUBLIC, pk)):
        lock_cube(key)


def hold_cubes(*deleted: MemoryQuerySet) -> None:
    """Keeps the cubes of memories that are to be deleted until the transaction ends. Inside the project's scope.

    Call it before any memory is locked. A deletion writes a note that refers to the memory's cube, and who erases
    the cube's owner locks the cube before its memories: in the other order the two would wait for each other.
    """
    keys = {key for memories in deleted for key in memories.order_by().values_list("cube_id", flat=True)}
    if not keys:
        return
    with connection.cursor() as cursor:
        held = "SELECT FROM memories_memcube WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"
        cursor.execute(held, [sorted(keys)])


def lock_memory(cube_id: UUID, memory_id: UUID | str) -> Memory | None:
    """The memory as it is now, its vectors not loaded, and until the transaction ends; None where it is not there. Its
    cube is locked before it. Inside the scope of its project or account."""
    lock_cube(cube_id)
    mine = Memory.objects.within(cube_id).filter(pk=memory_id).defer("embedding", "words", "words_vector")
    memory: Memory | None = mine.select_for_update(of=("self",)).first()
    return memory
