"""Search of memories: from a query to the hits of each kind.

Steps: parse the question, embed it in a thread while the candidates are read, rank them by a calibrated probability
(the relativity, 0 to 1), drop repeats, cut to the limits. Each step leaves its counts in the trace; `explain` asks
them about one memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import numpy as np
from django.utils import timezone

from memories.cubes.access import Readable, list_readable_cubes
from memories.engine.calibration.background_similarity import Nearness, get_spread
from memories.engine.metering import metering_usage_later
from memories.models import Memory
from memories.retrieval.candidates.gather import Candidates, gather_across, gather_candidates
from memories.retrieval.queries.parser import Question, parse_question
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.queries.vectors import Meaning, begin_embedding, wait_for_meaning
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.arrays import Mask
from memories.retrieval.ranking.dedupe import drop_repeats, find_repeated_key
from memories.retrieval.ranking.diversify import LOOKED_AT as WIDE
from memories.retrieval.ranking.diversify import select_diverse
from memories.retrieval.ranking.model_rerank import reorder_by_model
from memories.retrieval.ranking.ranker import Ranked, Ranking, ScoredCandidates
from memories.retrieval.ranking.shortlist import Shortlist, build_ranking
from memories.retrieval.recall_counts import recalls
from memories.values import MemoryKind
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tenancy.requests.trace import trace_stage

# Raw memories (not yet refined) of the last minutes get at least this relativity, which is the default threshold.
FRESH, RAW_FLOOR = timedelta(minutes=10), 0.5
# So many times the limit are checked for repeats.
LOOKED_AT = 4
# How often a search is repeated whose hits were replaced while it ran. A second replacement within its milliseconds is
# rare.
LOOKS_AGAIN = 2
# One result in so many is reserved for memories of the user, beside knowledge bases.
OWN_SHARE = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory found, its relativity (0 to 1), and the id of its knowledge base (empty for other memories)."""

    memory: Memory
    relativity: float
    base: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """The results of one group of kinds after each step: all (`order`), those that pass the threshold (`relevant`),
    without repeats (`distinct`), after diversification and limit (`chosen`).

    `kept` counts results that belong to no knowledge base and took the place of better-ranked passages.
    """

    kinds: tuple[MemoryKind, ...]
    limit: int
    order: ScoredCandidates
    relevant: list[Ranked]
    distinct: list[Ranked]
    chosen: list[Ranked]
    kept: int = 0


@dataclass(frozen=True, slots=True)
class FinishedSearch:
    """A finished search with the intermediate results that `explain` reports."""

    cubes: Readable
    question: Question
    candidates: Candidates
    cuts: list[Cut]

    @property
    def chosen(self) -> list[Ranked]:
        return [result for cut in self.cuts for result in cut.chosen]


def _ignore_search(search: FinishedSearch) -> None:
    return


def search_memories(
    project: Project,
    query: SearchQuery,
    observe: Callable[[FinishedSearch], None] = _ignore_search,
) -> list[Hit]:
    """Search, and count the hits as recalled: group by group, highest relativity first.

    Raises `KnowledgeBaseNotLinked` and `SearchUnavailable`. `observe` gets the finished search that the hits are of.
    """
    with metering_usage_later(Scope.of_project(project)):
        hits, search = _find_hits(project, query)
    observe(search)
    if hits:
        recalls.put((Scope.of_project(project), [hit.memory.pk for hit in hits]))
    return hits


def _find_hits(project: Project, query: SearchQuery) -> tuple[list[Hit], FinishedSearch]:
    """Search and load, again where a worker replaced hits between the two.

    A raw memory is deleted when it is refined: the repeated search finds its successor.
    """
    meaning = begin_embedding(query.text)
    search = _find_memories(project, query, meaning)
    hits = _load_hits(project, search.cubes, search.candidates, search.chosen)
    for _ in range(LOOKS_AGAIN):
        if len(hits) == len(search.chosen):
            break
        search = _find_memories(project, query, meaning)
        hits = _load_hits(project, search.cubes, search.candidates, search.chosen)
    return hits, search


def run_search(project: Project, query: SearchQuery, *, ranks_all: bool = False) -> FinishedSearch:
    """Search without counting the hits as recalled. Raises what `search_memories` raises.

    With `ranks_all`, every candidate is ranked, however many there are.
    """
    return _find_memories(project, query, begin_embedding(query.text), ranks_all)


