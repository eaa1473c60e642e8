"""Signal receivers that record changes of knowledge bases made by other apps, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from knowledgebase.corrections.corrections import delete_sources_of_subject, record_corrections
from memories.feedback.knowledge_bases.history import BaseChange, ChangeCause
from memories.signals import base_changed, subject_erased


@receiver(base_changed)
def record_base_changes(
    sender: Any, cube_id: UUID, changes: Sequence[BaseChange], cause: ChangeCause, **_: Any
) -> None:
    record_corrections(cube_id, changes, cause)


@receiver(subject_erased)
def delete_subject_sources(sender: Any, project_id: UUID, cube_id: UUID, **_: Any) -> None:
    delete_sources_of_subject(project_id, cube_id)
