"""Gather the candidates of a search: memories of readable cubes that pass the query's filters.

What the end user and the project hold is one source; each small knowledge base is another, kept in memory once for
all who may read it; what is too large for that gives those of its passages that could win.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.contrib.postgres.search import SearchQuery as Words
from django.contrib.postgres.search import SearchRank
from django.db.models import Q
from pgvector.django import CosineDistance

from memories.cubes.access import Readable
from memories.cubes.change_markers import ChangeMarker, load_joint_change_marker
from memories.engine import get_embedder
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieval.cache.rows import load_row_keys, read_snapshot
from memories.retrieval.cache.sampled_counts import join_frequencies
from memories.retrieval.cache.snapshot import Snapshot
from memories.retrieval.cache.snapshots import SCORE_ALL, load_snapshot, prepare_snapshot
from memories.retrieval.candidates.knowledge_bases import load_surveys, split_by_size
from memories.retrieval.candidates.selection import select_passages
from memories.retrieval.queries.parser import Question, TimeTarget
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.queries.vectors import Meaning, wait_for_meaning
from memories.retrieval.ranking.arrays import Mask, TermCounts, Vectors
from memories.retrieval.ranking.candidate_table import Frequencies, Pool
from memories.values import SUBJECT_KINDS, MemoryKind
from tenancy.isolation.scoping import OwnedQuerySet
from tenancy.models import Project

# Of more rows of an end user than are all scored, so many by vector and so many by words.
BEST_BY_EACH = 300
# How often rows and filter are read again because something was written between the two.
LOOKS_AGAIN = 3


class SourcePool(NamedTuple):
    """The candidates of one source, and which of its rows they are: shape (n,)."""

    pool: Pool
    chosen: Mask


@dataclass(frozen=True, slots=True)
class CandidateSource:
    """Rows at hand, how often each of the query's terms is in each, and which pass its filter (None: all).

    `frequencies` are those of the rows that these were chosen from. `found_by` says for the trace how they were.
    """

    cubes: Sequence[MemCube] | OwnedQuerySet
    snapshot: Snapshot
    counts: TermCounts
    passing: Mask | None = None
    frequencies: Frequencies | None = None
    found_by: tuple[str, ...] = ()

    def pool(self, kinds: tuple[MemoryKind, ...], with_past: bool) -> SourcePool:
        chosen, table = self.snapshot.part(kinds, with_past)
        if self.passing is not None:
            chosen = chosen & self.passing
            table = self.snapshot.table.of(chosen)
        counts = self.counts if chosen.all() else self.counts[chosen]
        return SourcePool(Pool(table, counts, self.frequencies), chosen)

    def count_dropped(self, wanted: Sequence[str], with_past: bool) -> dict[str, int]:
        may_answer, gates = self.snapshot.gates(tuple(wanted), with_past)
        passing = gates["candidates"] if self.passing is None else int((may_answer & self.passing).sum())
        return gates | {"candidates": passing, "filtered_out": gates["candidates"] - passing}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of all sources; the first `own` are what the end user and the project hold."""

    sources: tuple[CandidateSource, ...]
    with_past: bool
    own: int = 1

    def __contains__(self, key: UUID) -> bool:
        return any(key in source.snapshot for source in self.sources)

    def __len__(self) -> int:
        return sum(len(source.snapshot) for source in self.sources)

    def is_own(self, key: UUID) -> bool:
        """Return whether it is in no knowledge base."""
        return any(key in source.snapshot for source in self.sources[: self.own])

    def list_pools(self, kinds: tuple[MemoryKind, ...]) -> list[SourcePool]:
        """One of each source."""
        return [source.pool(kinds, self.with_past) for source in self.sources]

    def find_snapshot(self, key: UUID) -> Snapshot:
        if len(self.sources) == 1:
            return self.sources[0].snapshot
        return next(source.snapshot for source in self.sources if key in source.snapshot)

    def get_terms(self, key: UUID) -> str:
        return self.find_snapshot(key).get_terms(key)

    def count_terms(self, key: UUID) -> int:
        """The length of a memory in terms, because Chinese has no spaces to count words by."""
        return self.get_terms(key).count(" ") + 1

    def get_vectors(self, keys: Iterable[UUID]) -> tuple[Vectors, Mask]:
        """Their vectors, float32, shape (k, d), zeros where there is none; and which of the k have one, shape (k,)."""
        if len(self.sources) == 1:
            return self.sources[0].snapshot.get_vectors(keys)
        pairs = [self.find_snapshot(key).get_vectors([key]) for key in keys]
        return np.concatenate([vectors for vectors, _ in pairs]), np.concatenate(
            [known for _, known in pairs]
        )

    def count_dropped(self, query: SearchQuery) -> dict[str, Any]:
        """Count how many rows each gate before the ranker kept back, for the trace: each row by the first that did."""
        wanted = [kind.value for limit in query.limits if limit.most for kind in limit.kinds]
        dropped = [source.count_dropped(wanted, self.with_past) for source in self.sources]
        stated: dict[str, Any] = {name: sum(counts[name] for counts in dropped) for name in dropped[0]}
        if len(self.sources) > self.own:
            stated["of_knowledge_bases"] = sum(counts["candidates"] for counts in dropped[self.own :])
            stated["bases_searched_by"] = [
                way for source in self.sources[self.own :] for way in source.found_by
            ]
        return stated


