"""Authorship of public memories: users may correct only public memories that they alone authored."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Q

from memories.models import Feedback, MemCube, Memory, MemorySource
from memories.models.memory import MemoryQuerySet


def filter_authored_only_by(subject_cube: UUID, memories: Iterable[Memory]) -> list[Memory]:
    """Return the public memories whose messages and feedback all come from this subject."""
    held = list(memories)
    authors = _load_authors(held)
    return [memory for memory in held if authors[memory.pk] == {subject_cube}]


def list_own_holders(public: MemCube, subject_cube: UUID | None, slot: str) -> list[Memory]:
    """Return the public memories of this state slot that the subject may replace."""
    if not slot or subject_cube is None:
        return []
    current: MemoryQuerySet = Memory.objects.within(public).current().filter(slot=slot)
    public_feedback = Feedback.objects.within(public.project_id).filter(cube=subject_cube, allow_public=True)
    keys = [str(key) for key in public_feedback.values_list("pk", flat=True)]
    mine = Q(sources__message__conversation__cube=subject_cube) | Q(details__feedback__has_any_keys=keys)
    holders = current.filter(mine).defer("embedding", "words", "words_vector").distinct()
    return filter_authored_only_by(subject_cube, holders)


def _load_authors(memories: list[Memory]) -> dict[UUID, set[UUID]]:
    authors: dict[UUID, set[UUID]] = {memory.pk: set() for memory in memories}
    sources = MemorySource.objects.within(list(authors)).values_list(
        "memory_id", "message__conversation__cube_id"
    )
    for key, cube in sources.distinct():
        authors[key].add(cube)
    feedback_keys = {key for memory in memories for key in memory.details.get("feedback", ())}
    rows = Feedback.objects.within({memory.project_id for memory in memories}).filter(pk__in=feedback_keys)
    cubes = {str(key): cube for key, cube in rows.values_list("pk", "cube_id")}
    for memory in memories:
        authors[memory.pk] |= {cubes[key] for key in memory.details.get("feedback", ()) if key in cubes}
    return authors
