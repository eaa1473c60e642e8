"""Lists of memories, for the API's `get/memory` and the console."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Prefetch, Q, Window, prefetch_related_objects
from django.db.models.functions import RowNumber

from memories.consolidation.feedback_sources import with_feedback
from memories.consolidation.tool_memories import TOOLS
from memories.cubes.access import select_reachable_memories
from memories.models import Conversation, MemCube, Memory, MemorySource, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.bounded_count import BoundedCount
from memories.retrieval.browse.word_search import match_word_beginnings
from memories.retrieval.queries.filters import MemoryFilter
from memories.values import MemoryKind, Subject
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# Of what was said a thousand times a memory shows so many sources and versions, the latest.
SHOWN = 100
UNSHOWN = ("embedding", "words", "words_vector", "content_hash")


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """One page of a subject's memories; `size` counts each kind."""

    subject: Subject
    number: int = 1
    size: int = 10
    narrowed: MemoryFilter = field(default_factory=MemoryFilter.everything)
    with_preferences: bool = True
    with_tools: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """`total` is the largest count among the kinds, so that a client pages until all are through."""

    facts: list[Memory]
    preferences: list[Memory]
    total: int
    tools: list[Memory] = field(default_factory=list)


def list_memories(project: Project, page: MemoryPage) -> Listing:
    """List what holds today, newest first. A subject that never wrote has empty lists, which is no error."""
    with tenant_scope(project):
        cube = (
            MemCube.objects.within(project)
            .filter(owner_kind=page.subject.kind, owner_id=page.subject.id)
            .first()
        )
        if cube is None:
            return Listing([], [], 0)
        memories = Memory.objects.within(cube).current().unexpired().filter(page.narrowed.user)
        facts, fact_count = _read_page(memories, (MemoryKind.FACT,), page)
        preferences, preference_count = (
            _read_page(memories, (MemoryKind.PREFERENCE,), page) if page.with_preferences else ([], 0)
        )
        tools, tool_count = _read_page(memories, TOOLS, page) if page.with_tools else ([], 0)
        return Listing(facts, preferences, max(fact_count, preference_count, tool_count), tools)


def list_of_kind(project: Project, subject: Subject, kind: MemoryKind, most: int) -> list[Memory]:
    """List what a subject has of one kind and holds today, the oldest first."""
    with tenant_scope(project):
        cube = MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id).first()
        if cube is None:
            return []
        rows = Memory.objects.within(cube).current().unexpired().filter(kind=kind)
        return list(rows.order_by("created_at", "pk").defer(*UNSHOWN)[:most])


def _read_page(
    memories: MemoryQuerySet, kinds: Sequence[MemoryKind], page: MemoryPage
) -> tuple[list[Memory], int]:
    of_kind = memories.filter(kind__in=kinds)
    start = (page.number - 1) * page.size
    rows = list(of_kind.order_by("-created_at", "-pk").defer(*UNSHOWN)[start : start + page.size])
    prefetch_related_objects(rows, _prefetch_latest_sources([row.pk for row in rows]))
    return with_feedback(rows), of_kind.count()


def find_owner_cube(project: Project, memory_id: str) -> MemCube | None:
    """Find the cube of a memory; None when the project may not see it."""
    try:
        key = UUID(memory_id)
    except ValueError:
        return None
    with tenant_scope(project):
        memory = select_reachable_memories(project).filter(pk=key).select_related("cube").only("cube").first()
        return memory.cube if memory else None


def _prefetch_latest_sources(keys: list[UUID]) -> Prefetch:
    """Prefetch the latest sources of each of these memories."""
    of_memories = MemorySource.objects.within(keys)
    place = Window(RowNumber(), partition_by="memory_id", order_by=["-message__said_at", "-pk"])
    latest = of_memories.annotate(place=place).filter(place__lte=SHOWN)
    return Prefetch("sources", of_memories.filter(pk__in=latest.values("pk")).select_related("message"))


