"""Replace a word or name in all memories of some cubes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.consolidation.authorship import filter_authored_only_by
from memories.consolidation.revise import find_duplicate, is_frozen, merge_into, rewrite_memory
from memories.engine.statements import embed_statements
from memories.feedback.knowledge_bases.history import BaseChange
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.text.clauses.replacer import make_replacer
from memories.values import MemoryStatus, OwnerKind

ACTOR = "feedback"
# One transaction holds so many rewritten memories, and one call of the embedder.
BATCH = 200
# An order that would rewrite or have looked at more than this is left to people.
MOST, LOOKED_AT = 5_000, 50_000
# In lists, so that a row is not read for what nobody replaces.
TEXTS = ("text", "title", "reasoning", "speaker")


@dataclass(slots=True)
class Replaced:
    """Ids of what was rewritten in place, of what had a twin then, and of what is frozen and stayed.

    `changes` are the same as the lists of knowledge bases tell them.
    """

    rewritten: list[UUID] = field(default_factory=list)
    merged: list[UUID] = field(default_factory=list)
    frozen: list[UUID] = field(default_factory=list)
    changes: list[BaseChange] = field(default_factory=list)

    @property
    def all(self) -> list[UUID]:
        return [*self.rewritten, *self.merged, *self.frozen]

    def add(self, other: Replaced) -> None:
        self.rewritten += other.rewritten
        self.merged += other.merged
        self.frozen += other.frozen


def load_earlier_rewriting(cubes: Sequence[MemCube], reasons: Sequence[str]) -> Replaced:
    """Load what an earlier attempt has changed for these reasons, so that it is not changed twice."""
    versions = MemoryVersion.objects.within(Memory.objects.within(cubes)).filter(
        actor=ACTOR, reason__in=reasons
    )
    done = Replaced()
    for key, status in versions.values_list("memory_id", "memory__status").distinct():
        (done.merged if status == MemoryStatus.MERGED else done.rewritten).append(key)
    return done


def find_others_words(cubes: Sequence[MemCube], plans: Sequence[RewrittenText]) -> set[UUID]:
    """Find statements of other people in the public cube among what would be rewritten; the first cube is the
    subject's."""
    public = [cube.pk for cube in cubes if cube.owner_kind == OwnerKind.PUBLIC]
    keys = [plan.key for plan in plans]
    shared = list(Memory.objects.within(public).filter(pk__in=keys).only("pk", "project_id", "details"))
    return {memory.pk for memory in shared} - {
        memory.pk for memory in filter_authored_only_by(cubes[0].pk, shared)
    }


def find_memories_with_words(cubes: Sequence[MemCube], old: str) -> MemoryQuerySet:
    """Memories that may hold the words: also those that were replaced since, which are history under the same name."""
    held = Q()
    for name in TEXTS:
        held |= Q(**{f"{name}__icontains": old.split()[0]})
    memories: MemoryQuerySet = Memory.objects.within(cubes)
    return memories.filter(held, is_raw=False).exclude(status=MemoryStatus.EXPIRED)


@dataclass(frozen=True, slots=True)
class RewrittenText:
    """New text of one memory, and the text that this was made from."""

    key: UUID
    before: str
    fields: dict[str, Any]

    def says_newly(self, forbids: Callable[..., bool]) -> bool:
        """Return whether it would say what it did not say before, and what must not be remembered."""
        changed_texts = [*(self.fields.get(name, "") for name in TEXTS), *self.fields.get("tags", ())]
        return forbids(*changed_texts) and not forbids(self.before)


class TooMany(Exception):
    """More memories than one order may change."""


def plan_replacements(memories: MemoryQuerySet, old: str, new: str) -> list[RewrittenText]:
    """The memories in which something changes, by what changes in them. Raises `TooMany`."""
    replace, in_slot = make_replacer(old, new), make_replacer(old.lower(), new.lower())
    plans: list[RewrittenText] = []
    needed = memories.only("pk", "tags", "slot", *TEXTS)
    # Row by row, so that what is looked at and not changed is not held.
    for looked_at, memory in enumerate(needed.iterator(chunk_size=500), 1):
        if len(plans) > MOST or looked_at > LOOKED_AT:
            raise TooMany
        fields: dict[str, Any] = {name: replace(getattr(memory, name)) for name in TEXTS}
        fields |= {"tags": [replace(tag) for tag in memory.tags], "slot": in_slot(memory.slot)}
        changed = {name: value for name, value in fields.items() if value != getattr(memory, name)}
        if changed:
            plans.append(RewrittenText(memory.pk, memory.text, changed))
    if len(plans) > MOST:
        raise TooMany
    return plans


def embed_replacements(plans: Sequence[RewrittenText]) -> dict[UUID, list[float]]:
    """Vectors of the texts that change; no transaction may be open here."""
    texts = {plan.key: plan.fields["text"] for plan in plans if "text" in plan.fields}
    vectors = embed_statements(list(texts.values()))
    return dict(zip(texts, vectors, strict=True))


def write_replacements(
    cubes: Sequence[MemCube], plans: Sequence[RewrittenText], vectors: dict[UUID, list[float]], reason: str
) -> Replaced:
    """Rewrites what still says what the plan was made from, under the caller's locks on the cubes."""
    done = Replaced()
    by_key = {plan.key: plan for plan in plans}
    for memory in Memory.objects.within(cubes).filter(pk__in=by_key).select_for_update():
        if memory.text == by_key[memory.pk].before:
            _apply_replacement(memory, by_key[memory.pk].fields, vectors.get(memory.pk), reason, done)
    return done


def _apply_replacement(
    memory: Memory, fields: dict[str, Any], vector: list[float] | None, reason: str, done: Replaced
) -> None:
    if is_frozen(memory):
        done.frozen.append(memory.pk)
        return
    is_current = memory.status == MemoryStatus.ACTIVATED and memory.valid_until is None
    twin = find_duplicate(memory, fields["text"]) if is_current and "text" in fields else None
    if twin is not None:
        merge_into(memory, twin, actor=ACTOR, reason=reason)
        done.merged.append(memory.pk)
        done.changes.append(BaseChange(memory.cube_id, memory.pk, twin.pk))
        return
    version = memory.version
    rewrite_memory(memory, fields, vector, actor=ACTOR, reason=reason)
    done.rewritten.append(memory.pk)
    if is_current:  # what is history already is no change of what holds
        done.changes.append(BaseChange(memory.cube_id, memory.pk, memory.pk, version))
