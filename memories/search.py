"""What matters to the question, from the cubes the caller may read.

Understand the question, embed it once while the candidates are read, rank them by one calibrated number, drop
repeats, cut to the limits. Each gate leaves its counts in the trace.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Q
from django.utils import timezone
from pgvector.django import CosineDistance

from memories.cubes import Readable, readable_cubes
from memories.dedupe import drop_repeats
from memories.engine import embedder
from memories.engine.background import Level, background
from memories.engine.protocols import ProviderUnavailable
from memories.features import Array, Pool
from memories.filters import MemoryFilter
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.rank import Order, Ranked, Situation, rank
from memories.snapshots import Snapshot, read, snapshot_of
from memories.understand import Question, TimeTarget, understand
from memories.usage import recalls
from memories.values import Kind, Subject
from tenancy.models import Project
from tenancy.scoping import Scope, tenant_scope
from tenancy.trace import stage

DEFAULT_RELATIVITY = 0.45
# Up to this many rows are all scored; above, the best by vector and the best by words.
SCORE_ALL = 5_000
BEST_BY_EACH = 300
# Rough memories of the last minutes pass the default threshold: they are what was said a moment ago.
FRESH, ROUGH_FLOOR = timedelta(minutes=10), 0.5
# So many times the limit are looked at for repeats.
LOOKED_AT = 8
# As many as requests that a web process serves at once.
_embedding = ThreadPoolExecutor(32, thread_name_prefix="embed")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search: whose memories, for what, how many of each kind, how relevant at least (0..1)."""

    subject: Subject
    text: str
    conversation_id: str = ""
    narrowed: MemoryFilter = field(default_factory=MemoryFilter.everything)
    knowledge_bases: tuple[str, ...] = ()
    facts: int = 9
    preferences: int = 9
    relativity: float = DEFAULT_RELATIVITY
    tools: int = 0

    @property
    def limits(self) -> tuple[tuple[tuple[Kind, ...], int], ...]:
        """Which kinds share an order, and how many of it are wanted."""
        return (
            ((Kind.FACT,), self.facts),
            ((Kind.PREFERENCE,), self.preferences),
            ((Kind.TOOL_SCHEMA, Kind.TOOL_TRAJECTORY), self.tools),
        )


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relativity: float


Vector = list[float] | None


def search(project: Project, query: SearchQuery) -> list[Hit]:
    """The hits, kind by kind, each highest relativity first. Raises `KnowledgeBaseNotLinked`."""
    question = _understand(query)
    embedding = _begin_embedding(query.text)
    with stage("candidates") as note, tenant_scope(project):
        cubes = readable_cubes(project, query.subject, query.knowledge_bases)
        candidates = _gather(cubes, query, question, embedding)
        note["candidates"] = len(candidates.snapshot.rows)
    vector = embedding.result()
    chosen = _choose(question, candidates, query, vector)
    return _hits(project, cubes, candidates.snapshot, chosen)


def _understand(query: SearchQuery) -> Question:
    with stage("understand") as note:
        question = understand(query.text, today=timezone.now())
        note.update(language=question.language, time_target=str(question.time_target))
        return question


def _begin_embedding(text: str) -> Future[Vector]:
    """In a thread of its own: neither the model nor a provider holds the interpreter's lock while it works."""
    return _embedding.submit(copy_context().run, _embed, text)


def _embed(text: str) -> Vector:
    """None while a remote provider is away: words alone must do then, and the trace says so."""
    with stage("embed") as note:
        note["model"] = embedder().name
        try:
            return embedder().embed_query(text)
        except ProviderUnavailable:
            note["unavailable"] = True
            return None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows at hand, how often each of the query's terms is in each, and which pass its filter (None: all)."""

    snapshot: Snapshot
    counts: Array
    passing: Array | None
    with_past: bool

    def pool(self, kinds: tuple[Kind, ...], cosines: Array) -> Pool:
        chosen, table = self.snapshot.part(kinds, self.with_past)
        if self.passing is not None:
            chosen = chosen & self.passing
            table = self.snapshot.table.of(chosen)
        return Pool(table, cosines[chosen], self.counts[chosen])


