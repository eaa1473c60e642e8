"""Find the memories whose ids occur in a request or its answer."""

from __future__ import annotations

import re
from uuid import UUID

from memories.cubes.access import select_reachable_memories
from memories.models import Memory
from memories.retrieval.browse.newest_memories import HEAVY
from tenancy.models import Project

# A search returns at most 25 of each of four kinds.
MOST_NAMED = 100
_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def find_memories_named_in(project: Project, *texts: str) -> list[Memory]:
    """Find the memories that an entry names and that still exist, in its order; inside the project's tenant scope.

    Works for any protocol and for truncated bodies: whatever looks like an id is looked up.
    """
    keys = list(dict.fromkeys(UUID(id_text) for text in texts for id_text in _ID.findall(text)))
    rows = select_reachable_memories(project).filter(pk__in=keys).defer(*HEAVY) if keys else []
    memories = {row.pk: row for row in rows}
    return [memories[key] for key in keys if key in memories][:MOST_NAMED]
