"""Rate a memory: one that helped gains confidence, one that did not loses it, and at worst is archived."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from memories.consolidation.cube_locks import lock_memory
from memories.consolidation.revise import find_duplicate
from memories.consolidation.versions import change_memory
from memories.models import Memory
from memories.values import MemoryStatus
from tenancy.errors import MemoryBeingRefined, NotFound

ACTOR = "api"
RATING = "rating"
# What is left of a doubt in a memory that helped, and of the confidence in one that did not.
HELPED, MISLED = 0.5, 0.5


class Rating(StrEnum):
    POSITIVE = "POSITIVE"
    NEGATIVE = "NEGATIVE"
    VERY_NEGATIVE = "VERY_NEGATIVE"


def rate_memory(memory: Memory, rating: Rating | None, reason: str | None) -> None:
    """Replace the rating that the memory has; None removes it. Inside the project's scope.

    A frozen memory keeps its rating only: neither its confidence nor its status changes. Raises `NotFound` for one that
    was deleted meanwhile, and `MemoryBeingRefined` for the raw memory of a turn, which another one will replace.
    """
    memory = _load_rated(memory)
    before = memory.details.get(RATING, {})
    confidence, status = before.get("confidence", memory.confidence), MemoryStatus(memory.status)
    if (
        before.get("is_archived")
        and status == MemoryStatus.ARCHIVED
        and not find_duplicate(memory, memory.text)
    ):
        status = MemoryStatus.ACTIVATED
    fields: dict[str, Any] = {"confidence": confidence, "status": status}
    details = {name: value for name, value in memory.details.items() if name != RATING}
    if rating is not None:
        is_free = status == MemoryStatus.ACTIVATED
        is_archived = rating == Rating.VERY_NEGATIVE and is_free
        if is_archived:
            fields["status"] = MemoryStatus.ARCHIVED
        if is_free and rating != Rating.VERY_NEGATIVE:
            fields["confidence"] = _rate_confidence(confidence, rating)
        details[RATING] = {"feedback": rating, "reason": reason, "confidence": confidence} | (
            {"is_archived": True} if is_archived else {}
        )
    reason_kept = f"rated {rating}" if rating else "rating taken back"
    change_memory(memory, actor=ACTOR, reason=reason_kept, details=details, **fields)


def _rate_confidence(confidence: float, rating: Rating) -> float:
    """The confidence after a rating, 0 to 1: a share of the doubt, or of the confidence, stays."""
    return 1 - (1 - confidence) * HELPED if rating == Rating.POSITIVE else confidence * MISLED


def _load_rated(memory: Memory) -> Memory:
    """As it is now, and until the transaction ends."""
    fresh = lock_memory(memory.cube_id, memory.pk)
    if fresh is None:
        raise NotFound(f"memory {memory.pk}")
    if fresh.is_raw:
        raise MemoryBeingRefined(str(memory.pk))
    return fresh
