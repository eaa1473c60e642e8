"""Skills as search results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memories.models import Memory
from memories.text.time.timestamps import get_epoch_milliseconds
from skills.catalogue.downloads import build_signed_url
from skills.catalogue.search_memory import SKILL_MEMORY
from skills.models import Skill
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

NO_CONVERSATION = "default_session"
# So many letters of a skill are worth keeping beside its memory; a longer one is read for each search.
MOST_KEPT = 10_000


def build_skill_items(project: Project, memories: Sequence[Memory]) -> dict[UUID, dict[str, Any]]:
    """Build the items of skills by the ids of their memories; a skill that was just deleted is left out."""
    unknown = {memory.pk: memory for memory in memories if memory.shape is None}
    read = _load_skills(project, unknown)
    skills = {memory.pk: memory.shape or read.get(memory.pk) for memory in memories}
    return {
        memory.pk: build_skill_item(project, skill, memory)
        for memory in memories
        if (skill := skills[memory.pk]) is not None
    }


def _load_skills(project: Project, by_memory: dict[UUID, Memory]) -> dict[UUID, Skill]:
    """Load the skills of these memories, cached beside them: every change of a skill writes its memory anew."""
    if not by_memory:
        return {}
    with tenant_scope(project):
        skills = Skill.objects.within(project.account_id).filter(memory__in=by_memory)
        read = {skill.memory_id: skill for skill in skills}
    for key, skill in read.items():
        if len(str(skill.value)) <= MOST_KEPT:
            by_memory[key].shape = skill
    return read


def build_skill_item(project: Project, skill: Skill, memory: Memory) -> dict[str, Any]:
    """Build a skill in the contract's shape. Its id is that of the memory, which get/memory and delete/memory know."""
    return {
        "id": str(memory.pk),
        "skill_value": skill.value,
        "skill_url": build_signed_url(skill, through=project.pk),
        "skill_type": SKILL_MEMORY,
        "skill_id": str(skill.pk),
        "conversation_id": memory.conversation_key or NO_CONVERSATION,
        "status": "activated",
        "confidence": skill.confidence,
        "tags": memory.tags,
        "info": memory.info,
        "create_time": get_epoch_milliseconds(skill.created_at),
        "update_time": get_epoch_milliseconds(skill.updated_at),
    }