def gather_candidates(
    cubes: Readable, query: SearchQuery, question: Question, meaning: Future[Meaning]
) -> Candidates:
    """Gather the candidates of a search, inside the tenant scope.

    Waits for the query's vector only where there are too many rows to score all.
    """
    sources = _gather_own(cubes, query, question, meaning)
    own = len(sources)
    if cubes.bases:
        small, large = split_by_size(cubes.bases)
        for cube, snapshot in small:
            sources.append(_gather_whole_base(cube, snapshot, query, question))
        if large:
            sources.append(_gather_some_passages(large, query, question, meaning))
    return Candidates(tuple(sources), _asks_for_past(query, question), own)


def _asks_for_past(query: SearchQuery, question: Question) -> bool:
    return question.time_target == TimeTarget.BEFORE and not query.is_personal


def _gather_own(
    cubes: Readable, query: SearchQuery, question: Question, meaning: Future[Meaning]
) -> list[CandidateSource]:
    """Gather what the end user and the project hold: one source, or one of each where together they are too many to
    read.

    So a large store that a project shares is kept once, and not with the memories of every end user.
    """
    mine = tuple(cube for cube in (cubes.user, cubes.public) if cube is not None)
    filtered = Memory.objects.within(mine).recallable().filter(build_conditions(cubes, query))
    snapshot, passing = _load_filtered_snapshot(
        tuple(cube.pk for cube in mine), cubes.marker, query, filtered
    )
    if snapshot is not None:
        return [_build_own_source(mine, snapshot, passing, query, question)]
    sources = []
    for cube in mine:
        held = filtered.filter(cube=cube)
        marker = load_joint_change_marker([cube.pk])
        snapshot, passing = _load_filtered_snapshot((cube.pk,), marker, query, held)
        if snapshot is None:
            prepare_snapshot((cube.pk,))
            wanted = [kind for limit in query.limits if limit.most for kind in limit.kinds]
            held = held.filter(kind__in=wanted)
            if query.is_personal:
                held = held.current()
            snapshot = _read_snapshot(_select_nearest(held, question, wait_for_meaning(meaning).vector))
        sources.append(_build_own_source((cube,), snapshot, passing, query, question))
    return sources


def _build_own_source(
    cubes: tuple[MemCube, ...],
    snapshot: Snapshot,
    passing: Mask | None,
    query: SearchQuery,
    question: Question,
) -> CandidateSource:
    if not query.with_expired:
        passing = _mask_unexpired(snapshot, passing)
    return CandidateSource(cubes, snapshot, snapshot.table.count_terms(question.terms), passing)


def _load_filtered_snapshot(
    keys: tuple[UUID, ...], marker: ChangeMarker, query: SearchQuery, filtered: MemoryQuerySet
) -> tuple[Snapshot | None, Mask | None]:
    """The rows at hand, and which of them pass the filter; None for more rows than are kept.

    The filter is asked after the rows were read: what a worker replaced between the two would be in neither, so both
    are done again when something was written meanwhile.
    """
    snapshot = load_snapshot(keys, marker)
    if snapshot is None or not (query.narrowed.user or query.narrowed.public):
        return snapshot, None
    passing = _mask_passing(filtered, snapshot)
    for _ in range(LOOKS_AGAIN):
        current = load_joint_change_marker(keys)
        if current == marker:
            break
        marker, snapshot = current, load_snapshot(keys, current)
        if snapshot is None:
            return None, None
        passing = _mask_passing(filtered, snapshot)
    return snapshot, passing