def _find_memories(
    project: Project, query: SearchQuery, meaning: Future[Meaning], ranks_all: bool = False
) -> FinishedSearch:
    question = _parse_query(query)
    with trace_stage("candidates") as note, tenant_scope(project):
        if query.across is None:
            cubes = list_readable_cubes(
                project, query.subject, query.knowledge_bases, with_public=not query.is_personal
            )
            candidates = gather_candidates(cubes, query, question, meaning)
        else:
            cubes = Readable(None, None)
            candidates = gather_across(project, query.across, query, question, meaning)
        note.update(candidates.count_dropped(query))
    with trace_stage("words"):
        rankings = rank_by_words(question, candidates, query, ranks_all=ranks_all)
    groups = _order_by_meaning(rankings, candidates, wait_for_meaning(meaning))
    return FinishedSearch(
        cubes, question, candidates, _cut_ranking(project, cubes, groups, candidates, query)
    )


def _parse_query(query: SearchQuery) -> Question:
    with trace_stage("understand") as note:
        question = parse_question(query.text, today=query.today or timezone.now())
        note.update(language=question.language, time_target=str(question.time_target))
        return question


@dataclass(frozen=True, slots=True)
class SourceRanking:
    """The ranking of the candidates of one source. `chosen` (bool, one per row of the source) marks them."""

    ranking: Ranking | Shortlist
    chosen: Mask


@dataclass(frozen=True, slots=True)
class GroupRanking:
    """Candidates ranked together: some kinds, of which at most `limit` are returned, with one ranking per source, the
    first `own` of which are of no knowledge base."""

    kinds: tuple[MemoryKind, ...]
    limit: int
    sources: list[SourceRanking]
    own: int = 1

    def order(self, nearness: Sequence[Nearness]) -> GroupOrder:
        """Score all candidates. `nearness` has one element per source, for all rows of that source."""
        orders = [
            source.ranking.order(near.of(source.chosen))
            for source, near in zip(self.sources, nearness, strict=True)
        ]
        return GroupOrder(self.kinds, self.limit, ScoredCandidates.joined(orders, self.own))


@dataclass(frozen=True, slots=True)
class GroupOrder:
    """The scored candidates of some kinds, of which at most `limit` are returned."""

    kinds: tuple[MemoryKind, ...]
    limit: int
    order: ScoredCandidates


def rank_by_words(
    question: Question, candidates: Candidates, query: SearchQuery, *, ranks_all: bool = False
) -> list[GroupRanking]:
    """Compute all features that do not need the query's vector, which is still being computed.

    With `ranks_all`, those of every candidate; else, where there are very many, only what a shortlist is made by.
    """
    situation = Situation(
        now=timezone.now(),
        conversation=query.conversation_id,
        raw_floor=RAW_FLOOR,
        running=FRESH,
        is_filtered=bool(query.narrowed.user or query.narrowed.public),
    )
    return [
        GroupRanking(
            kinds,
            limit,
            [
                SourceRanking(
                    Ranking(question, pool, situation)
                    if ranks_all
                    else build_ranking(question, pool, situation, limit),
                    chosen,
                )
                for pool, chosen in pools
            ],
            candidates.own,
        )
        for kinds, limit in query.limits
        if limit and (pools := candidates.list_pools(kinds))
    ]


def _order_by_meaning(
    rankings: list[GroupRanking], candidates: Candidates, meaning: Meaning
) -> list[GroupOrder]:
    """Score the candidates of every group with the query's vector."""
    with trace_stage("rank") as note:
        nearness = [meaning.compute_nearness(source.snapshot) for source in candidates.sources]
        groups = [ranking.order(nearness) for ranking in rankings]
        note["best"] = [round(group.order.top, 4) if len(group.order) else None for group in groups]
        return groups


def _cut_ranking(
    project: Project, cubes: Readable, groups: list[GroupOrder], candidates: Candidates, query: SearchQuery
) -> list[Cut]:
    """Apply threshold, reranking model, repeats, diversification and limit; the trace gets the count of each step."""
    cuts = []
    with trace_stage("cut") as note:
        note.update(threshold=query.relativity, not_ranked=0, below_threshold=0)
        note.update(repeats=0, over_limit=0, for_diversity=0)
        for group in groups:
            limit, order = group.limit, group.order
            # A threshold of 0 returns everything.
            passing = order.count_passing(query.relativity) if query.relativity else len(order)
            relevant = order.list_best(min(passing, LOOKED_AT * limit))
            relevant = reorder_by_model(
                query.text, relevant, lambda ranked: _load_hits(project, cubes, candidates, ranked)
            )
            kept = drop_repeats(
                ((result.key, candidates.get_terms(result.key)) for result in relevant), WIDE * limit
            )
            distinct = [result for result in relevant if result.key in kept.keys]
            chosen = _select_diverse(distinct, candidates, limit)
            note["not_ranked"] += order.left_out
            note["below_threshold"] += len(order) - passing
            note["repeats"] += kept.repeats
            note["over_limit"] += passing - kept.repeats - len(chosen)
            note["for_diversity"] += len(
                {result.key for result in distinct[:limit]} - {result.key for result in chosen}
            )
            cut = Cut(group.kinds, limit, order, relevant, distinct, chosen)
            if len(candidates.sources) > candidates.own:
                cut = reserve_own_places(cut, candidates, query.relativity)
                note["kept_for_own"] = note.get("kept_for_own", 0) + cut.kept
            cuts.append(cut)
    return cuts


