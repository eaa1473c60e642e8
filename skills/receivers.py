"""Signal receivers: messages, corrections and deletions of other apps change skills in the same transaction; and how
skills are shown among the memories of an answer.

The functions that do the work are imported inside the receivers: importing them takes 0.7 s, which every command of
`manage.py` would pay for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from memories.models import MemCube, Memory, Message
from memories.retrieval.content_registry import Shapes, register_shape
from memories.signals import feedback_written, memories_pre_delete, subject_erased, talk_written
from memories.values import MemoryKind, OwnerKind, Subject
from skills.models import Skill
from skills.signals import skill_deleting
from tenancy.models import Project


@receiver(subject_erased)
def delete_subject_skills(sender: Any, project_id: UUID, cube_id: UUID, subject: Subject, **_: Any) -> None:
    from skills.catalogue.write import delete_skills_of_cube
    from skills.users.users import drop_idle_person

    delete_skills_of_cube(project_id, cube_id)
    if subject.kind == OwnerKind.END_USER:
        drop_idle_person(project_id, subject.id)


@receiver(skill_deleting)
def retire_skills(sender: Any, skill: Skill, **_: Any) -> None:
    from skills.generation.episodes import retire_episodes

    retire_episodes(skill)


@receiver(talk_written)
def schedule_generation(
    sender: Any, cube: MemCube, conversation_id: UUID, messages: Sequence[Message], task_id: UUID, **_: Any
) -> None:
    from skills.generation.schedule import schedule_after_conversation

    schedule_after_conversation(cube, conversation_id, messages, task_id)


@receiver(feedback_written)
def correct_skills(sender: Any, cube: MemCube, task_id: UUID, **_: Any) -> None:
    from skills.generation.schedule import schedule_after_feedback

    schedule_after_feedback(cube, task_id)


@receiver(memories_pre_delete)
def revise_after_deletion(sender: Any, project_id: UUID, memory_ids: Sequence[UUID], **_: Any) -> None:
    from skills.generation.retractions import drop_deleted

    drop_deleted(project_id, memory_ids)


def show_skills(project: Project, memories: Sequence[Memory]) -> Shapes:
    from skills.catalogue.search_results import build_skill_items

    return build_skill_items(project, memories)


register_shape(MemoryKind.SKILL, show_skills)
