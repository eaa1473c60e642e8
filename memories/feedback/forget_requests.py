"""Resolves a request to forget into memory ids; ambiguous requests match nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from memories.feedback.contradictions import extract_content_words
from memories.feedback.parse_orders import ForgetRequest
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.text.content import hash_content
from memories.text.words.tokenize import search_terms
from memories.values import Draft, MemoryStatus

# An order in words that would take more than so many memories is left to the person who can see them.
MOST = 20


@dataclass(frozen=True, slots=True)
class DeletionTargets:
    """The texts of the memories that surely are meant, or why none is."""

    texts: Mapping[UUID, str] = field(default_factory=dict)
    frozen: tuple[UUID, ...] = ()
    reason: str = ""


def find_deletion_targets(cube: MemCube, order: ForgetRequest, drafts: Sequence[Draft]) -> DeletionTargets:
    """Find the subject's own memories that an order means.

    `drafts` are what the extractor makes of an order that quotes a statement.
    """
    if not order.topic:
        return DeletionTargets(reason="not_certain")
    mine: MemoryQuerySet = Memory.objects.within(cube).filter(is_raw=False)
    own = mine.only("pk", "text", "words", "title", "status")
    meant = (
        _find_saying_same(own, drafts)
        if order.is_statement
        else _find_about_topic(own, extract_content_words(order.topic))
    )
    if not meant:
        return DeletionTargets(reason="not_found")
    if len(meant) > MOST:
        return DeletionTargets(reason="too_many")
    frozen = tuple(memory.pk for memory in meant if memory.status == MemoryStatus.FROZEN)
    texts = {memory.pk: memory.text for memory in meant if memory.status != MemoryStatus.FROZEN}
    return DeletionTargets(texts, frozen, "" if texts else "frozen")


class StillMeant(NamedTuple):
    """Ids of the memories that still say what was seen, and of those that were frozen since."""

    keys: list[UUID]
    frozen: list[UUID]


def list_still_meant(cube: MemCube, targets: DeletionTargets) -> StillMeant:
    """Check the targets again under the cube's lock."""
    rows = Memory.objects.within(cube).filter(pk__in=targets.texts).only("pk", "text", "status")
    same = [
        memory for memory in rows.select_for_update(of=("self",)) if memory.text == targets.texts[memory.pk]
    ]
    frozen = [memory.pk for memory in same if memory.status == MemoryStatus.FROZEN]
    return StillMeant([memory.pk for memory in same if memory.status != MemoryStatus.FROZEN], frozen)


def _find_saying_same(own: MemoryQuerySet, drafts: Sequence[Draft]) -> list[Memory]:
    """Find memories that say the same: the same words, or the same state in the same words."""
    meant: dict[UUID, Memory] = {}
    for draft in drafts:
        same = own.filter(kind=draft.kind, content_hash=hash_content(draft.text))
        meant |= {memory.pk: memory for memory in same[: MOST + 1]}
        states = own.filter(slot=draft.slot) if draft.slot else own.none()
        for memory in states.iterator(chunk_size=500):
            if extract_content_words(draft.text) <= extract_content_words(memory.text):
                meant[memory.pk] = memory
    return list(meant.values())


def _find_about_topic(own: MemoryQuerySet, topic: frozenset[str]) -> list[Memory]:
    """Find memories with every word of the topic in text or title; at most one more than are allowed."""
    if not topic:
        return []
    possible = own.filter(words_vector__isnull=False).iterator(chunk_size=500)
    about = (memory for memory in possible if topic <= {*memory.words.split(), *search_terms(memory.title)})
    return list(islice(about, MOST + 1))
