"""What matters to the question, from the cubes the caller may read.

Understand the question, embed it once, gather candidates with their cosines and words inside the allowed cubes
and filters, rank them by one calibrated number, drop repeats, cut to the limits. Each gate leaves its counts in
the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Case, Field, FloatField, Func, Value, When
from django.utils import timezone
from pgvector.django import CosineDistance

from memories.cubes import Readable, readable_cubes
from memories.dedupe import drop_repeats
from memories.engine import embedder
from memories.engine.background import Level, background
from memories.engine.protocols import ProviderUnavailable
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
# The kinds that have a limit of their own, in the order of their limits.
LIMITED = (Kind.FACT, Kind.PREFERENCE)


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
    """The hits, kind by kind, each highest relativity first. Raises `KnowledgeBaseNotLinked`."""
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


def _embed(text: str) -> list[float] | None:
    """None while a remote provider is away: words alone must do then, and the trace says so."""
    with stage("embed") as note:
        note["model"] = embedder().name
        try:
            return embedder().embed_query(text)
        except ProviderUnavailable:
            note["unavailable"] = True
            return None


def _gather(
    cubes: Readable, query: SearchQuery, question: Question, vector: list[float] | None
) -> list[Candidate]:
    rows: list[Candidate] = []
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


def _small_enough(memories: MemoryQuerySet, question: Question, vector: list[float] | None) -> MemoryQuerySet:
    """All rows of a cube of ordinary size; of a larger one those that could win by vector or by words."""
    if memories.values("pk")[SCORE_ALL : SCORE_ALL + 1].exists():
        return memories.filter(
            pk__in=[*_best_by_vector(memories, vector), *_best_by_words(memories, question)]
        )
    return memories


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


class _Seconds(Func):
    """A time as seconds: the driver takes longer over a thousand timestamps than the database over the search."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"
    output_field = Field()  # a FloatField would call float() on every float


COLUMNS = (
    "pk",
    "kind",
    "words",
    "cosine",
    "speaker",
    "conversation_key",
    "position",
    "text",
    "confidence",
    "is_rough",
    "language",
    _Seconds("event_time"),
    _Seconds("valid_until"),
    _Seconds("created_at"),
)
_KINDS = {kind.value: kind for kind in Kind}


def _scored(memories: MemoryQuerySet, vector: list[float] | None) -> list[Candidate]:
    """The rows as the ranker sees them. Vectors of another model have no cosine: like is compared with like."""
    cosine: Any = Value(None, output_field=FloatField())
    if vector is not None:
        alike = When(embedding_model=embedder().name, then=Value(1.0) - CosineDistance("embedding", vector))
        cosine = Case(alike, output_field=Field())
    return [_candidate(row) for row in memories.annotate(cosine=cosine).values_list(*COLUMNS)]


def _candidate(row: Sequence[Any]) -> Candidate:
    (pk, kind, words, cosine, speaker, conversation, position, text) = row[:8]
    (confidence, is_rough, language, happened, over, made) = row[8:]
    event_time, valid_until, created_at = _moment(happened), _moment(over), _moment(made)
    # How fresh a rough memory is counts from its arrival, whatever time its words are dated to.
    said_at = created_at if is_rough else event_time or created_at
    words_in_it, is_asking = text.count(" ") + 1, "?" in text or "？" in text
    what = (pk, _KINDS[kind], words, words_in_it, cosine, speaker, conversation, position, is_asking)
    return Candidate(*what, said_at, event_time, valid_until, confidence, is_rough, language)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _rank(
    question: Question, rows: list[Candidate], query: SearchQuery, vector: list[float] | None
) -> list[list[Ranked]]:
    """One order a kind, so that many lines of one kind cannot crowd out the few of another."""
    with stage("rank") as note:
        situation = Situation(
            now=timezone.now(),
            level=background().level(vector) if vector else Level(),
            conversation=query.conversation_id,
            rough_floor=ROUGH_FLOOR,
            running=FRESH,
        )
        orders = [rank(question, [row for row in rows if row.kind == kind], situation) for kind in LIMITED]
        note["best"] = [round(order[0].relativity, 4) if order else None for order in orders]
        return orders


def _cut(orders: list[list[Ranked]], rows: list[Candidate], query: SearchQuery) -> list[Ranked]:
    """Threshold, repeats, limits: each gate with its count."""
    terms_of = {candidate.key: candidate.terms for candidate in rows}
    with stage("cut") as note:
        chosen: list[Ranked] = []
        note.update(below_threshold=0, repeats=0, over_limit=0)
        for order, limit in zip(orders, (query.facts, query.preferences), strict=True):
            relevant = [one for one in order if query.relativity == 0 or one.relativity >= query.relativity]
            kept = drop_repeats((one.key, terms_of[one.key]) for one in relevant)
            distinct = [one for one in relevant if one.key in kept]
            chosen += distinct[:limit]
            note["below_threshold"] += len(order) - len(relevant)
            note["repeats"] += len(relevant) - len(distinct)
            note["over_limit"] += max(0, len(distinct) - limit)
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
