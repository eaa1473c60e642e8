"""Addresses of the pages on which a memory is shown."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from memories.models import Memory
from memories.values import OwnerKind
from tenancy.models import Project


def build_memory_url(project: Project, memory: Memory, **query: Any) -> str:
    """The list that it stands in: that of its knowledge base, or the project's."""
    address = reverse("console:memories", args=[project.pk])
    if memory.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE:
        address = reverse("console:knowledge_base", args=[project.pk, memory.cube.owner_id])
        query = {"tab": "memories"} | query
    return f"{address}?{urlencode(query)}" if query else address
