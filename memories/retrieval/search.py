"""What matters to the question, from the cubes the caller may read.

Understand the question, embed it once while the candidates are read, rank them by one calibrated number, drop
repeats, cut to the limits. Each gate leaves its counts in the trace; `explain` asks them about one memory.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import numpy as np
from django.utils import timezone

from memories.cubes.access import Readable, readable_cubes
from memories.engine.background_similarity import spread
from memories.engine.metering import metering_usage_later
from memories.models import Memory
from memories.retrieval.candidates.gather import Candidates, gather
from memories.retrieval.queries.parser import Question, parse_question
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.queries.vectors import Meaning, begin_embedding, meaning_of
from memories.retrieval.ranking.dedupe import drop_repeats, same_as
from memories.retrieval.ranking.diversify import LOOKED_AT as WIDE
from memories.retrieval.ranking.diversify import select_diverse
from memories.retrieval.ranking.features import Array
from memories.retrieval.ranking.model_rerank import reorder_by_model
from memories.retrieval.ranking.ranker import Order, Ranked, Ranking, Situation
from memories.retrieval.recall_counts import recalls
from memories.values import Kind
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tenancy.requests.trace import stage

# Rough memories of the last minutes pass the default threshold: they are what was said a moment ago.
FRESH, ROUGH_FLOOR = timedelta(minutes=10), 0.5
# So many times the limit are looked at for repeats.
LOOKED_AT = 4
# A second change within the milliseconds of one search is rare, a third would be a user whose memories never rest.
LOOKS_AGAIN = 2
# One place in so many is kept for what is known of the user, beside knowledge bases.
OWN_SHARE = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """`base` is the id of the knowledge base it is in, if it is in one."""

    memory: Memory
    relativity: float
    base: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """One order of kinds with what passed each of its gates: `relevant` the threshold, `distinct` the repeats,
    `chosen` diversity and limit. So many places as `kept` went to what is of no knowledge base, before better-placed
    passages."""

    kinds: tuple[Kind, ...]
    limit: int
    order: Order
    relevant: list[Ranked]
    distinct: list[Ranked]
    chosen: list[Ranked]
    kept: int = 0


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


def _nothing() -> None:
    return


def search_memories(
    project: Project, query: SearchQuery, meanwhile: Callable[[], None] = _nothing
) -> list[Hit]:
    """The hits, kind by kind, each highest relativity first. Raises `KnowledgeBaseNotLinked`.

    `meanwhile` is called outside of transactions, while the query's vector is still being made.
    """
    with metering_usage_later(Scope.of_project(project)):
        hits = _hits(project, query, meanwhile)
    if hits:
        recalls.put((Scope.of_project(project), [hit.memory.pk for hit in hits]))
    return hits


def _hits(project: Project, query: SearchQuery, meanwhile: Callable[[], None]) -> list[Hit]:
    """What a worker replaced between being found and being loaded is found anew: by then, its successor is there.

    A rough memory is gone once it is refined. Who asked in that moment was told nothing of what had just been said.
    """
    meaning = begin_embedding(query.text)
    found = _find(project, query, meaning, meanwhile)
    hits = _load(project, found.cubes, found.candidates, found.chosen)
    for _ in range(LOOKS_AGAIN):
        if len(hits) == len(found.chosen):
            break
        found = _find(project, query, meaning, _nothing)
        hits = _load(project, found.cubes, found.candidates, found.chosen)
    return hits


def run_search(project: Project, query: SearchQuery) -> Found:
    """The search itself, which changes nothing."""
    return _find(project, query, begin_embedding(query.text), _nothing)


def _find(
    project: Project, query: SearchQuery, meaning: Future[Meaning], meanwhile: Callable[[], None]
) -> Found:
    question = _understand(query)
    with stage("candidates") as note, tenant_scope(project):
        cubes = readable_cubes(project, query.subject, query.knowledge_bases)
        candidates = gather(cubes, query, question, meaning)
        note.update(candidates.dropped(query))
    with stage("words"):
        rankings = _rankings(question, candidates, query)
    meanwhile()
    orders = _orders(rankings, candidates, meaning_of(meaning))
    return Found(cubes, question, candidates, _cut(project, cubes, orders, candidates, query))


def _understand(query: SearchQuery) -> Question:
    with stage("understand") as note:
        question = parse_question(query.text, today=timezone.now())
        note.update(language=question.language, time_target=str(question.time_target))
        return question


# Of each order of kinds with its limit: the ranking of every source, and which of the source's rows are in it.
Rankings = list[tuple[tuple[Kind, ...], int, list[tuple[Ranking, Array]]]]
Orders = list[tuple[tuple[Kind, ...], int, Order]]


def _rankings(question: Question, candidates: Candidates, query: SearchQuery) -> Rankings:
    """As far as they come without the query's vector, which is still being made."""
    situation = Situation(
        now=timezone.now(),
        conversation=query.conversation_id,
        rough_floor=ROUGH_FLOOR,
        running=FRESH,
    )
    return [
        (kinds, limit, [(Ranking(question, pool, situation), chosen) for pool, chosen in pools])
        for kinds, limit in query.limits
        if limit and (pools := candidates.pools(kinds))
    ]


