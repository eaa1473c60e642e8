"""The memory by which searches find a skill; it exists while the skill is active and has a cube."""

from __future__ import annotations

from django.utils import timezone

from memories.engine import get_embedder
from memories.models import Memory
from memories.models.memory import get_owner_fields
from memories.text.content import hash_content
from memories.text.topics.tags import choose_tags
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind
from skills.models import Skill
from skills.packages.skill_md import EXPERIENCE, PREFERENCE, PROCEDURE, SkillText
from skills.values import SkillState
from tenancy.ids import uuid7

SKILL_MEMORY = "SkillMemory"
# Beyond this a procedure's words say how, not what for.
MAX_WORDS_OF = 2_000


def recall_text(skill: Skill | SkillText) -> str:
    """The text to embed and match: name and description of the skill."""
    return f"{skill.title}: {skill.description}"


def write_recall_memory(skill: Skill, vector: list[float] | None) -> None:
    """Create, update or delete the skill's memory to match the skill; in the caller's transaction.

    Without a vector the one that is there stays while the text does; else words alone find the skill until
    embeddings are made again.
    """
    if skill.cube is None or skill.state != SkillState.ACTIVE:
        delete_recall_memory(skill)
        return
    text, now = recall_text(skill), timezone.now()
    memory = skill.memory
    if memory is None:
        memory = Memory(
            id=uuid7(),
            **get_owner_fields(skill.cube),
            cube=skill.cube,
            kind=MemoryKind.SKILL,
            created_at=skill.created_at,
        )
    if vector is not None or memory.text != text:
        memory.embedding, memory.embedding_model = vector, get_embedder().name if vector else ""
    memory.title, memory.text, memory.updated_at = skill.title, text, now
    # Two skills may have the same words.
    memory.content_hash = hash_content(f"{skill.pk} {text}")
    memory.memory_type, memory.confidence = SKILL_MEMORY, skill.confidence
    memory.language, memory.words = detect_language(text), " ".join(search_terms(_join_all_words(skill)))
    memory.tags = list(dict.fromkeys(choose_tags(text, memory.language, ())))
    memory.details, memory.extracted_by = {"skill": str(skill.pk), "version": skill.version}, skill.origin
    memory.version = skill.version
    memory.save()
    if skill.memory_id != memory.pk:
        skill.memory = memory
        skill.save(update_fields=["memory"])


def _join_all_words(skill: Skill) -> str:
    value = skill.value
    parts = [value.get(PROCEDURE) or "", *(value.get(EXPERIENCE) or ()), *(value.get(PREFERENCE) or ())]
    return " ".join([recall_text(skill), *map(str, parts)])[:MAX_WORDS_OF]


def delete_recall_memory(skill: Skill) -> None:
    if skill.memory_id is None:
        return
    doomed = skill.memory_id
    skill.memory = None
    skill.save(update_fields=["memory"])
    Memory.objects.within(skill.cube).filter(pk=doomed).delete()
