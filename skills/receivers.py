"""What is deleted elsewhere takes skills along, in the same transaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from memories.signals import subject_forgotten
from skills.write import forget_skills_of


@receiver(subject_forgotten)
def forget(sender: Any, project_id: UUID, cube_id: UUID, **_: Any) -> None:
    forget_skills_of(project_id, cube_id)