def reserve_own_places(cut: Cut, candidates: Candidates, threshold: float) -> Cut:
    """Reserve a share of the results for memories of the user: a large knowledge base would displace all of them."""
    passing = cut.order.count_passing_own(threshold) if threshold else cut.order.own
    wanted = min(passing, cut.limit // OWN_SHARE) - sum(
        candidates.is_own(result.key) for result in cut.chosen
    )
    if wanted <= 0:
        return cut
    more = _find_more_own(cut, candidates, passing)[:wanted]
    passages = [result for result in cut.chosen if not candidates.is_own(result.key)]
    # The lowest-ranked passages are dropped for them.
    gone = {
        passage.key for passage in passages[len(passages) - max(0, len(cut.chosen) + len(more) - cut.limit) :]
    }
    return replace(
        cut,
        relevant=_merge_ranked(cut.relevant, more),
        distinct=_merge_ranked(cut.distinct, more),
        chosen=_merge_ranked([result for result in cut.chosen if result.key not in gone], more),
        kept=len(gone),
    )


def _find_more_own(cut: Cut, candidates: Candidates, passing: int) -> list[Ranked]:
    """The best memories of the user that are not chosen, and repeat nothing that is."""
    seen = {result.key: result for result in cut.relevant}
    terms_by_key = {result.key: candidates.get_terms(result.key) for result in cut.chosen}
    results = []
    for result in cut.order.list_best_own(min(passing, LOOKED_AT * cut.limit)):
        terms = candidates.get_terms(result.key)
        if result.key not in terms_by_key and find_repeated_key(terms, terms_by_key.items()) is None:
            terms_by_key[result.key] = terms
            results.append(seen.get(result.key, result))
    return results


def _merge_ranked(ranked: list[Ranked], more: list[Ranked]) -> list[Ranked]:
    known = {result.key for result in ranked}
    return sorted(
        [*ranked, *(result for result in more if result.key not in known)],
        key=lambda result: -result.relativity,
    )


def _select_diverse(distinct: list[Ranked], candidates: Candidates, limit: int) -> list[Ranked]:
    """Select diverse results, in the order of their relativity."""
    if len(distinct) <= limit:
        return distinct
    keys = [result.key for result in distinct]
    vectors, has_vector = candidates.get_vectors(keys)
    relativity = np.array([result.relativity for result in distinct])
    lengths = np.array([candidates.count_terms(key) for key in keys])
    places = select_diverse(
        relativity, vectors, has_vector=has_vector, lengths=lengths, spread=get_spread(), limit=limit
    )
    return [distinct[at] for at in sorted(places)]


def _load_hits(project: Project, cubes: Readable, candidates: Candidates, ranked: list[Ranked]) -> list[Hit]:
    """Load these memories in full, in their order. Those deleted or replaced meanwhile are left out."""
    bases = {cube.pk: cube.owner_id for cube in cubes.bases}
    hits: dict[UUID, Hit] = {}
    with trace_stage("load") as note:
        note["read"] = 0
        for source in candidates.sources:
            snapshot = source.snapshot
            here = [result for result in ranked if result.key in snapshot]
            missing = snapshot.missing(result.key for result in here)
            note["read"] += len(missing)
            read: dict[UUID, Memory] = {}
            if missing:
                with tenant_scope(project):
                    read = snapshot.read_whole(Memory.objects.within(source.cubes).recallable(), missing)
            whole = ((result, read.get(result.key) or snapshot.whole.get(result.key)) for result in here)
            hits |= {
                result.key: Hit(memory, result.relativity, bases.get(memory.cube_id, ""))
                for result, memory in whole
                if memory is not None
            }
    return [hits[result.key] for result in ranked if result.key in hits]