def _orders(rankings: Rankings, candidates: Candidates, meaning: Meaning) -> Orders:
    with stage("rank") as note:
        nearness = [meaning.nearness(source.snapshot) for source in candidates.sources]
        orders = [
            (
                kinds,
                limit,
                Order.joined([ranking.order(near.of(chosen)) for (ranking, chosen), near in found]),
            )
            for kinds, limit, of_sources in rankings
            if (found := list(zip(of_sources, nearness, strict=True)))
        ]
        note["best"] = [round(order.top, 4) if len(order) else None for _, _, order in orders]
        return orders


def _cut(
    project: Project, cubes: Readable, orders: Orders, candidates: Candidates, query: SearchQuery
) -> list[Cut]:
    """Threshold, the reranker where there is one, repeats, limits: each gate with its count."""
    cuts = []
    with stage("cut") as note:
        note.update(below_threshold=0, repeats=0, over_limit=0, for_diversity=0)
        for kinds, limit, order in orders:
            # The scale ends at 0: a client that sends 0 wants all there is.
            passing = order.passing(query.relativity) if query.relativity else len(order)
            relevant = order.best(min(passing, LOOKED_AT * limit))
            relevant = reorder_by_model(
                query.text, relevant, lambda ranked: _load(project, cubes, candidates, ranked)
            )
            kept = drop_repeats(((one.key, candidates.terms_of(one.key)) for one in relevant), WIDE * limit)
            distinct = [one for one in relevant if one.key in kept.keys]
            chosen = _diverse(distinct, candidates, limit)
            note["below_threshold"] += len(order) - passing
            note["repeats"] += kept.repeats
            note["over_limit"] += passing - kept.repeats - len(chosen)
            note["for_diversity"] += len({one.key for one in distinct[:limit]} - {one.key for one in chosen})
            cut = Cut(kinds, limit, order, relevant, distinct, chosen)
            if len(candidates.sources) > 1:
                cut = keep_places(cut, candidates, query.relativity)
                note["kept_for_own"] = note.get("kept_for_own", 0) + cut.kept
            cuts.append(cut)
    return cuts


def keep_places(cut: Cut, candidates: Candidates, threshold: float) -> Cut:
    """A large base always has passages about the question; what is known of the user would never come up."""
    own = candidates.sources[0].snapshot.rows
    passing = cut.order.passing_own(threshold) if threshold else cut.order.own
    wanted = min(passing, cut.limit // OWN_SHARE) - sum(one.key in own for one in cut.chosen)
    if wanted <= 0:
        return cut
    more = _more_own(cut, candidates, passing)[:wanted]
    passages = [one for one in cut.chosen if one.key not in own]
    # The passages that stand last give way.
    gone = {one.key for one in passages[len(passages) - max(0, len(cut.chosen) + len(more) - cut.limit) :]}
    return replace(
        cut,
        relevant=_united(cut.relevant, more),
        distinct=_united(cut.distinct, more),
        chosen=_united([one for one in cut.chosen if one.key not in gone], more),
        kept=len(gone),
    )


def _more_own(cut: Cut, candidates: Candidates, passing: int) -> list[Ranked]:
    """The best of what is known of the user that is not chosen, and repeats nothing that is."""
    seen = {one.key: one for one in cut.relevant}
    said = {one.key: candidates.terms_of(one.key) for one in cut.chosen}
    found = []
    for one in cut.order.best_own(min(passing, LOOKED_AT * cut.limit)):
        terms = candidates.terms_of(one.key)
        if one.key not in said and same_as(terms, said.items()) is None:
            said[one.key] = terms
            found.append(seen.get(one.key, one))
    return found


def _united(ranked: list[Ranked], more: list[Ranked]) -> list[Ranked]:
    known = {one.key for one in ranked}
    return sorted([*ranked, *(one for one in more if one.key not in known)], key=lambda one: -one.relativity)


def _diverse(distinct: list[Ranked], candidates: Candidates, limit: int) -> list[Ranked]:
    """In the order of their relativity, whatever the order they were chosen in."""
    if len(distinct) <= limit:
        return distinct
    keys = [one.key for one in distinct]
    vectors, has_vector = candidates.vectors_of(keys)
    relativity = np.array([one.relativity for one in distinct])
    lengths = np.array([candidates.length_of(key) for key in keys])
    places = select_diverse(relativity, vectors, has_vector, lengths, spread(), limit)
    return [distinct[at] for at in sorted(places)]


def _load(project: Project, cubes: Readable, candidates: Candidates, ranked: list[Ranked]) -> list[Hit]:
    """These memories whole, in their order. One that was deleted or replaced in this moment is left out."""
    bases = {cube.pk: cube.owner_id for cube in cubes.bases}
    hits: dict[UUID, Hit] = {}
    with stage("load") as note:
        note["read"] = 0
        for source in candidates.sources:
            snapshot = source.snapshot
            here = [one for one in ranked if one.key in snapshot.rows]
            missing = snapshot.missing(one.key for one in here)
            note["read"] += len(missing)
            if missing:
                with tenant_scope(project):
                    snapshot.keep(Memory.objects.within(source.cubes).recallable(), missing)
            whole = ((one, snapshot.whole.get(one.key)) for one in here)
            hits |= {
                one.key: Hit(memory, one.relativity, bases.get(memory.cube_id, ""))
                for one, memory in whole
                if memory is not None
            }
    return [hits[one.key] for one in ranked if one.key in hits]
