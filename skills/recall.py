"""Skills as searches answer with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memories.models import Memory
from memories.moments import epoch_milliseconds
from skills.links import signed_url
from skills.models import Skill
from skills.recallable import SKILL_MEMORY
from tenancy.models import Project
from tenancy.scoping import tenant_scope

NO_CONVERSATION = "default_session"


def skill_items(project: Project, memories: Sequence[Memory]) -> dict[UUID, dict[str, Any]]:
    """By the id of its memory, each skill that these memories stand for; one that was deleted in this moment is not
    among them."""
    if not memories:
        return {}
    by_memory = {memory.pk: memory for memory in memories}
    with tenant_scope(project):
        found = Skill.objects.within(project.account_id).filter(memory__in=by_memory)
        return {skill.memory_id: skill_item(project, skill, by_memory[skill.memory_id]) for skill in found}


def skill_item(project: Project, skill: Skill, memory: Memory) -> dict[str, Any]:
    """In the contract's words, with the memory's id: the one that get/memory and delete/memory know."""
    return {
        "id": str(memory.pk),
        "skill_value": skill.value,
        "skill_url": signed_url(skill, through=project.pk),
        "skill_type": SKILL_MEMORY,
        "skill_id": str(skill.pk),
        "conversation_id": memory.conversation_key or NO_CONVERSATION,
        "status": "activated",
        "confidence": skill.confidence,
        "tags": memory.tags,
        "info": memory.info,
        "create_time": epoch_milliseconds(skill.created_at),
        "update_time": epoch_milliseconds(skill.updated_at),
    }