def gather_across(
    project: Project, wanted: Q, query: SearchQuery, question: Question, meaning: Future[Meaning]
) -> Candidates:
    """Rows of any owner, of which nothing is kept between searches. Inside the tenant's scope."""
    cubes = MemCube.objects.within(project).filter(owner_kind__in=SUBJECT_KINDS)
    kinds = [kind for limit in query.limits if limit.most for kind in limit.kinds]
    memories = Memory.objects.within(cubes).recallable().filter(wanted, kind__in=kinds)
    if not query.with_expired:
        memories = memories.unexpired()
    if memories[: SCORE_ALL + 1].count() > SCORE_ALL:
        memories = _select_nearest(memories, question, wait_for_meaning(meaning).vector)
    snapshot = _read_snapshot(memories)
    source = CandidateSource(cubes, snapshot, snapshot.table.count_terms(question.terms))
    return Candidates((source,), question.time_target == TimeTarget.BEFORE)


def _mask_unexpired(snapshot: Snapshot, passing: Mask | None) -> Mask | None:
    """Mask those of the passing rows whose last day is not over: shape (n,); None for all."""
    expired = snapshot.expired(datetime.now(UTC).date())
    if expired is None:
        return passing
    return ~expired if passing is None else passing & ~expired


def _gather_whole_base(
    cube: MemCube, snapshot: Snapshot, query: SearchQuery, question: Question
) -> CandidateSource:
    """A base that is small enough to be scored in full."""
    narrowed = query.narrowed.knowledgebase
    passing = None
    if narrowed:
        passing = _mask_passing(Memory.objects.within(cube).recallable().filter(narrowed), snapshot)
    return CandidateSource(
        (cube,), snapshot, snapshot.table.count_terms(question.terms), passing, found_by=("all",)
    )


def _gather_some_passages(
    cubes: tuple[MemCube, ...], query: SearchQuery, question: Question, meaning: Future[Meaning]
) -> CandidateSource:
    """Gather the passages of large bases that could be among the results."""
    memories = Memory.objects.within(cubes).recallable().filter(query.narrowed.knowledgebase)
    if question.time_target != TimeTarget.BEFORE:
        memories = memories.current()
    known = join_frequencies(load_surveys(cubes), question.terms)
    selected = select_passages(memories, question, lambda: wait_for_meaning(meaning).vector, known)
    snapshot = _read_snapshot(Memory.objects.within(cubes).recallable().filter(pk__in=selected.keys))
    counts = snapshot.table.count_terms(question.terms)
    ways = (f"meaning: {selected.by_meaning}", f"words: {selected.by_words}")
    return CandidateSource(cubes, snapshot, counts, frequencies=known, found_by=ways)


def _read_snapshot(memories: MemoryQuerySet) -> Snapshot:
    engine = get_embedder()
    return read_snapshot(memories, engine.name, engine.dimensions)


def _mask_passing(memories: MemoryQuerySet, snapshot: Snapshot) -> Mask:
    """Mark the snapshot's rows that are among these memories: shape (n,)."""
    places, is_here = snapshot.rows.find_places(load_row_keys(memories))
    passing = np.zeros(len(snapshot), dtype=bool)
    passing[places[is_here]] = True
    return passing


def build_conditions(cubes: Readable, query: SearchQuery) -> Q:
    """The query's filter, for each source its own."""
    condition = Q(pk__in=[])
    for cube, narrowed in ((cubes.user, query.narrowed.user), (cubes.public, query.narrowed.public)):
        if cube is not None:
            condition |= Q(cube=cube) & narrowed
    if cubes.bases:
        condition |= Q(cube__in=cubes.bases) & query.narrowed.knowledgebase
    return condition


def _select_nearest(
    memories: MemoryQuerySet, question: Question, vector: list[float] | None
) -> MemoryQuerySet:
    """Select, of more rows than can all be scored, those that could win by vector or by words."""
    held = memories if question.time_target == TimeTarget.BEFORE else memories.current()
    return memories.filter(pk__in=[*_find_best_by_vector(held, vector), *_find_best_by_words(held, question)])


def _find_best_by_vector(memories: MemoryQuerySet, vector: list[float] | None) -> list[UUID]:
    if vector is None:
        return []
    alike = memories.filter(embedding_model=get_embedder().name).order_by(CosineDistance("embedding", vector))
    return list(alike.values_list("pk", flat=True)[:BEST_BY_EACH])


def _find_best_by_words(memories: MemoryQuerySet, question: Question) -> list[UUID]:
    wanted: Any = None
    for term in question.terms:
        word_query = Words(term, config="simple")
        wanted = word_query if wanted is None else wanted | word_query
    if wanted is None:
        return []
    matches = memories.filter(words_vector=wanted).annotate(fit=SearchRank("words_vector", wanted))
    return list(matches.order_by("-fit").values_list("pk", flat=True)[:BEST_BY_EACH])
