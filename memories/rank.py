"""Orders candidates by how well they answer a question. The number they are ordered by is their `relativity`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from memories.engine.background import Level
from memories.evidence import cosines, statement_evidence, transcript_evidence
from memories.features import Array, Candidate, TermStatistics, term_statistics
from memories.formulas import STATEMENT, STATEMENT_WORDS, TRANSCRIPT, TRANSCRIPT_WORDS, Formula
from memories.understand import Question, TimeTarget
from memories.values import Kind

Parts = dict[str, Array]

# Adjustments, on the logistic scale. They decide between memories that answer about equally well; only one that is
# no longer true is pushed below every threshold, unless the question is about the past.
_SAME_CONVERSATION = 0.4
_RECENCY, _RECENCY_WANTED = 0.3, 1.5
_HALF_AS_RECENT = timedelta(days=180)
_ASSISTANT_SAID_IT = -0.8
_DOUBT = -1.5
_SUPERSEDED = {TimeTarget.BEFORE: 1.5, TimeTarget.ANY: -4.0, TimeTarget.NOW: -5.0}


@dataclass(frozen=True, slots=True)
class Situation:
    """What the ranker knows besides the question's words.

    Rough memories of the running conversation, or of the last minutes, have no vector yet; they get at least
    `rough_floor`, because what was just said must be found whatever it is asked with.
    """

    now: datetime
    level: Level
    conversation: str = ""
    rough_floor: float = 0.5
    running: timedelta = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Ranked:
    key: Any
    relativity: float
    parts: dict[str, float]


def rank(
    question: Question, candidates: Sequence[Candidate], situation: Situation, limit: int = 200
) -> list[Ranked]:
    """The best candidates, best first. Equal ones keep the order they came in."""
    if not candidates:
        return []
    parts = _weighed(question, candidates, situation)
    relativity = _lifted(_logistic(sum(parts.values())), candidates, situation)
    order = np.argsort(-relativity, kind="stable")[:limit]
    return [
        Ranked(
            candidates[at].key,
            float(relativity[at]),
            {name: round(float(values[at]), 3) for name, values in parts.items()},
        )
        for at in order
    ]


def _weighed(question: Question, candidates: Sequence[Candidate], situation: Situation) -> Parts:
    words = term_statistics([candidate.terms for candidate in candidates], question.terms)
    cosine, is_known = cosines(candidates, situation.level)
    is_line = np.array([_is_transcript_line(candidate) for candidate in candidates])
    parts: Parts = {}
    for chosen, score in ((is_line, _score_lines), (~is_line, _score_statements)):
        if chosen.any():
            rows = [candidates[at] for at in np.flatnonzero(chosen)]
            scored = score(question, rows, cosine[chosen], is_known[chosen], words.of(chosen))
            for name, values in scored.items():
                parts.setdefault(name, np.zeros(len(candidates)))[chosen] = values
    return {**parts, **_adjustments(question, candidates, situation)}


def _is_transcript_line(candidate: Candidate) -> bool:
    is_named = candidate.speaker not in ("", "assistant")
    return is_named and candidate.kind == Kind.FACT and not candidate.is_rough


def _score_lines(
    question: Question, rows: Sequence[Candidate], cosine: Array, is_known: Array, words: TermStatistics
) -> Parts:
    evidence = transcript_evidence(question, rows, cosine, words)
    return _chosen(is_known, TRANSCRIPT, TRANSCRIPT_WORDS, evidence)


def _score_statements(
    question: Question, rows: Sequence[Candidate], cosine: Array, is_known: Array, words: TermStatistics
) -> Parts:
    return _chosen(is_known, STATEMENT, STATEMENT_WORDS, statement_evidence(cosine, words))


def _chosen(is_known: Array, with_vector: Formula, words_only: Formula, evidence: dict[str, Array]) -> Parts:
    full, bare = with_vector.parts(evidence), words_only.parts(evidence)
    nothing = np.zeros(len(is_known))
    parts = {
        name: np.where(is_known, full.get(name, nothing), bare.get(name, nothing))
        for name in {**full, **bare}
    }
    parts["start"] = np.where(is_known, with_vector.intercept, words_only.intercept)
    return parts


def _adjustments(question: Question, candidates: Sequence[Candidate], situation: Situation) -> Parts:
    here = situation.conversation
    return {
        "conversation": _SAME_CONVERSATION
        * np.array([here != "" and c.conversation == here for c in candidates]),
        "recency": (_RECENCY_WANTED if question.wants_recent else _RECENCY)
        * _recency(candidates, situation.now),
        "assistant": _ASSISTANT_SAID_IT * np.array([c.speaker == "assistant" for c in candidates]),
        "confidence": _DOUBT * np.array([max(0.0, 0.9 - c.confidence) for c in candidates]),
        "superseded": _SUPERSEDED[question.time_target]
        * np.array([_is_over(c, situation.now) for c in candidates]),
    }


def _recency_weight(question: Question) -> float:
    return _RECENCY_WANTED if question.wants_recent else _RECENCY


def _is_over(candidate: Candidate, now: datetime) -> bool:
    return candidate.valid_until is not None and candidate.valid_until <= now


def _recency(candidates: Sequence[Candidate], now: datetime) -> Array:
    """1 for today, a half after half a year, and never quite 0: years ago are still told apart."""
    today = now.timestamp()
    moments = np.array([_moment(candidate, now).timestamp() for candidate in candidates])
    age = np.maximum(0.0, today - moments)
    return _HALF_AS_RECENT.total_seconds() / (_HALF_AS_RECENT.total_seconds() + age)


def _moment(candidate: Candidate, now: datetime) -> datetime:
    return candidate.event_time or candidate.said_at or now


def _logistic(score: Array | float) -> Array:
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


def _lifted(relativity: Array, candidates: Sequence[Candidate], situation: Situation) -> Array:
    """Fresh rough memories above the floor, still in their own order."""
    is_fresh = np.array([candidate.is_rough and _is_fresh(candidate, situation) for candidate in candidates])
    floor = situation.rough_floor
    return np.where(is_fresh, floor + (1 - floor) * relativity, relativity)


def _is_fresh(candidate: Candidate, situation: Situation) -> bool:
    if situation.conversation and candidate.conversation == situation.conversation:
        return True
    return candidate.said_at is not None and situation.now - candidate.said_at <= situation.running