def _gather(cubes: Readable, query: SearchQuery, question: Question, embedding: Future[Vector]) -> Candidates:
    memories = Memory.objects.within(cubes.all).recallable()
    engine = embedder()
    keys = tuple(cube.pk for cube in cubes.all)
    snapshot = snapshot_of(memories, keys, engine.name, engine.dimensions, SCORE_ALL)
    passing = None
    if snapshot is None:
        wanted = [kind for kinds, limit in query.limits if limit for kind in kinds]
        mine = memories.filter(_conditions(cubes, query), kind__in=wanted)
        snapshot = read(_likely(mine, question, embedding.result()), engine.name, engine.dimensions)
    elif query.narrowed != MemoryFilter.everything():
        keys_passing = set(memories.filter(_conditions(cubes, query)).values_list("pk", flat=True))
        passing = np.array([key in keys_passing for key in snapshot.rows], dtype=bool)
    counts = snapshot.table.count_terms(question.terms)
    return Candidates(snapshot, counts, passing, question.time_target == TimeTarget.BEFORE)


def _conditions(cubes: Readable, query: SearchQuery) -> Q:
    found = Q(pk__in=[])
    for cube, narrowed in ((cubes.user, query.narrowed.user), (cubes.public, query.narrowed.public)):
        if cube is not None:
            found |= Q(cube=cube) & narrowed
    return found


def _likely(memories: MemoryQuerySet, question: Question, vector: Vector) -> MemoryQuerySet:
    """Of more rows than are all scored, those that could win by vector or by words."""
    held = memories if question.time_target == TimeTarget.BEFORE else memories.current()
    return memories.filter(pk__in=[*_best_by_vector(held, vector), *_best_by_words(held, question)])


def _best_by_vector(memories: MemoryQuerySet, vector: Vector) -> list[UUID]:
    if vector is None:
        return []
    alike = memories.filter(embedding_model=embedder().name).order_by(CosineDistance("embedding", vector))
    return list(alike.values_list("pk", flat=True)[:BEST_BY_EACH])


def _best_by_words(memories: MemoryQuerySet, question: Question) -> list[UUID]:
    from django.contrib.postgres.search import SearchQuery as Words
    from django.contrib.postgres.search import SearchRank

    wanted: Any = None
    for term in question.terms:
        one = Words(term, config="simple")
        wanted = one if wanted is None else wanted | one
    if wanted is None:
        return []
    found = memories.filter(words_vector=wanted).annotate(fit=SearchRank("words_vector", wanted))
    return list(found.order_by("-fit").values_list("pk", flat=True)[:BEST_BY_EACH])


def _choose(question: Question, candidates: Candidates, query: SearchQuery, vector: Vector) -> list[Ranked]:
    """One order a kind, so that many lines of one kind cannot crowd out the few of another."""
    with stage("rank") as note:
        cosines = candidates.snapshot.cosines(vector)
        situation = Situation(
            now=timezone.now(),
            level=background().level(vector) if vector else Level(),
            conversation=query.conversation_id,
            rough_floor=ROUGH_FLOOR,
            running=FRESH,
        )
        orders = [
            (rank(question, candidates.pool(kinds, cosines), situation), limit)
            for kinds, limit in query.limits
            if limit
        ]
        note["best"] = [
            round(float(order.relativity.max()), 4) if len(order) else None for order, _ in orders
        ]
    return _cut(orders, candidates.snapshot, query)


def _cut(orders: list[tuple[Order, int]], snapshot: Snapshot, query: SearchQuery) -> list[Ranked]:
    """Threshold, repeats, limits: each gate with its count."""
    with stage("cut") as note:
        chosen: list[Ranked] = []
        note.update(below_threshold=0, repeats=0, over_limit=0)
        for order, limit in orders:
            # The scale ends at 0: a client that sends 0 wants all there is.
            passing = order.passing(query.relativity) if query.relativity else len(order)
            relevant = order.best(min(passing, LOOKED_AT * limit))
            kept = drop_repeats(((one.key, snapshot.terms_of(one.key)) for one in relevant), limit)
            chosen += [one for one in relevant if one.key in kept.keys]
            note["below_threshold"] += len(order) - passing
            note["repeats"] += kept.repeats
            note["over_limit"] += passing - kept.repeats - len(kept.keys)
        return chosen


def _hits(project: Project, cubes: Readable, snapshot: Snapshot, chosen: list[Ranked]) -> list[Hit]:
    """The chosen memories in the ranked order; counted as recalled."""
    keys = [one.key for one in chosen]
    with stage("load") as note:
        missing = snapshot.missing(keys)
        note["read"] = len(missing)
        if missing:
            with tenant_scope(project):
                snapshot.keep(Memory.objects.within(cubes.all).recallable(), missing)
    if keys:
        recalls.put((Scope.of_project(project), keys))
    whole = snapshot.whole
    return [Hit(whole[one.key], one.relativity) for one in chosen if one.key in whole]
