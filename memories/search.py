"""What matters to the question, from the cubes the caller may read.

Understand the question, embed it once, gather candidates with their cosines and words inside the allowed cubes
and filters, rank them by one calibrated number, drop repeats, cut to the limits. Each gate leaves its counts in
the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import FloatField, Q, Value
from django.db.models.expressions import ExpressionWrapper
from django.utils import timezone
from pgvector.django import CosineDistance

from memories.cubes import Readable, readable_cubes
from memories.dedupe import drop_repeats
from memories.engine import embedder
from memories.engine.background import background
from memories.features import Candidate
from memories.filters import MemoryFilter
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.rank import Ranked, Situation, rank
from memories.understand import Question, TimeTarget, understand
from memories.usage import recalls
from memories.values import Kind, Subject
from tenancy.models import Project
from tenancy.scoping import Scope, tenant_scope
from tenancy.trace import stage

DEFAULT_RELATIVITY = 0.45
# Up to this many rows of a cube are all scored; above, the best by vector and the best by words.
SCORE_ALL = 5_000
BEST_BY_EACH = 300
# Rough memories of the last minutes pass the default threshold: they are what was said a moment ago.
FRESH, ROUGH_FLOOR = timedelta(minutes=10), 0.5
# Only this many of the ranked are compared for repeats; nobody gets more than 25 of a kind.
COMPARED = 120


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


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relativity: float


def search(project: Project, query: SearchQuery) -> list[Hit]:
    """The hits of all kinds, highest relativity first. Raises `KnowledgeBaseNotLinked`."""
    question = _understand(query)
    vector = _embed(query.text)
    with stage("candidates") as note, tenant_scope(project):
        cubes = readable_cubes(project, query.subject, query.knowledge_bases)
        candidates = _gather(cubes, query, question, vector)
        note["candidates"] = len(candidates)
    ranked = _rank(question, candidates, query, vector)
    chosen = _cut(ranked, candidates, query)
    return _load(project, cubes, chosen)


def _understand(query: SearchQuery) -> Question:
    with stage("understand") as note:
        question = understand(query.text, today=timezone.now())
        note.update(language=question.language, time_target=str(question.time_target))
        return question


def _embed(text: str) -> list[float]:
    with stage("embed") as note:
        note["model"] = embedder().name
        return embedder().embed_query(text)


def _gather(
    cubes: Readable, query: SearchQuery, question: Question, vector: list[float]
) -> list[tuple[Candidate, Kind]]:
    rows: list[tuple[Candidate, Kind]] = []
    for cube, narrowed in ((cubes.user, query.narrowed.user), (cubes.public, query.narrowed.public)):
        if cube is not None:
            allowed = _allowed(Memory.objects.within(cube), query, question).filter(narrowed)
            rows += _scored(_small_enough(allowed, question, vector), vector)
    return rows


def _allowed(memories: MemoryQuerySet, query: SearchQuery, question: Question) -> MemoryQuerySet:
    """Kinds that are asked for, and what holds today unless the question is about the past."""
    kinds = [Kind.FACT] * bool(query.facts) + [Kind.PREFERENCE] * bool(query.preferences)
    held = memories.recallable() if question.time_target == TimeTarget.BEFORE else memories.current()
    return held.filter(kind__in=kinds)


def _small_enough(memories: MemoryQuerySet, question: Question, vector: list[float]) -> MemoryQuerySet:
    """All rows of a cube of ordinary size; of a larger one those that could win by vector or by words."""
    if memories.values("pk")[SCORE_ALL : SCORE_ALL + 1].exists():
        alike = memories.filter(embedding_model=embedder().name)
        near = alike.order_by(CosineDistance("embedding", vector)).values_list("pk", flat=True)[:BEST_BY_EACH]
        return memories.filter(pk__in=[*near, *_best_by_words(memories, question)])
    return memories


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


COLUMNS = (
    "pk",
    "kind",
    "words",
    "cosine",
    "speaker",
    "conversation_key",
    "position",
    "text",
    "event_time",
    "valid_until",
    "confidence",
    "is_rough",
    "language",
    "created_at",
    "embedding_model",
)


def _scored(memories: MemoryQuerySet, vector: list[float]) -> list[tuple[Candidate, Kind]]:
    """The rows as the ranker sees them, newest embeddings only: like is compared with like."""
    name = embedder().name
    cosine = ExpressionWrapper(Value(1.0) - CosineDistance("embedding", vector), output_field=FloatField())
    same_width = memories.filter(Q(embedding_model=name))
    others = memories.exclude(embedding_model=name)
    rows = list(same_width.annotate(cosine=cosine).values_list(*COLUMNS))
    rows += list(others.annotate(cosine=Value(None, output_field=FloatField())).values_list(*COLUMNS))
    return [(_candidate(row), Kind(row[1])) for row in rows]


def _candidate(row: Sequence[Any]) -> Candidate:
    (pk, kind, words, cosine, speaker, conversation, position, text) = row[:8]
    (event_time, valid_until, confidence, is_rough, language, created_at, _) = row[8:]
    return Candidate(
        key=pk,
        kind=kind,
        terms=words,
        word_count=text.count(" ") + 1,
        cosine=cosine,
        speaker=speaker,
        conversation=conversation,
        position=position,
        is_asking=text.rstrip().endswith(("?", "？")),
        # How fresh a rough memory is counts from its arrival, whatever time its words are dated to.
        said_at=created_at if is_rough else event_time or created_at,
        event_time=event_time,
        valid_until=valid_until,
        confidence=confidence,
        is_rough=is_rough,
        language=language,
    )


def _rank(
    question: Question, rows: list[tuple[Candidate, Kind]], query: SearchQuery, vector: list[float]
) -> list[Ranked]:
    with stage("rank") as note:
        situation = Situation(
            now=timezone.now(),
            level=background().level(vector),
            conversation=query.conversation_id,
            rough_floor=ROUGH_FLOOR,
            running=FRESH,
        )
        ranked = rank(question, [candidate for candidate, _ in rows], situation)
        note["best"] = round(ranked[0].relativity, 4) if ranked else None
        return ranked


def _cut(ranked: list[Ranked], rows: list[tuple[Candidate, Kind]], query: SearchQuery) -> list[Ranked]:
    """Threshold, repeats, limits: each gate with its count."""
    by_key = {candidate.key: (candidate, kind) for candidate, kind in rows}
    with stage("cut") as note:
        relevant = [one for one in ranked if query.relativity == 0 or one.relativity >= query.relativity]
        note["below_threshold"] = len(ranked) - len(relevant)
        compared = relevant[:COMPARED]
        distinct = drop_repeats((one.key, by_key[one.key][0].terms) for one in compared)
        note["repeats"] = len(compared) - len(distinct)
        chosen = _limited([one for one in compared if one.key in distinct], by_key, query)
        note["returned"] = len(chosen)
        return chosen


def _limited(
    ranked: list[Ranked], by_key: dict[Any, tuple[Candidate, Kind]], query: SearchQuery
) -> list[Ranked]:
    room = {Kind.FACT: query.facts, Kind.PREFERENCE: query.preferences}
    chosen = []
    for one in ranked:
        kind = by_key[one.key][1]
        if room[kind] > 0:
            room[kind] -= 1
            chosen.append(one)
    return chosen


def _load(project: Project, cubes: Readable, chosen: list[Ranked]) -> list[Hit]:
    """The chosen memories whole, in the ranked order; counted as recalled."""
    if not chosen:
        return []
    with stage("load"), tenant_scope(project):
        mine = Memory.objects.within(cubes.all).filter(pk__in=[one.key for one in chosen])
        found = {memory.pk: memory for memory in mine.defer("embedding", "words", "words_vector")}
    recalls.put((Scope.of_project(project), list(found)))
    return [Hit(found[one.key], one.relativity) for one in chosen if one.key in found]
