"""Announce changed memories to open pages."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from memories.signals import memories_changed


def announce_changed_memories(project_id: UUID | None, operation: str, keys: Sequence[UUID]) -> None:
    """Send `memories_changed` after the commit, with the keys of all memories that changed."""
    changed = [str(key) for key in keys]
    transaction.on_commit(
        lambda: memories_changed.send_robust(
            None, project_id=str(project_id), operation=operation, memory_ids=changed
        )
    )