def _prefetch_latest(key: UUID) -> tuple[Prefetch, Prefetch]:
    versions = MemoryVersion.objects.within(key).order_by("-number")[:SHOWN]
    # By their ids: what is prefetched under its own name may not be a slice itself.
    history = MemoryVersion.objects.within(key).filter(pk__in=versions.values("pk"))
    return _prefetch_latest_sources([key]), Prefetch("versions", history.order_by("-number"))


def find_memory(project: Project, memory_id: str) -> Memory:
    """One memory in any state, with its latest sources and changes. Raises `NotFound` for one that it may not see."""
    try:
        key = UUID(memory_id)
    except ValueError:
        raise NotFound(memory_id[:60]) from None
    with tenant_scope(project):
        held = select_reachable_memories(project).filter(pk=key)
        row = held.defer(*UNSHOWN).select_related("cube").prefetch_related(*_prefetch_latest(key)).first()
        if row is None:
            raise NotFound(memory_id[:60])
        memory: Memory = with_feedback([row])[0]
        return memory


REPLACED = "replaced"
# Conversations of one id of the client's that a list is narrowed to.
MOST_TALKS = 100


@dataclass(frozen=True, slots=True)
class InfoMatch:
    """A key of a memory's `info`, by dots below others, and the value that it has; any value where that is None."""

    key: str
    value: str | None = None

    @classmethod
    def of(cls, text: str) -> InfoMatch | None:
        """Parse `key` or `key=value`."""
        key, is_set, value = text.partition("=")
        return cls(key.strip(), value.strip() if is_set else None) if key.strip() else None

    @property
    def condition(self) -> Q:
        if self.value is None:
            return Q(info__has_key=self.key)
        condition = Q()
        for value in self._list_values():
            condition |= Q(info__contains={self.key: value})
            nested: Any = value
            for name in reversed(self.key.split(".")):
                nested = {name: nested}
            condition |= Q(info__contains=nested)
        return condition

    def _list_values(self) -> list[Any]:
        """The text, and the number or truth value that it may stand for."""
        values: list[Any] = [self.value]
        with suppress(ValueError):
            read = json.loads(self.value or "")
            if read is None or (isinstance(read, bool | int | float) and isfinite(read)):
                values.append(read)
        return values


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Filters of the console's list of a project's memories.

    `standing` is a status, "replaced" for what held before, or "" for what holds today. `words` may be a memory's id,
    `conversation` the client's id of one or ours. With `only_begins` words are found where they begin a word of the
    text, which the index of words tells; else inside words and in titles too, which compares all texts. Memories are in
    conflict where two hold the same state at once.
    """

    words: str = ""
    only_begins: bool = False
    subject_id: str = ""
    subject_kind: str = ""
    kind: str = ""
    standing: str = ""
    since: datetime | None = None
    until: datetime | None = None
    conversation: str = ""
    tag: str = ""
    info: InfoMatch | None = None
    confidence_from: float | None = None
    confidence_below: float | None = None
    agent_id: str = ""
    app_id: str = ""
    is_recalled: bool | None = None
    has_conflict: bool = False
    task: UUID | None = None
    file: UUID | None = None

    @property
    def uses_word_index(self) -> bool:
        """Return whether what has the words inside a word or in its title is left out."""
        return self.only_begins and not _is_id(self.words) and match_word_beginnings(self.words) is not None


def find_memories(project: Project, wanted: MemoryQuery) -> MemoryQuerySet:
    """The project's memories that match, newest first; read it inside the project's scope."""
    memories = _filter_chosen(Memory.objects.of_project(project), wanted)
    if wanted.conversation:
        memories = memories.filter(conversation__in=_find_conversation_ids(project, wanted.conversation))
    return memories


def _find_conversation_ids(project: Project, key: str) -> list[UUID]:
    """Find conversations by our id or the client's, which other end users may have used as well."""
    named = Q(external_id=key)
    with suppress(ValueError):
        named |= Q(pk=UUID(key))
    talks = Conversation.objects.within(project).filter(named)
    return list(talks.values_list("pk", flat=True)[:MOST_TALKS])


