"""Attach the Feedback rows that memories came from: memories store only their ids."""

from __future__ import annotations

from collections.abc import Iterable

from memories.models import Feedback, Memory


def with_feedback(memories: Iterable[Memory]) -> list[Memory]:
    """Fill `feedback_sources` of each memory. Call it inside the project's scope."""
    known = list(memories)
    wanted = {key for memory in known for key in memory.details.get("feedback", ())}
    if wanted:
        rows = Feedback.objects.within({memory.project_id for memory in known}).filter(pk__in=wanted)
        feedbacks = {str(row.pk): row for row in rows.order_by("said_at")}
        for memory in known:
            memory.feedback_sources = tuple(
                feedbacks[key] for key in memory.details.get("feedback", ()) if key in feedbacks
            )
    return known
