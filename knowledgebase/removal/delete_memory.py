"""One memory of a knowledge base goes for good; the file that it came from stays."""

from __future__ import annotations

from django.utils import timezone

from knowledgebase.bases.bases import locked_base
from knowledgebase.models import KnowledgeBase
from knowledgebase.removal.removal import forget_of_base
from memories.consolidation.reconcile import lock_cube
from memories.models import Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def forget_memory(project: Project, memory: Memory) -> None:
    """With the corrections that would have nothing left to show. The caller made sure that the base is linked."""
    with tenant_scope(project):
        found = KnowledgeBase.objects.within(project.account_id).get(cube=memory.cube_id)
        base = locked_base(found)
        lock_cube(base.cube_id)
        forget_of_base(base, [memory.pk])
        base.updated_at = timezone.now()
        base.save(update_fields=["updated_at"])