def filter_memories(cubes: Any, wanted: MemoryQuery) -> MemoryQuerySet:
    """The memories of these cubes that match, newest first."""
    return _filter_chosen(Memory.objects.within(cubes), wanted)


def _filter_chosen(held: MemoryQuerySet, wanted: MemoryQuery) -> MemoryQuerySet:
    memories = _filter_by_standing(held, wanted.standing)
    if wanted.has_conflict:
        memories = memories.filter(_build_conflict_condition(held))
    return (
        memories.filter(_build_condition(wanted))
        .select_related("cube", "recall")
        .order_by("-created_at", "-pk")
    )


def _filter_by_standing(memories: MemoryQuerySet, standing: str) -> MemoryQuerySet:
    if standing == REPLACED:
        return memories.recallable().exclude(valid_until=None)
    return memories.filter(status=standing) if standing else memories.current()


def _build_conflict_condition(held: MemoryQuerySet) -> Exists:
    """Another memory that holds today fills the same slot, which can hold one value at a time."""
    others = held.current().filter(cube=OuterRef("cube"), slot=OuterRef("slot"))
    return Exists(others.exclude(slot="").exclude(pk=OuterRef("pk")))


def _build_condition(wanted: MemoryQuery) -> Q:
    conditions: dict[str, Any] = {
        "cube__owner_id": wanted.subject_id,
        "cube__owner_kind": wanted.subject_kind,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
        "tags__contains": [wanted.tag] if wanted.tag else None,
        "confidence__gte": wanted.confidence_from,
        "confidence__lt": wanted.confidence_below,
        "agent_id": wanted.agent_id,
        "app_id": wanted.app_id,
        "source_task": wanted.task,
        "details__file__attachment": str(wanted.file) if wanted.file else None,
    }
    matching = Q(**{name: value for name, value in conditions.items() if value})
    if wanted.info:
        matching &= wanted.info.condition
    if wanted.is_recalled is not None:
        matching &= Q(recall__count__gt=0) if wanted.is_recalled else ~Q(recall__count__gt=0)
    if wanted.kind == "tool":
        matching &= Q(kind__in=TOOLS)
    elif wanted.kind:
        matching &= Q(kind=wanted.kind)
    if wanted.words:
        matching &= _build_words_condition(wanted)
    return matching


def _build_words_condition(wanted: MemoryQuery) -> Q:
    words = wanted.words
    if _is_id(words):
        return Q(pk=UUID(words))
    if wanted.only_begins and (begins := match_word_beginnings(words)) is not None:
        return begins
    return Q(text__icontains=words) | Q(title__icontains=words)


def _is_id(words: str) -> bool:
    try:
        UUID(words)
    except ValueError:
        return False
    return True


def counts_by_kind(project: Project, memories: MemoryQuerySet, most: int) -> Counter[str]:
    """Return how many of these memories of the project there are of each kind: exact up to `most`, else `most` + 1.

    One query; the index `memory_counts` finds the kinds that are rare or not there without reading the others, and
    counts without reading the rows where nothing else is asked of them.
    """
    bounded = {f"count_{kind.value}": BoundedCount(memories.filter(kind=kind), most) for kind in MemoryKind}
    counts = Project.objects.filter(pk=project.pk).annotate(**bounded).values(*bounded).get()
    return Counter({kind.value: count for kind in MemoryKind if (count := counts[f"count_{kind.value}"])})


def load_keys_by_kind(project: Project, memories: MemoryQuerySet, most: int) -> dict[str, list[UUID]]:
    """The ids of these memories of the project by kind, in no order: at most `most` + 1 of each. One query."""
    bounded = {
        f"keys_{kind.value}": ArraySubquery(memories.filter(kind=kind).order_by().values("pk")[: most + 1])
        for kind in MemoryKind
    }
    keys = Project.objects.filter(pk=project.pk).annotate(**bounded).values(*bounded).get()
    # Where a filter can match nothing, such as a conversation that is not there, Django asks nothing and says None.
    return {kind.value: keys[f"keys_{kind.value}"] or [] for kind in MemoryKind}
