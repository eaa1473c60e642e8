"""Scores candidates by how well they answer a question.

A candidate's parts are log-odds; their sum is the logit of its `relativity`, a calibrated probability from 0 to 1
(Platt 1999): `relativity = 1 / (1 + exp(-sum(parts)))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from memories.engine.background_similarity import Nearness
from memories.retrieval.queries.parser import Question, TimeTarget
from memories.retrieval.ranking.evidence import (
    Evidence,
    FormEvidence,
    passage_evidence,
    recency_of,
    skill_evidence,
    statement_evidence,
    transcript_evidence,
    with_means,
)
from memories.retrieval.ranking.features import (
    ASSISTANT,
    LEAST_PASSAGES,
    Floats,
    Integers,
    Mask,
    Objects,
    Pool,
    Table,
)
from memories.retrieval.ranking.formulas import (
    PASSAGE,
    PASSAGE_WORDS,
    SKILL,
    SKILL_WORDS,
    STATEMENT,
    STATEMENT_WORDS,
    TRANSCRIPT,
    TRANSCRIPT_WORDS,
    Formula,
)

# Log-odds by name of the part, each float64 of shape (n,).
Parts = dict[str, Floats]

# Adjustments in log-odds, chosen by hand. They decide between memories that answer about equally well (1.0 is worth
# less than 0.01 of cosine between statements); only superseded memories fall below every threshold, unless the question
# is about the past.
_SAME_CONVERSATION = 1.0
# Recency boost: zero at an age of half a year.
_RECENT, _NEUTRAL_AGE = 0.8, 0.5
# Questions for what was recent: the newest answer gains `_NEWEST`, and each halving of recency against it costs
# 5 ln 2 = 3.5: two answers of one kind may differ by that much by their words alone.
_RECENT_WANTED, _NEWEST = 5.0, 0.8
_HALF_AS_RECENT = timedelta(days=180).total_seconds()  # seconds
_ASSISTANT_SAID_IT = -1.0
_USUAL_CONFIDENCE, _DOUBT = 0.9, -1.5
# Statements about the current topic (see `topic_boost`): decides where the question does not.
_TOPIC_BOOST = 1.3
# Statements that share no word with a question that names no person.
_OF_NOBODY = -1.5
# Statements of the very state that is asked for, however they are worded.
_STATE_ASKED = 1.5
# Corrections in a knowledge base: they rank before documents on the same subject, which may be outdated.
_CORRECTION = 2.5
# Memories with the exact reference of the question, such as an invoice number.
_REFERENCE = 8.0
_SUPERSEDED = {TimeTarget.BEFORE: 2.0, TimeTarget.ANY: -30.0, TimeTarget.NOW: -30.0}


@dataclass(frozen=True, slots=True)
class Situation:
    """What the ranker knows besides the question's words.

    Raw memories (not yet refined) of the running conversation or of the last minutes have no vector yet. They get at
    least the relativity `raw_floor`, so that what was just said is found by any question.
    """

    now: datetime
    conversation: str = ""
    raw_floor: float = 0.5
    running: timedelta = timedelta(minutes=10)


class Ranked(NamedTuple):
    """One ranked candidate: its relativity (0 to 1) and the log-odds it is made of.

    `parts` add up to the logit of the relativity, except for candidates raised to the floor: fresh raw memories, and
    answers to questions for what was recent.
    """

    key: Any
    relativity: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Order:
    """All candidates with their scores, unsorted; `best` sorts.

    `keys` and `relativity` have shape (n,). The first `own` candidates belong to no knowledge base.
    """

    keys: Objects
    relativity: Floats
    parts: Parts
    own: int

    @classmethod
    def joined(cls, orders: Sequence[Order]) -> Order:
        """Concatenate orders: relativities are calibrated, hence comparable between sources."""
        if len(orders) == 1:
            return orders[0]
        names = list(dict.fromkeys(name for order in orders for name in order.parts))
        parts = {
            name: np.concatenate([order.parts.get(name, np.zeros(len(order))) for order in orders])
            for name in names
        }
        keys = np.concatenate([order.keys for order in orders])
        return cls(keys, np.concatenate([order.relativity for order in orders]), parts, orders[0].own)

    def __len__(self) -> int:
        return len(self.keys)

    def best(self, limit: int) -> list[Ranked]:
        """The best candidates, highest relativity first; stable for equal ones."""
        return self._shown(np.argsort(-self.relativity, kind="stable")[:limit])

    def best_own(self, limit: int) -> list[Ranked]:
        """The best candidates that belong to no knowledge base."""
        return self._shown(np.argsort(-self.relativity[: self.own], kind="stable")[:limit])

    def _shown(self, first: Integers) -> list[Ranked]:
        if not len(first):
            return []
        why = np.stack([values[first] for values in self.parts.values()], axis=1).round(3).tolist()
        scores = self.relativity[first].tolist()
        return [
            Ranked(key, score, dict(zip(self.parts, reasons, strict=True)))
            for key, score, reasons in zip(self.keys[first].tolist(), scores, why, strict=True)
        ]

    @property
    def top(self) -> float:
        return float(self.relativity.max())

    def passing(self, threshold: float) -> int:
        """How many candidates have at least this relativity."""
        return int((self.relativity >= threshold).sum())

    def passing_own(self, threshold: float) -> int:
        """The same for those that belong to no knowledge base."""
        return int((self.relativity[: self.own] >= threshold).sum())


@dataclass(frozen=True, slots=True)
class Form:
    """The candidates of one form (mask `chosen`), with the formulas for those with a vector and for those without."""

    chosen: Mask
    features: FormEvidence
    with_vector: Formula
    words_only: Formula
    # Lines of conversations are compared with the question as it is, the others with its distinctive part.
    is_talk: bool = False

    def parts(self, nearness: Nearness, is_known: Mask) -> Parts:
        cosine = nearness.plain if self.is_talk else nearness.aimed
        evidence = self.features.evidence(cosine[self.chosen])
        return _weighed(is_known[self.chosen], self.with_vector, self.words_only, evidence)


class Ranking:
    """The candidates of one search with all features that need no embedding, which is computed meanwhile."""

    def __init__(self, question: Question, pool: Pool, situation: Situation) -> None:
        self._question, self._pool, self._situation = question, pool, situation
        self._forms = _forms(question, pool) if len(pool) else []
        self._adjustments = _adjustments(question, pool, situation) if len(pool) else {}
        self._is_fresh = _is_fresh(pool.table, situation)

    def order(self, nearness: Nearness) -> Order:
        """Score each candidate. `nearness` has shape (n,), NaN for candidates without a vector of the query's model."""
        pool, question, situation = self._pool, self._question, self._situation
        if not len(pool):
            return Order(pool.table.keys, np.zeros(0), {}, 0)
        parts = {**self._answering(nearness), **self._adjustments}
        is_answer = _logistic(_sum(parts)) >= situation.raw_floor
        parts["recency"] = _recency(question, pool.table, situation, is_answer)
        is_kept = self._is_fresh
        if question.wants_recent:  # the newest first, without dropping answers
            is_kept = is_kept | (is_answer & _has_recency(pool.table))
        relativity = _raised(_logistic(_sum(parts)), is_kept, situation.raw_floor)
        return Order(pool.table.keys, relativity, parts, len(pool))

    def _answering(self, nearness: Nearness) -> Parts:
        """The parts of each candidate by the formulas of its form."""
        is_known = ~np.isnan(nearness.plain)
        nearness = Nearness(with_means(nearness.plain), with_means(nearness.aimed))
        parts: Parts = {}
        for form in self._forms:
            _put(parts, form.chosen, form.parts(nearness, is_known))
        return parts


