"""Explain why a search does or does not return a memory: check every step of the search for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np

from memories.cubes.access import select_reachable_memories
from memories.models import Memory
from memories.retrieval.candidates.gather import build_conditions
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.ranking.dedupe import find_repeated_key
from memories.retrieval.search import Cut, FinishedSearch, run_search
from memories.values import MemoryStatus, OwnerKind
from tenancy.errors import MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate's answer. `has_passed` is None where an earlier gate kept the memory from coming so far; `why` holds
    the figures that it decided by."""

    name: str
    has_passed: bool | None
    why: dict[str, Any] = field(default_factory=dict)


def explain_search(project: Project, query: SearchQuery, memory_id: UUID) -> list[Gate]:
    """All gates in the search's order; the memory is returned when all of them let it pass.

    Searches anew, without counting what it finds as recalled. Raises `MemoryUnknown` for a memory that the project
    may not see, and what `search` raises.
    """
    with tenant_scope(project):
        mine = select_reachable_memories(project).filter(pk=memory_id)
        memory = mine.select_related("cube").defer("embedding", "words_vector").first()
    if memory is None:
        raise MemoryUnknown(str(memory_id))
    # Of very many memories a search ranks the best by a rough score only: this one's place is wanted all the same.
    search = run_search(project, query, ranks_all=True)
    return _stop_at_closed_gate(
        [
            *_iterate_reading_gates(project, query, memory, search),
            *_iterate_ranking_gates(query, memory, search),
        ]
    )


def _stop_at_closed_gate(gates: list[Gate]) -> list[Gate]:
    """Drop the steps after the first that excludes the memory: they say nothing about it."""
    closed = next((place for place, gate in enumerate(gates) if gate.has_passed is False), len(gates))
    return gates[: closed + 1] + [Gate(gate.name, None) for gate in gates[closed + 1 :]]


def _iterate_reading_gates(
    project: Project, query: SearchQuery, memory: Memory, search: FinishedSearch
) -> Iterator[Gate]:
    """The gates before the ranker."""
    cube = memory.cube
    is_readable = cube.pk in {readable.pk for readable in search.cubes.all}
    owner = {"owner_kind": cube.owner_kind}
    if cube.owner_kind != OwnerKind.PUBLIC:
        owner["owner_id"] = cube.owner_id
    yield Gate("owner", is_readable, owner)
    is_wanted = any(limit.most and memory.kind in limit.kinds for limit in query.limits)
    yield Gate("kind", is_wanted, {"kind": memory.kind})
    yield Gate(
        "status", memory.status in (MemoryStatus.ACTIVATED, MemoryStatus.FROZEN), {"status": memory.status}
    )
    over = {"valid_until": memory.valid_until.isoformat()} if memory.valid_until else {}
    is_of_time = (search.candidates.with_past or not over) and not memory.is_past_its_day
    if memory.is_past_its_day:
        over |= {"expires_on": str(memory.expires_on)}
    yield Gate("time", is_of_time, over | {"asked_for": str(search.question.time_target)})
    yield Gate("filter", _passes_filter(project, query, memory, search))
    candidates = search.candidates
    yield Gate("candidates", memory.pk in candidates, {"candidates": len(candidates)})


def _passes_filter(project: Project, query: SearchQuery, memory: Memory, search: FinishedSearch) -> bool:
    with tenant_scope(project):
        mine = Memory.objects.within(search.cubes.all).filter(
            build_conditions(search.cubes, query), pk=memory.pk
        )
        return bool(mine.exists())


def _iterate_ranking_gates(query: SearchQuery, memory: Memory, search: FinishedSearch) -> Iterator[Gate]:
    """The gates after the candidates: score, repeats, limit."""
    cut = next((cut for cut in search.cuts if memory.kind in cut.kinds), None)
    places = np.flatnonzero(cut.order.keys == memory.pk).tolist() if cut else []
    if cut is None or not places:
        yield from (Gate(name, None) for name in ("relativity", "repeats", "diversity", "limit"))
        return
    yield _build_relativity_gate(query, cut, places[0])
    better = _find_better_twin(memory, cut, search)
    yield Gate("repeats", better is None, {"says_the_same": str(better)} if better else {})
    yield from _explain_limit(query, memory, cut, places[0])


def _explain_limit(query: SearchQuery, memory: Memory, cut: Cut, at: int) -> Iterator[Gate]:
    """Among the first by relativity, only diversity keeps one back; of the others the limit does."""
    place = next((n for n, result in enumerate(cut.distinct, 1) if result.key == memory.pk), None)
    is_chosen = any(result.key == memory.pk for result in cut.chosen)
    # Of a base, some of the last places may have been kept for what is known of the user.
    places = cut.limit - (cut.kept if memory.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE else 0)
    is_first = place is not None and place <= places
    yield Gate("diversity", is_chosen or not is_first)
    # Further down than anybody looks for repeats, the place is the one by relativity.
    by_score = int((cut.order.relativity > cut.order.relativity[at]).sum()) + 1
    passing = cut.order.count_passing(query.relativity) if query.relativity else len(cut.order)
    yield Gate("limit", is_chosen, {"place": place or by_score, "limit": places, "passing": passing})


def _build_relativity_gate(query: SearchQuery, cut: Cut, at: int) -> Gate:
    score = float(cut.order.relativity[at])
    why = {
        "relativity": round(score, 4),
        "threshold": query.relativity,
        "place": int((cut.order.relativity > score).sum()) + 1,
        "of": len(cut.order),
        "parts": {name: round(float(values[at]), 3) for name, values in cut.order.parts.items()},
    }
    return Gate("relativity", query.relativity == 0 or score >= query.relativity, why)


def _find_better_twin(memory: Memory, cut: Cut, search: FinishedSearch) -> Any:
    """The better-placed memory that says the same, if there is one."""
    get_terms = search.candidates.get_terms
    better: list[tuple[Any, str]] = []
    for result in cut.distinct:
        if result.key == memory.pk:
            return None
        better.append((result.key, get_terms(result.key)))
    is_relevant = any(result.key == memory.pk for result in cut.relevant)
    return find_repeated_key(get_terms(memory.pk), better) if is_relevant else None
