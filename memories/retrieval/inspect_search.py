"""Inspect a search: how many candidates each step left, what was returned, what was dropped and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np

from memories.cubes.access import select_reachable_memories
from memories.models import Memory
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.ranking.dedupe import find_repeated_key
from memories.retrieval.ranking.ranker import Ranked
from memories.retrieval.search import Cut, FinishedSearch
from memories.values import MemoryKind, OwnerKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# So many dropped candidates of each group of kinds are shown: the best of them.
DROPPED_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Inspected:
    """One candidate. `place` counts from 1 by relativity within its group of kinds, `matched` are the question's terms
    that it has, and `gate` is the step that dropped it ("" if it was returned) with its figures in `why`.
    `relativity` is a probability, `parts` are the log-odds that it is made of, by name."""

    memory: Memory
    place: int
    relativity: float
    parts: list[tuple[str, float]]
    matched: list[str]
    gate: str = ""
    why: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GroupSteps:
    """Numbers of candidates that each step left of one group of kinds. `scored` counts those with a rough score only,
    too."""

    kinds: tuple[MemoryKind, ...]
    limit: int
    scored: int
    with_matching_terms: int
    passing: int
    distinct: int
    returned: int
    items: list[Inspected]
    dropped: list[Inspected]


def inspect_search(project: Project, query: SearchQuery, search: FinishedSearch) -> list[GroupSteps]:
    """The steps of a finished search, in the order of its groups; memories deleted since are left out."""
    shown = {cut.kinds: [*cut.chosen, *_list_best_dropped(cut)] for cut in search.cuts}
    keys = [result.key for ranked in shown.values() for result in ranked]
    with tenant_scope(project):
        rows = select_reachable_memories(project).filter(pk__in=keys).select_related("cube")
        memories = {row.pk: row for row in rows.defer("embedding", "words_vector")}
    return [_build_steps(query, search, cut, memories) for cut in search.cuts]


def _list_best_dropped(cut: Cut) -> list[Ranked]:
    chosen = {result.key for result in cut.chosen}
    best = cut.order.list_best(len(chosen) + DROPPED_SHOWN)
    return [result for result in best if result.key not in chosen][:DROPPED_SHOWN]


def _build_steps(
    query: SearchQuery, search: FinishedSearch, cut: Cut, memories: dict[UUID, Memory]
) -> GroupSteps:
    pools = [source.pool for source in search.candidates.list_pools(cut.kinds)]
    passing = cut.order.count_passing(query.relativity) if query.relativity else len(cut.order)
    # Beyond those that were compared, no repeat is known.
    repeats = sum(1 for result in cut.relevant if _find_twin(search, cut, result) is not None)
    return GroupSteps(
        kinds=cut.kinds,
        limit=cut.limit,
        scored=len(cut.order) + cut.order.left_out,
        with_matching_terms=sum(int((pool.counts > 0).any(axis=1).sum()) for pool in pools),
        passing=passing,
        distinct=passing - repeats,
        returned=len(cut.chosen),
        items=list(_iterate_inspected(query, search, cut, cut.chosen, memories)),
        dropped=list(_iterate_inspected(query, search, cut, _list_best_dropped(cut), memories)),
    )


def _iterate_inspected(
    query: SearchQuery, search: FinishedSearch, cut: Cut, ranked: list[Ranked], memories: dict[UUID, Memory]
) -> Iterator[Inspected]:
    chosen = {result.key for result in cut.chosen}
    for result in ranked:
        memory = memories.get(result.key)
        if memory is None:
            continue
        has = set(search.candidates.get_terms(result.key).split())
        gate, why = ("", {}) if result.key in chosen else _find_gate(query, search, cut, result, memory)
        yield Inspected(
            memory=memory,
            place=int(np.count_nonzero(cut.order.relativity > result.relativity)) + 1,
            relativity=result.relativity,
            parts=sorted(result.parts.items(), key=lambda part: -abs(part[1])),
            matched=[term for term in dict.fromkeys(search.question.terms) if term in has],
            gate=gate,
            why=why,
        )


def _find_gate(
    query: SearchQuery, search: FinishedSearch, cut: Cut, result: Ranked, memory: Memory
) -> tuple[str, dict[str, Any]]:
    """The first step that kept this candidate from being returned."""
    if query.relativity and result.relativity < query.relativity:
        return "relativity", {"relativity": result.relativity, "threshold": query.relativity}
    twin = _find_twin(search, cut, result)
    if twin is not None:
        return "repeats", {"says_the_same": str(twin)}
    place = next((at for at, other in enumerate(cut.distinct, 1) if other.key == result.key), None)
    # Of a base, some of the last places may have been kept for what is known of the user.
    places = cut.limit - (cut.kept if memory.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE else 0)
    if place is not None and place <= places:
        return "diversity", {}
    return "limit", {"limit": places}


def _find_twin(search: FinishedSearch, cut: Cut, result: Ranked) -> Any:
    """The better-placed result that says the same, if `result` was dropped for it."""
    get_terms = search.candidates.get_terms
    better = []
    for other in cut.distinct:
        if other.key == result.key or other.relativity < result.relativity:
            break
        better.append((other.key, get_terms(other.key)))
    if any(other.key == result.key for other in cut.distinct):
        return None
    return find_repeated_key(get_terms(result.key), better)