def rank_candidates(question: Question, pool: Pool, situation: Situation, nearness: Nearness) -> Order:
    """Score each candidate by how well it answers the question."""
    return Ranking(question, pool, situation).order(nearness)


def _sum(parts: Parts) -> Floats:
    return np.asarray(np.sum(list(parts.values()), axis=0))


def _forms(question: Question, pool: Pool) -> list[Form]:
    (is_line, its_lines), (is_passage, its_passages) = pool.table.lines, pool.table.passages
    is_skill, its_skills = pool.table.skills
    is_statement = ~(is_line | is_passage | is_skill)
    forms = []
    if is_line.any():
        features = transcript_evidence(question, its_lines, pool.words().of(is_line))
        forms.append(Form(is_line, features, TRANSCRIPT, TRANSCRIPT_WORDS, is_talk=True))
    if is_passage.any():
        features = passage_evidence(question, its_passages, pool.words(LEAST_PASSAGES).of(is_passage))
        forms.append(Form(is_passage, features, PASSAGE, PASSAGE_WORDS))
    if is_skill.any():
        features = skill_evidence(question, its_skills, pool.words(LEAST_PASSAGES).of(is_skill))
        forms.append(Form(is_skill, features, SKILL, SKILL_WORDS))
    if is_statement.any():
        features = statement_evidence(pool.words().of(is_statement))
        forms.append(Form(is_statement, features, STATEMENT, STATEMENT_WORDS))
    return forms


