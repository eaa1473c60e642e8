"""Orders candidates by how well they answer a question. The number they are ordered by is their `relativity`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from memories.engine.background import Level
from memories.evidence import Evidence, cosines, recency, statement_evidence, transcript_evidence
from memories.features import Array, Candidate, Table, TermStatistics, term_statistics
from memories.formulas import STATEMENT, STATEMENT_WORDS, TRANSCRIPT, TRANSCRIPT_WORDS, Formula
from memories.understand import Question, TimeTarget
from memories.values import Kind

Parts = dict[str, Array]

# Adjustments, on the logistic scale. They decide between memories that answer about equally well; only one that is
# no longer true is pushed below every threshold, unless the question is about the past. Chosen by hand: one stands
# for about a hundredth of cosine between statements.
_SAME_CONVERSATION = 1.0
# The age that neither helps nor harms is half a year.
_RECENT, _NEUTRAL_AGE = 0.8, 0.5
# A question for what was recent: the newest candidate gains, each halving of recency against it costs about 1.7.
_RECENT_WANTED, _NEWEST = 2.5, 0.8
_HALF_AS_RECENT = timedelta(days=180).total_seconds()
_ASSISTANT_SAID_IT = -1.0
_USUAL_CONFIDENCE, _DOUBT = 0.9, -1.5
_SUPERSEDED = {TimeTarget.BEFORE: 2.0, TimeTarget.ANY: -30.0, TimeTarget.NOW: -30.0}


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


class Ranked(NamedTuple):
    """`parts` add up to the logistic of the relativity, but for fresh rough memories, which are lifted."""

    key: Any
    relativity: float
    parts: dict[str, float]


def rank(
    question: Question, candidates: Sequence[Candidate], situation: Situation, limit: int = 200
) -> list[Ranked]:
    """The best candidates, best first. Equal ones keep the order they came in."""
    if not candidates:
        return []
    table = Table(candidates)
    words = term_statistics([candidate.terms for candidate in candidates], question.terms)
    parts = {
        **_answering(question, table, words, situation.level),
        **_adjustments(question, table, situation),
    }
    relativity = _lifted(_logistic(np.sum(list(parts.values()), axis=0)), table, situation)
    order = np.argsort(-relativity, kind="stable")[:limit]
    why = np.stack([values[order] for values in parts.values()], axis=1).round(3).tolist()
    return [
        Ranked(candidates[at].key, score, dict(zip(parts, reasons, strict=True)))
        for at, score, reasons in zip(order.tolist(), relativity[order].tolist(), why, strict=True)
    ]


def _answering(question: Question, table: Table, words: TermStatistics, level: Level) -> Parts:
    """What speaks for each candidate as an answer, lines of a talk and statements each by their own formulas."""
    cosine, is_known = cosines(table, level)
    is_line = _are_lines(table)
    parts: Parts = {}
    if is_line.any():
        evidence = transcript_evidence(question, table.of(is_line), cosine[is_line], words.of(is_line))
        _put(parts, is_line, _weighed(is_known[is_line], TRANSCRIPT, TRANSCRIPT_WORDS, evidence))
    if not is_line.all():
        evidence = statement_evidence(cosine[~is_line], words.of(~is_line))
        _put(parts, ~is_line, _weighed(is_known[~is_line], STATEMENT, STATEMENT_WORDS, evidence))
    return parts


def _are_lines(table: Table) -> Array:
    """Lines of a talk between named people, word for word."""
    is_spoken = [speaker not in ("", "assistant") for speaker in table.speakers]
    if not any(is_spoken):
        return np.zeros(len(table), dtype=bool)
    is_fact = [kind == Kind.FACT for kind in table.kinds]
    return np.array(is_spoken) & np.array(is_fact) & ~table.is_rough


def _weighed(is_known: Array, with_vector: Formula, words_only: Formula, evidence: Evidence) -> Parts:
    if is_known.all():
        return with_vector.parts(evidence)
    full, bare = with_vector.parts(evidence), words_only.parts(evidence)
    return {name: np.where(is_known, values, bare.get(name, 0.0)) for name, values in full.items()}


def _put(parts: Parts, chosen: Array, found: Parts) -> None:
    for name, values in found.items():
        parts.setdefault(name, np.zeros(len(chosen)))[chosen] = values


def _adjustments(question: Question, table: Table, situation: Situation) -> Parts:
    here = situation.conversation
    is_here = np.array([here != "" and name == here for name in table.conversations])
    moments = [event or said for event, said in zip(table.event_times, table.said_at, strict=True)]
    return {
        "conversation": _SAME_CONVERSATION * is_here,
        "recency": _recency(question, recency(moments, situation.now, _HALF_AS_RECENT)),
        "assistant": _ASSISTANT_SAID_IT * np.array([speaker == "assistant" for speaker in table.speakers]),
        "confidence": _DOUBT * np.maximum(0.0, _USUAL_CONFIDENCE - table.confidence),
        "superseded": _SUPERSEDED[question.time_target] * _are_over(table, situation.now),
    }


def _recency(question: Question, recent: Array) -> Array:
    if question.wants_recent:
        return np.asarray(_NEWEST + _RECENT_WANTED * np.log(recent / recent.max()))
    return _RECENT * (recent - _NEUTRAL_AGE)


def _are_over(table: Table, now: datetime) -> Array:
    return np.array([until is not None and until <= now for until in table.valid_until])


def _logistic(score: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def _lifted(relativity: Array, table: Table, situation: Situation) -> Array:
    """Fresh rough memories above the floor, still in their own order."""
    if not table.is_rough.any():
        return relativity
    earliest = situation.now - situation.running
    is_new = np.array([said_at is not None and said_at >= earliest for said_at in table.said_at])
    is_here = np.array([name != "" and name == situation.conversation for name in table.conversations])
    lifted = situation.rough_floor + (1 - situation.rough_floor) * relativity
    return np.where(table.is_rough & (is_new | is_here), lifted, relativity)
