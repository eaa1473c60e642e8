"""What matters to the question, from the cubes the caller may read.

Understand the question, embed it once while the candidates are read, rank them by one calibrated number, drop
repeats, cut to the limits. Each gate leaves its counts in the trace; `explain` asks them about one memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.utils import timezone

from memories.candidates import Candidates, gather
from memories.cubes import Readable, readable_cubes
from memories.dedupe import drop_repeats
from memories.diversity import LOOKED_AT as WIDE
from memories.diversity import pick
from memories.engine.background import background
from memories.engine.metering import counted_later
from memories.meaning import Meaning, begin_embedding, meaning_of
from memories.models import Memory
from memories.query import SearchQuery
from memories.rank import Order, Ranked, Situation, rank
from memories.reorder import reorder
from memories.snapshot import Snapshot
from memories.understand import Question, understand
from memories.usage import recalls
from memories.values import Kind
from tenancy.models import Project
from tenancy.scoping import Scope, tenant_scope
from tenancy.trace import stage

# Rough memories of the last minutes pass the default threshold: they are what was said a moment ago.
FRESH, ROUGH_FLOOR = timedelta(minutes=10), 0.5
# So many times the limit are looked at for repeats.
LOOKED_AT = 4


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relativity: float


@dataclass(frozen=True, slots=True)
class Cut:
    """One order of kinds with what passed each of its gates: `relevant` the threshold, `distinct` the repeats,
    `chosen` diversity and limit."""

    kinds: tuple[Kind, ...]
    limit: int
    order: Order
    relevant: list[Ranked]
    distinct: list[Ranked]
    chosen: list[Ranked]


@dataclass(frozen=True, slots=True)
class Found:
    """A search with all its gates still open to questions."""

    cubes: Readable
    question: Question
    candidates: Candidates
    cuts: list[Cut]

    @property
    def chosen(self) -> list[Ranked]:
        return [one for cut in self.cuts for one in cut.chosen]


def search(project: Project, query: SearchQuery) -> list[Hit]:
    """The hits, kind by kind, each highest relativity first. Raises `KnowledgeBaseNotLinked`."""
    with counted_later(Scope.of_project(project)):
        found = find(project, query)
    hits = _load(project, found.cubes, found.candidates.snapshot, found.chosen)
    if hits:
        recalls.put((Scope.of_project(project), [hit.memory.pk for hit in hits]))
    return hits


def find(project: Project, query: SearchQuery) -> Found:
    """The search itself, which changes nothing."""
    meaning = begin_embedding(query.text)
    question = _understand(query)
    with stage("candidates") as note, tenant_scope(project):
        cubes = readable_cubes(project, query.subject, query.knowledge_bases)
        candidates = gather(cubes, query, question, meaning)
        note.update(candidates.dropped(query))
    orders = _orders(question, candidates, query, meaning_of(meaning))
    return Found(cubes, question, candidates, _cut(project, cubes, orders, candidates.snapshot, query))


def _understand(query: SearchQuery) -> Question:
    with stage("understand") as note:
        question = understand(query.text, today=timezone.now())
        note.update(language=question.language, time_target=str(question.time_target))
        return question


Orders = list[tuple[tuple[Kind, ...], int, Order]]


def _orders(question: Question, candidates: Candidates, query: SearchQuery, meaning: Meaning) -> Orders:
    with stage("rank") as note:
        cosines = meaning.cosines(candidates.snapshot)
        situation = Situation(
            now=timezone.now(),
            level=meaning.level,
            conversation=query.conversation_id,
            rough_floor=ROUGH_FLOOR,
            running=FRESH,
        )
        orders = [
            (kinds, limit, rank(question, candidates.pool(kinds, cosines), situation))
            for kinds, limit in query.limits
            if limit
        ]
        note["best"] = [round(order.top, 4) if len(order) else None for _, _, order in orders]
        return orders


def _cut(
    project: Project, cubes: Readable, orders: Orders, snapshot: Snapshot, query: SearchQuery
) -> list[Cut]:
    """Threshold, the reranker where there is one, repeats, limits: each gate with its count."""
    cuts = []
    with stage("cut") as note:
        note.update(below_threshold=0, repeats=0, over_limit=0, for_diversity=0)
        for kinds, limit, order in orders:
            # The scale ends at 0: a client that sends 0 wants all there is.
            passing = order.passing(query.relativity) if query.relativity else len(order)
            relevant = order.best(min(passing, LOOKED_AT * limit))
            relevant = reorder(query.text, relevant, lambda ranked: _load(project, cubes, snapshot, ranked))
            kept = drop_repeats(((one.key, snapshot.terms_of(one.key)) for one in relevant), WIDE * limit)
            distinct = [one for one in relevant if one.key in kept.keys]
            chosen = _diverse(distinct, snapshot, limit)
            cuts.append(Cut(kinds, limit, order, relevant, distinct, chosen))
            note["below_threshold"] += len(order) - passing
            note["repeats"] += kept.repeats
            note["over_limit"] += passing - kept.repeats - len(chosen)
            note["for_diversity"] += len({one.key for one in distinct[:limit]} - {one.key for one in chosen})
    return cuts


def _diverse(distinct: list[Ranked], snapshot: Snapshot, limit: int) -> list[Ranked]:
    """In the order of their relativity, whatever the order they were chosen in."""
    if len(distinct) <= limit:
        return distinct
    vectors, has_vector = snapshot.vectors_of(one.key for one in distinct)
    relativity = np.array([one.relativity for one in distinct])
    return [distinct[at] for at in sorted(pick(relativity, vectors, has_vector, background().spread, limit))]


def _load(project: Project, cubes: Readable, snapshot: Snapshot, ranked: list[Ranked]) -> list[Hit]:
    """These memories whole, in their order. One that was deleted in this moment is left out."""
    with stage("load") as note:
        missing = snapshot.missing(one.key for one in ranked)
        note["read"] = len(missing)
        if missing:
            with tenant_scope(project):
                snapshot.keep(Memory.objects.within(cubes.all).recallable(), missing)
    whole = snapshot.whole
    return [Hit(whole[one.key], one.relativity) for one in ranked if one.key in whole]
