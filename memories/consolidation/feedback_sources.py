"""The feedback that memories came from: they hold its id, the words stay with the person who said them."""

from __future__ import annotations

from collections.abc import Iterable

from memories.models import Feedback, Memory


def with_feedback(memories: Iterable[Memory]) -> list[Memory]:
    """The memories, each with the feedback that it came from; inside their project's scope."""
    known = list(memories)
    wanted = {key for memory in known for key in memory.details.get("feedback", ())}
    if wanted:
        rows = Feedback.objects.within({memory.project_id for memory in known}).filter(pk__in=wanted)
        found = {str(row.pk): row for row in rows.order_by("said_at")}
        for memory in known:
            memory.feedback_sources = tuple(
                found[key] for key in memory.details.get("feedback", ()) if key in found
            )
    return known
