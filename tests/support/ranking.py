"""Memories to be ranked, with the real embedder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.engine.calibration.background_similarity import Nearness
from memories.retrieval.queries.parser import parse_question
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import Candidate, CandidateTable, Pool
from memories.retrieval.ranking.ranker import Ranked, rank_candidates
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def memory(text: str, **properties: object) -> Candidate:
    """A memory without vector whose key is its text."""
    plain = Candidate(
        key=text,
        kind=MemoryKind.FACT,
        terms=" ".join(search_terms(text)),
        word_count=text.count(" ") + 1,
        is_asking="?" in text,
        said_at=(NOW - timedelta(days=100)).timestamp(),
        language=detect_language(text),
    )
    properties = {n: v.timestamp() if isinstance(v, datetime) else v for n, v in properties.items()}
    return plain._replace(**properties)  # type: ignore[arg-type]


def rank_by_words(text: str, memories: list[Candidate], **situation: object) -> list[Ranked]:
    known = Situation(now=NOW, **situation)  # type: ignore[arg-type]
    return ranked(text, memories, Nearness.unknown(len(memories)), known)


def ranked(
    text: str, memories: list[Candidate], near: Nearness, known: Situation, limit: int = 200
) -> list[Ranked]:
    question = parse_question(text, NOW)
    pool = Pool(CandidateTable(memories), CandidateTable(memories).count_terms(question.terms))
    return rank_candidates(question, pool, known, near).list_best(limit)
