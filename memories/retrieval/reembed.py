"""Embed all memories with another model while the database serves.

Memories whose vector is another model's are found by their words meanwhile; each batch is embedded outside any
transaction and written only where the text is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from memories.cubes.access import select_reachable_memories
from memories.engine import get_embedder
from memories.engine.statements import embed_statements
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

BATCH = 64


def count_outdated(project: Project) -> int:
    with tenant_scope(project):
        return _select_outdated(project).count()


def reembed_project(project: Project) -> Iterator[int]:
    """Embeds the outdated memories of the project, and of the knowledge bases linked to it, batch by batch; yields how
    many were done each time."""
    while True:
        with tenant_scope(project):
            rows = list(_select_outdated(project).order_by("pk").values_list("pk", "text")[:BATCH])
        if not rows:
            return
        vectors = embed_statements([text for _, text in rows])
        with tenant_scope(project):
            mine = select_reachable_memories(project)
            for (key, text), vector in zip(rows, vectors, strict=True):
                mine.filter(pk=key, text=text).update(embedding=vector, embedding_model=get_embedder().name)
        yield len(rows)


def _select_outdated(project: Project) -> Any:
    """Raw memories have no vector by design; refining replaces them."""
    return (
        select_reachable_memories(project)
        .filter(is_raw=False)
        .filter(~Q(embedding_model=get_embedder().name))
    )
