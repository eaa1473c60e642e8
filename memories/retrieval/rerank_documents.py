"""Reranking of documents for a query: by a configured model, else by words and embeddings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from django.utils import timezone

from memories.engine import get_embedder, get_reranker
from memories.engine.calibration.background_similarity import load_background
from memories.engine.metering import metering_usage_later
from memories.engine.protocols import ProviderUnavailable
from memories.retrieval.queries.parser import Question, extract_content_terms
from memories.retrieval.queries.references import find_references
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import Candidate, CandidateTable, Pool
from memories.retrieval.ranking.ranker import rank_candidates
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import remove_terms, search_terms
from memories.values import MemoryKind
from tenancy.errors import SearchUnavailable
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tenancy.requests.trace import trace_stage

# The name of the order by words and meaning, for clients.
LOCAL = "local-rerank-1"
# A term that more than this share of the documents contain is ignored.
SHARED = 0.5
# Logistic function from the ranker's log-odds to a score (Platt scaling; Platt 1999). The ranker separates related from
# unrelated texts, and documents that were selected for a query all lie at its upper end: these spread them out. On
# `benchmarks/search/rerank_pairs.json` answers get 0.80 in the median, other documents about the same 0.50, and
# unrelated ones 0.14.
_MIDDLE, _SLOPE = 2.0, 1 / 3


@dataclass(frozen=True, slots=True)
class Placed:
    """A document's index in the request, and its score from 0 to 1."""

    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Reranked:
    """The documents, best first, and the name of the engine that ordered them."""

    placed: list[Placed]
    engine: str


def rerank_documents(project: Project, query: str, documents: Sequence[str]) -> Reranked:
    """Score and sort the documents, best first. Raises `SearchUnavailable` while neither engine answers."""
    with trace_stage("rerank") as note, metering_usage_later(Scope.of_project(project)):
        scores, engine = _ask_model(query, documents) or (score_documents(query, documents), LOCAL)
        note.update(engine=engine, documents=len(documents))
    placed = [Placed(index, score) for index, score in enumerate(scores)]
    return Reranked(sorted(placed, key=lambda result: -result.score), engine)


def _ask_model(query: str, documents: Sequence[str]) -> tuple[list[float], str] | None:
    """The configured model's scores and its name; None where there is no model, or it did not answer in time."""
    engine = get_reranker()
    scores = engine.rerank(query, documents).scores if engine else ()
    return ([min(1.0, max(0.0, score)) for score in scores], engine.name) if engine and scores else None


def score_documents(query: str, documents: Sequence[str]) -> list[float]:
    """Score how well each document answers, from 0 to 1, by the formula for statements of a search.

    Words that most of the documents share decide nothing. Raises `SearchUnavailable`.
    """
    words = [search_terms(document) for document in documents]
    asked = remove_terms(query, _find_shared_terms(words))
    try:
        vector = get_embedder().embed_query(asked)
        vectors = get_embedder().embed_passages(documents)
    except ProviderUnavailable as error:
        raise SearchUnavailable("the texts could not be embedded") from error
    language = detect_language(query)
    table = CandidateTable(
        [
            Candidate(
                place,
                MemoryKind.FACT,
                " ".join(terms),
                len(document.split()),
                language=detect_language(document),
            )
            for place, (document, terms) in enumerate(zip(documents, words, strict=True))
        ]
    )
    question = Question(asked, language, extract_content_terms(asked), references=find_references(query))
    pool = Pool(table, table.count_terms(question.terms))
    nearness = load_background().compute_nearness(
        asked, vector, language, passages=np.array(vectors), is_chinese=table.is_chinese
    )
    # Documents are of anything: what was fitted on statements about a person would call general questions unrelated. On
    # `benchmarks/search/rerank_pairs.json` both orders put as many answers first.
    nearness = nearness._replace(calibrated=None)
    order = rank_candidates(question, pool, Situation(timezone.now()), nearness)
    log_odds = np.sum(list(order.parts.values()), axis=0)
    scores: list[float] = (1 / (1 + np.exp(_SLOPE * (_MIDDLE - log_odds)))).tolist()
    return scores


def _find_shared_terms(words: Sequence[Sequence[str]]) -> Set[str]:
    """The terms that more than half of the documents have; of a single document, none."""
    held = Counter(term for terms in words for term in set(terms))
    return {term for term, count in held.items() if count > 1 and count > SHARED * len(words)}
