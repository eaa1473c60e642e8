"""What changes knowledge bases elsewhere is written down here, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from knowledgebase.corrections.corrections import forget_words, keep_corrections
from memories.feedback.knowledge_bases.history import BaseChange, Cause
from memories.signals import base_changed, subject_erased


@receiver(base_changed)
def write_down(sender: Any, cube_id: UUID, changes: Sequence[BaseChange], cause: Cause, **_: Any) -> None:
    keep_corrections(cube_id, changes, cause)


@receiver(subject_erased)
def forget(sender: Any, project_id: UUID, cube_id: UUID, **_: Any) -> None:
    forget_words(project_id, cube_id)
