"""Deletion by programs: permanently, unless the project wants it in the trash first."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from memories.consolidation.cube_locks import hold_cubes
from memories.lifecycle.erase import erase_memories, wait_for_work
from memories.lifecycle.erase_subject import find_subject_cube
from memories.lifecycle.exclude import exclude_memories
from memories.lifecycle.trash import move_to_trash
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.queries.filters import MemoryFilter
from memories.settings.trash import TrashPolicies
from memories.values import SUBJECT_KINDS, MemoryKind, OwnerKind, Subject
from tenancy.errors import MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

ACTOR = "api"


def delete_memories(project: Project, ids: Sequence[str]) -> int:
    """Deletes these memories, all or none; those of a knowledge base are taken out of use, with their history.

    Raises `MemoryUnknown` for an id that the project may not see, and `Conflict` for a knowledge base's skill.
    """
    keys = [_parse_memory_id(memory_id) for memory_id in dict.fromkeys(ids)]
    with tenant_scope(project):
        mine = Memory.objects.within(MemCube.objects.within(project)).filter(pk__in=keys)
        wait_for_work(project, mine)
        hold_cubes(mine)
        own_keys = set(mine.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
        shared = [key for key in keys if key not in own_keys]
        if shared:
            exclude_memories(project, shared)
        _delete_rows(project, mine)
    return len(keys)


def delete_kinds(project: Project, subject: Subject, kinds: Sequence[MemoryKind]) -> None:
    """Deletes a subject's memories of these kinds; its messages stay. Raises `EndUserUnknown`."""
    with tenant_scope(project):
        doomed = Memory.objects.within(find_subject_cube(project, subject)).filter(kind__in=kinds)
        wait_for_work(project, doomed)
        hold_cubes(doomed)
        _delete_rows(project, doomed)


def delete_filtered(project: Project, narrowed: MemoryFilter, kinds: Sequence[MemoryKind] = ()) -> None:
    """Deletes the memories that a filter names, each source by its own conditions; a source without any stays."""
    of_kind = Q(kind__in=kinds) if kinds else Q()
    sources = [(SUBJECT_KINDS, narrowed.user), ((OwnerKind.PUBLIC,), narrowed.public)]
    with tenant_scope(project):
        cubes = MemCube.objects.within(project)
        doomed = [
            Memory.objects.within(cubes.filter(owner_kind__in=owners)).filter(wanted, of_kind)
            for owners, wanted in sources
            if wanted
        ]
        for memories in doomed:
            wait_for_work(project, memories)
        hold_cubes(*doomed)
        for memories in doomed:
            _delete_rows(project, memories)


def _delete_rows(project: Project, memories: MemoryQuerySet) -> None:
    if TrashPolicies.of(project).from_api:
        move_to_trash(project, memories, ACTOR)
        return
    with seeing_trash():  # what members moved to the trash too
        erase_memories(project, memories)


def _parse_memory_id(memory_id: str) -> UUID:
    try:
        return UUID(memory_id)
    except ValueError:
        raise MemoryUnknown(memory_id[:60]) from None
