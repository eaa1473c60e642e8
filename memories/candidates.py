"""The memories that may answer: those of the cubes the caller may read, as far as query and filter allow."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Q
from pgvector.django import CosineDistance

from memories.cubes import Readable
from memories.engine import embedder
from memories.features import Array, Pool
from memories.filters import MemoryFilter
from memories.meaning import Meaning, meaning_of
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.query import SearchQuery
from memories.rows import read
from memories.snapshot import Snapshot
from memories.snapshots import snapshot_of
from memories.understand import Question, TimeTarget
from memories.values import Kind

# Of more rows than are all scored, so many by vector and so many by words.
BEST_BY_EACH = 300


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

    def dropped(self, query: SearchQuery) -> dict[str, int]:
        """How many rows each gate before the ranker kept back, for the trace: each row by the first that did."""
        table = self.snapshot.table
        wanted = [kind.value for kinds, limit in query.limits if limit for kind in kinds]
        is_wanted = np.isin(table.kinds, wanted)
        holds = np.isnan(table.valid_until) | self.with_past
        passes = np.full(len(table), True) if self.passing is None else self.passing
        return {
            "candidates": int((is_wanted & holds & passes).sum()),
            "other_kind": int((~is_wanted).sum()),
            "no_longer_true": int((is_wanted & ~holds).sum()),
            "filtered_out": int((is_wanted & holds & ~passes).sum()),
        }


def gather(cubes: Readable, query: SearchQuery, question: Question, meaning: Future[Meaning]) -> Candidates:
    """Inside the tenant's scope. Waits for the query's vector only where there are too many rows to score all."""
    memories = Memory.objects.within(cubes.all).recallable()
    keys = tuple(cube.pk for cube in cubes.all)
    snapshot = snapshot_of(memories, keys)
    passing = None
    if snapshot is None:
        wanted = [kind for kinds, limit in query.limits if limit for kind in kinds]
        mine = memories.filter(conditions(cubes, query), kind__in=wanted)
        likely = _likely(mine, question, meaning_of(meaning).vector)
        engine = embedder()
        snapshot = read(likely, engine.name, engine.dimensions)
    elif query.narrowed != MemoryFilter.everything():
        keys_passing = set(memories.filter(conditions(cubes, query)).values_list("pk", flat=True))
        passing = np.array([key in keys_passing for key in snapshot.rows], dtype=bool)
    counts = snapshot.table.count_terms(question.terms)
    return Candidates(snapshot, counts, passing, question.time_target == TimeTarget.BEFORE)


def conditions(cubes: Readable, query: SearchQuery) -> Q:
    """The query's filter, for each source its own."""
    found = Q(pk__in=[])
    for cube, narrowed in ((cubes.user, query.narrowed.user), (cubes.public, query.narrowed.public)):
        if cube is not None:
            found |= Q(cube=cube) & narrowed
    return found


def _likely(memories: MemoryQuerySet, question: Question, vector: list[float] | None) -> MemoryQuerySet:
    """Of more rows than are all scored, those that could win by vector or by words."""
    held = memories if question.time_target == TimeTarget.BEFORE else memories.current()
    return memories.filter(pk__in=[*_best_by_vector(held, vector), *_best_by_words(held, question)])


def _best_by_vector(memories: MemoryQuerySet, vector: list[float] | None) -> list[UUID]:
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
