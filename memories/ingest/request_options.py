"""Options of a request to add messages that apply to every memory made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memories.models import Intake, Memory
from memories.values import MemoryStatus


def apply_options(intake: Intake, added: Sequence[UUID]) -> None:
    """Freeze, date and limit the memories of the user's own cube, whether words or a file said them."""
    fields: dict[str, Any] = {}
    if intake.freezes:
        fields["status"] = MemoryStatus.FROZEN
    if intake.expires_on:
        fields["expires_on"] = intake.expires_on
    if intake.dated_at:
        fields["created_at"] = intake.dated_at
    if fields:
        mine = Memory.objects.within(intake.conversation.cube)
        mine.filter(pk__in=added, status=MemoryStatus.ACTIVATED).update(**fields)
