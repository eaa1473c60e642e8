"""Excludes memories of a shared knowledge base from search, at the request of one of its projects.

Other projects still need the document, so the memory is archived, not deleted: its text stays in its history, and a
member can restore it.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memories.consolidation.versions import change_memory
from memories.cubes.access import list_linked_bases
from memories.cubes.announcements import announce_changed_memories
from memories.models import Memory
from memories.values import MemoryKind, MemoryStatus
from tenancy.audit import log
from tenancy.errors import Conflict, MemoryUnknown
from tenancy.models import Project

ACTOR = "api"


def exclude_memories(project: Project, keys: Sequence[UUID]) -> None:
    """Archive these memories. Call it inside the project's scope.

    Raises `MemoryUnknown` for one that is in no knowledge base granted to the project, and `Conflict` for that of a
    skill, which is deleted with its file.
    """
    shared = Memory.objects.within(list_linked_bases(project, ["all"])).filter(pk__in=keys)
    rows = {row.pk: row for row in shared.select_for_update(of=("self",)).defer("embedding", "words_vector")}
    for key in keys:
        if key not in rows:
            raise MemoryUnknown(str(key))
    if any(row.kind == MemoryKind.SKILL for row in rows.values()):
        raise Conflict("this skill is a file of a knowledge base: delete that file")
    for key in keys:
        if rows[key].status != MemoryStatus.ARCHIVED:
            change_memory(rows[key], actor=ACTOR, reason="deleted by hand", status=MemoryStatus.ARCHIVED)
            log.record_event(project.account, None, "memory.updated", rows[key], project=project)
    announce_changed_memories(project.pk, "updated", keys)
