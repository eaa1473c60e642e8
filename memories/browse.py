"""Lists of memories, for the API's `get/memory` and the console."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from memories.filters import MemoryFilter
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.values import Kind, Subject
from tenancy.models import Project
from tenancy.scoping import tenant_scope

LISTED = ("sources__message",)
UNSHOWN = ("embedding", "words", "words_vector", "content_hash")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a subject's memories; `size` counts each kind."""

    subject: Subject
    number: int = 1
    size: int = 10
    narrowed: MemoryFilter = field(default_factory=MemoryFilter.everything)
    with_preferences: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """`total` is the largest count among the kinds, so that a client pages until all are through."""

    facts: list[Memory]
    preferences: list[Memory]
    total: int


def list_memories(project: Project, page: Page) -> Listing:
    """What holds today, newest first. A subject that never wrote has empty lists, which is no error."""
    with tenant_scope(project):
        cube = (
            MemCube.objects.within(project)
            .filter(owner_kind=page.subject.kind, owner_id=page.subject.id)
            .first()
        )
        if cube is None:
            return Listing([], [], 0)
        memories = Memory.objects.within(cube).current().filter(page.narrowed.user)
        facts, fact_count = _slice(memories, Kind.FACT, page)
        preferences, preference_count = (
            _slice(memories, Kind.PREFERENCE, page) if page.with_preferences else ([], 0)
        )
        return Listing(facts, preferences, max(fact_count, preference_count))


def _slice(memories: MemoryQuerySet, kind: Kind, page: Page) -> tuple[list[Memory], int]:
    of_kind = memories.filter(kind=kind)
    start = (page.number - 1) * page.size
    rows = of_kind.order_by("-created_at", "-pk").defer(*UNSHOWN).prefetch_related(*LISTED)
    return list(rows[start : start + page.size]), of_kind.count()


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a person in the console looks for among a project's memories."""

    words: str = ""
    subject_id: str = ""
    subject_kind: str = ""
    kind: str = ""
    since: datetime | None = None
    until: datetime | None = None


def shelf(project: Project, wanted: Shelf) -> MemoryQuerySet:
    """The project's current memories that match, newest first; read it inside the project's scope."""
    memories: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project)).current()
    return memories.filter(_matching(wanted)).select_related("cube", "recall").order_by("-created_at", "-pk")


def _matching(wanted: Shelf) -> Q:
    conditions: dict[str, Any] = {
        "cube__owner_id": wanted.subject_id,
        "cube__owner_kind": wanted.subject_kind,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
    }
    matching = Q(**{name: value for name, value in conditions.items() if value})
    if wanted.kind == "tool":
        matching &= Q(kind__in=[Kind.TOOL_SCHEMA, Kind.TOOL_TRAJECTORY])
    elif wanted.kind:
        matching &= Q(kind=wanted.kind)
    if wanted.words:
        matching &= Q(text__icontains=wanted.words) | Q(title__icontains=wanted.words)
    return matching


def counts_by_kind(memories: MemoryQuerySet) -> dict[str, int]:
    rows = memories.order_by().values("kind").annotate(count=Count("pk")).values_list("kind", "count")
    return dict(rows)