def _weighed(is_known: Mask, with_vector: Formula, words_only: Formula, evidence: Evidence) -> Parts:
    if is_known.all():
        return with_vector.parts(evidence)
    full, bare = with_vector.parts(evidence), words_only.parts(evidence)
    return {name: np.where(is_known, values, bare.get(name, 0.0)) for name, values in full.items()}


def _put(parts: Parts, chosen: Mask, found: Parts) -> None:
    for name, values in found.items():
        parts.setdefault(name, np.zeros(len(chosen)))[chosen] = values


def _adjustments(question: Question, pool: Pool, situation: Situation) -> Parts:
    table = pool.table
    now = situation.now.timestamp()
    is_passage = table.passages[0]
    return {
        "conversation": np.where(_are_here(table, situation) & ~is_passage, _SAME_CONVERSATION, 0.0),
        "assistant": np.where(table.speakers.are(ASSISTANT), _ASSISTANT_SAID_IT, 0.0),
        "confidence": _DOUBT * np.maximum(0.0, _USUAL_CONFIDENCE - table.confidence),
        "topic": _TOPIC_BOOST * table.topic_boost * ~table.lines[0],
        "state": np.where(_describes_state(question.states, table), _STATE_ASKED, 0.0),
        "told": np.where(table.is_correction, _CORRECTION, 0.0),
        "superseded": np.where(table.valid_until <= now, _SUPERSEDED[question.time_target], 0.0),
        **_referred(question, table),
        **_of_nobody(question, pool),
    }


def _referred(question: Question, table: Table) -> Parts:
    """A share of the weight for each of the question's references that a candidate contains."""
    if not question.references:
        return {}
    said = [table.contains_phrase(reference) for reference in question.references]
    return {"reference": _REFERENCE * np.mean(said, axis=0)}


def _describes_state(states: Sequence[str], table: Table) -> Mask:
    found = np.zeros(len(table), dtype=bool)
    for state in states:
        found |= table.slots.are(state)
    return found


def _of_nobody(question: Question, pool: Pool) -> Parts:
    if not question.is_of_nobody or not question.terms:
        return {}
    is_statement = ~(pool.table.lines[0] | pool.table.passages[0] | pool.table.skills[0])
    # Texts in different languages never share words.
    is_other = is_statement & ~pool.table.is_chinese & ~(pool.counts > 0).any(axis=1)
    return {"subject": _OF_NOBODY * is_other}


def _are_here(table: Table, situation: Situation) -> Mask:
    here = situation.conversation
    return table.conversations.are(here) if here else np.zeros(len(table), dtype=bool)


def _recency(question: Question, table: Table, situation: Situation, is_answer: Mask) -> Floats:
    """The recency part. `is_answer` marks rows whose other parts already pass the floor."""
    timestamps = np.where(np.isnan(table.event_times), table.said_at, table.event_times)
    recent = recency_of(timestamps, situation.now.timestamp(), _HALF_AS_RECENT)
    plain = _RECENT * (recent - _NEUTRAL_AGE)
    counts = _has_recency(table)
    if not question.wants_recent or not counts.any():
        return plain
    asked_for = counts & is_answer
    newest = recent[asked_for if asked_for.any() else counts].max()
    # Rows that are newer but no answers count as no more recent than the newest answer.
    return np.where(counts, _NEWEST + _RECENT_WANTED * np.log(np.minimum(1.0, recent / newest)), plain)


def _has_recency(table: Table) -> Mask:
    """Mark rows whose age counts: not passages and skills, whose times are those of an upload."""
    return np.asarray(~(table.passages[0] | table.skills[0]))


def _logistic(log_odds: Floats) -> Floats:
    """Log-odds to probabilities; clipped, so that `exp` cannot overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


def _is_fresh(table: Table, situation: Situation) -> Mask:
    """Mark raw memories of the running conversation or of the last minutes."""
    is_new = table.said_at >= (situation.now - situation.running).timestamp()
    return np.asarray(table.is_rough & (is_new | _are_here(table, situation)))


def _raised(relativity: Floats, is_kept: Mask, floor: float) -> Floats:
    """Map the relativities of the kept candidates from 0..1 to floor..1, in their own order."""
    return np.where(is_kept, floor + (1 - floor) * relativity, relativity)
