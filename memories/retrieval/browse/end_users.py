"""End users of a project as the console lists and describes them, with bounded counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.consolidation.tool_memories import TOOLS
from memories.models import Conversation, MemCube, Memory
from memories.retrieval.browse.bounded_count import BoundedCount
from memories.retrieval.browse.listing import UNSHOWN
from memories.values import MemoryKind, OwnerKind
from tenancy.models import Project

# Counted exactly up to this: in a list for each row, on the page of one end user.
COUNTED_IN_LIST, COUNTED_OF_ONE = 1_000, 10_000
# Of the newest facts and preferences so many are looked at, and so many of them are shown.
LOOKED_AT, SHOWN_FACTS, SHOWN_PREFERENCES = 200, 10, 6


@dataclass(frozen=True, slots=True)
class EndUserCounts:
    """Counts of what an end user has; each number is at most one above the bound it was counted to."""

    facts: int = 0
    preferences: int = 0
    tools: int = 0
    skills: int = 0
    conversations: int = 0


def end_users(project: Project, words: str = "") -> QuerySet[Any]:
    """The cubes of the project's end users whose id holds these words, each with `last_active_at`.

    Somebody was active when a conversation last grew, and without conversations when the id was first seen.
    """
    cubes: QuerySet[Any] = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER)
    if words:
        cubes = cubes.filter(owner_id__icontains=words)
    talks = Conversation.objects.within(project).filter(cube=OuterRef("pk")).order_by("-updated_at")
    latest = Subquery(talks.values("updated_at")[:1])
    return cubes.annotate(last_active_at=Coalesce(latest, F("created_at")))


def list_lately_active(project: Project, most: int) -> list[str]:
    """Ids of end users with the newest conversations, of which so many are looked at."""
    talks = Conversation.objects.within(project).filter(cube__owner_kind=OwnerKind.END_USER)
    newest = talks.order_by("-updated_at", "-pk").values_list("cube__owner_id", flat=True)[:most]
    return list(dict.fromkeys(newest))


def find_end_user(project: Project, user_id: str) -> MemCube | None:
    """The cube of an end user, with `last_active_at`."""
    cube: MemCube | None = end_users(project).filter(owner_id=user_id).first()
    return cube


def load_end_user_counts(project: Project, cubes: Iterable[UUID], most: int) -> dict[UUID, EndUserCounts]:
    """The counts of these end users by their cubes' ids: what holds today, by kind, and conversations."""
    current = Memory.objects.within(MemCube.objects.within(project)).filter(cube=OuterRef("pk")).current()
    talks = Conversation.objects.within(project).filter(cube=OuterRef("pk"))
    of_kinds = {
        "count_facts": [MemoryKind.FACT],
        "count_preferences": [MemoryKind.PREFERENCE],
        "count_tools": list(TOOLS),
        "count_skills": [MemoryKind.SKILL],
    }
    counts = {name: BoundedCount(current.filter(kind__in=kinds), most) for name, kinds in of_kinds.items()}
    rows = MemCube.objects.within(project).filter(pk__in=list(cubes))
    counted = rows.annotate(**counts, count_talks=BoundedCount(talks, most))
    count_rows = counted.values_list("pk", *counts, "count_talks")
    return {key: EndUserCounts(*numbers) for key, *numbers in count_rows}


def count_messages(project: Project, cube: MemCube) -> int:
    """Count how many messages the end user's conversations hold."""
    talks = Conversation.objects.within(project).filter(cube=cube)
    return talks.aggregate(total=Sum("message_count"))["total"] or 0


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of what is known of an end user; `states` are facts of which one holds at a time (home, work, name)."""

    states: list[Memory]
    facts: list[Memory]
    preferences: list[Memory]


def build_end_user_summary(cube: MemCube) -> Summary:
    """States, other facts and preferences among the newest that hold today, each newest first."""
    facts = _list_newest(cube, MemoryKind.FACT, LOOKED_AT)
    states = [fact for fact in facts if _is_state(fact)][:SHOWN_FACTS]
    others = [fact for fact in facts if not _is_state(fact)][: max(0, SHOWN_FACTS - len(states))]
    return Summary(states, others, _list_newest(cube, MemoryKind.PREFERENCE, SHOWN_PREFERENCES))


def _is_state(memory: Memory) -> bool:
    """Return whether it fills a slot of the person's own: those of others and those with many values have a colon."""
    return bool(memory.slot) and ":" not in memory.slot


def _list_newest(cube: MemCube, kind: MemoryKind, most: int) -> list[Memory]:
    rows = Memory.objects.within(cube).current().unexpired().filter(kind=kind)
    return list(rows.order_by("-created_at", "-pk").defer(*UNSHOWN)[:most])
