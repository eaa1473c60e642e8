"""Which memories a person's order to forget means. Deleted is only what it surely means; a doubt changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.content import content_hash
from memories.contradictions import content_words
from memories.engine.local.orders import Forgetting
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.values import Draft, Status
from memories.words import terms

# An order in words that would take more than so many memories is left to the person who can see them.
MOST = 20


@dataclass(frozen=True, slots=True)
class Doomed:
    """The memories that surely are meant, or why none is."""

    keys: tuple[UUID, ...] = ()
    frozen: tuple[UUID, ...] = ()
    reason: str = ""


def find_doomed(cube: MemCube, order: Forgetting, drafts: Sequence[Draft]) -> Doomed:
    """Only the subject's own memories; `drafts` are what the extractor makes of an order that quotes a statement."""
    if not order.topic:
        return Doomed(reason="not_certain")
    own: MemoryQuerySet = Memory.objects.within(cube).filter(is_rough=False)
    meant = _saying(own, drafts) if order.is_statement else _about(own, content_words(order.topic))
    if not meant:
        return Doomed(reason="not_found")
    if len(meant) > MOST:
        return Doomed(reason="too_many")
    frozen = tuple(memory.pk for memory in meant if memory.status == Status.FROZEN)
    gone = tuple(memory.pk for memory in meant if memory.status != Status.FROZEN)
    return Doomed(gone, frozen, "" if gone else "frozen")


def _saying(own: MemoryQuerySet, drafts: Sequence[Draft]) -> list[Memory]:
    """What says the same: word for word, or the same state in the same words."""
    meant: dict[UUID, Memory] = {}
    for draft in drafts:
        for memory in own.filter(kind=draft.kind, content_hash=content_hash(draft.text)):
            meant[memory.pk] = memory
        for memory in own.filter(slot=draft.slot) if draft.slot else ():
            if content_words(draft.text) <= content_words(memory.text):
                meant[memory.pk] = memory
    return list(meant.values())


def _about(own: MemoryQuerySet, topic: frozenset[str]) -> list[Memory]:
    """What has every word of the topic, in its text or its title."""
    if not topic:
        return []
    likely = own.filter(words_vector__isnull=False).only("pk", "words", "title", "status")
    return [memory for memory in likely if topic <= {*memory.words.split(), *terms(memory.title)}]
