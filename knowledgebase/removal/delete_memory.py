"""Delete one memory of a knowledge base permanently; its file stays."""

from __future__ import annotations

from django.utils import timezone

from knowledgebase.bases.bases import lock_base
from knowledgebase.models import KnowledgeBase
from knowledgebase.removal.removal import delete_memories_of_base
from memories.consolidation.cube_locks import lock_cube
from memories.models import Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def delete_memory(project: Project, memory: Memory) -> None:
    """Delete the memory and the corrections that refer only to it. The caller checked that the base is linked."""
    with tenant_scope(project):
        unlocked_base = KnowledgeBase.objects.within(project.account_id).get(cube=memory.cube_id)
        base = lock_base(unlocked_base)
        lock_cube(base.cube_id)
        delete_memories_of_base(base, [memory.pk])
        base.updated_at = timezone.now()
        base.save(update_fields=["updated_at"])
