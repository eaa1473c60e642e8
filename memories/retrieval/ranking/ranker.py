"""Orders candidates by how well they answer a question. The number they are ordered by is their `relativity`."""

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
from memories.retrieval.ranking.features import ASSISTANT, LEAST_PASSAGES, Array, Pool, Table
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

Parts = dict[str, Array]

# Adjustments, on the logistic scale. They decide between memories that answer about equally well; only one that is
# no longer true is pushed below every threshold, unless the question is about the past. Chosen by hand: one stands
# for less than a hundredth of cosine between statements.
_SAME_CONVERSATION = 1.0
# The age that neither helps nor harms is half a year.
_RECENT, _NEUTRAL_AGE = 0.8, 0.5
# A question for what was recent: the newest of those that answer it gains, each halving of recency against that one
# costs about three and a half: two answers of one kind may lie that far apart by their words alone.
_RECENT_WANTED, _NEWEST = 5.0, 0.8
_HALF_AS_RECENT = timedelta(days=180).total_seconds()
_ASSISTANT_SAID_IT = -1.0
_USUAL_CONFIDENCE, _DOUBT = 0.9, -1.5
# Statements about the present topic: it decides where the question does not.
_TOPIC_BOOST = 1.3
# A question in which nobody is, and a statement about the user that has no word of it.
_OF_NOBODY = -1.5
# A statement that tells the very state that is asked for, however it is worded.
_STATE_ASKED = 1.5
# What people put right in a knowledge base, before documents that say about the same: they may say the old.
_FROM_FEEDBACK = 2.5
# The very reference that was asked for: it outweighs what is merely about the same matter.
_REFERENCE = 8.0
_SUPERSEDED = {TimeTarget.BEFORE: 2.0, TimeTarget.ANY: -30.0, TimeTarget.NOW: -30.0}


@dataclass(frozen=True, slots=True)
class Situation:
    """What the ranker knows besides the question's words.

    Rough memories of the running conversation, or of the last minutes, have no vector yet; they get at least
    `rough_floor`, because what was just said must be found whatever it is asked with.
    """

    now: datetime
    conversation: str = ""
    rough_floor: float = 0.5
    running: timedelta = timedelta(minutes=10)


class Ranked(NamedTuple):
    """`parts` add up to the logistic of the relativity, but for what is lifted: fresh rough memories, and answers to a
    question for what was recent."""

    key: Any
    relativity: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Order:
    """All candidates with what they scored, best first only where somebody looks. The first `own` of them are of no
    knowledge base."""

    keys: Array
    relativity: Array
    parts: Parts
    own: int

    @classmethod
    def joined(cls, orders: Sequence[Order]) -> Order:
        """One order of several; each scores its own, which is what makes them comparable."""
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
        """The first ones. Equal ones keep the order they came in."""
        return self._shown(np.argsort(-self.relativity, kind="stable")[:limit])

    def best_own(self, limit: int) -> list[Ranked]:
        """The first ones that are of no knowledge base."""
        return self._shown(np.argsort(-self.relativity[: self.own], kind="stable")[:limit])

    def _shown(self, first: Array) -> list[Ranked]:
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
        return int((self.relativity >= threshold).sum())

    def passing_own(self, threshold: float) -> int:
        return int((self.relativity[: self.own] >= threshold).sum())


@dataclass(frozen=True, slots=True)
class Form:
    """The candidates of one form, with the formulas for those with a vector and for those without."""

    chosen: Array
    hearing: FormEvidence
    with_vector: Formula
    words_only: Formula
    # Lines of a talk go by the question as it is.
    is_talk: bool = False

    def parts(self, nearness: Nearness, is_known: Array) -> Parts:
        cosine = nearness.plain if self.is_talk else nearness.aimed
        evidence = self.hearing.evidence(cosine[self.chosen])
        return _weighed(is_known[self.chosen], self.with_vector, self.words_only, evidence)


class Ranking:
    """The candidates of one search, with all that speaks for them but the question's meaning: that is still on its way
    while this is made."""

    def __init__(self, question: Question, pool: Pool, situation: Situation) -> None:
        self._question, self._pool, self._situation = question, pool, situation
        self._forms = _forms(question, pool) if len(pool) else []
        self._adjustments = _adjustments(question, pool, situation) if len(pool) else {}
        self._is_fresh = _is_fresh(pool.table, situation)

    def order(self, nearness: Nearness) -> Order:
        """Each candidate scored by how well it answers; `nearness` is NaN without a vector of the query's model."""
        pool, question, situation = self._pool, self._question, self._situation
        if not len(pool):
            return Order(pool.table.keys, np.zeros(0), {}, 0)
        parts = {**self._answering(nearness), **self._adjustments}
        is_answer = _logistic(_sum(parts)) >= situation.rough_floor
        parts["recency"] = _recency(question, pool.table, situation, is_answer)
        is_kept = self._is_fresh
        if question.wants_recent:  # the newest first, but none that answers is lost
            is_kept = is_kept | (is_answer & _has_recency(pool.table))
        relativity = _lifted(_logistic(_sum(parts)), is_kept, situation.rough_floor)
        return Order(pool.table.keys, relativity, parts, len(pool))

    def _answering(self, nearness: Nearness) -> Parts:
        """What speaks for each candidate as an answer; each form by its own formulas."""
        is_known = ~np.isnan(nearness.plain)
        nearness = Nearness(with_means(nearness.plain), with_means(nearness.aimed))
        parts: Parts = {}
        for form in self._forms:
            _put(parts, form.chosen, form.parts(nearness, is_known))
        return parts


def rank_candidates(question: Question, pool: Pool, situation: Situation, nearness: Nearness) -> Order:
    """Scores each candidate by how well it answers the question."""
    return Ranking(question, pool, situation).order(nearness)


def _sum(parts: Parts) -> Array:
    return np.asarray(np.sum(list(parts.values()), axis=0))


def _forms(question: Question, pool: Pool) -> list[Form]:
    (is_line, its_lines), (is_passage, its_passages) = pool.table.lines, pool.table.passages
    is_skill, its_skills = pool.table.skills
    is_statement = ~(is_line | is_passage | is_skill)
    forms = []
    if is_line.any():
        heard = transcript_evidence(question, its_lines, pool.words().of(is_line))
        forms.append(Form(is_line, heard, TRANSCRIPT, TRANSCRIPT_WORDS, is_talk=True))
    if is_passage.any():
        heard = passage_evidence(question, its_passages, pool.words(LEAST_PASSAGES).of(is_passage))
        forms.append(Form(is_passage, heard, PASSAGE, PASSAGE_WORDS))
    if is_skill.any():
        heard = skill_evidence(question, its_skills, pool.words(LEAST_PASSAGES).of(is_skill))
        forms.append(Form(is_skill, heard, SKILL, SKILL_WORDS))
    if is_statement.any():
        heard = statement_evidence(pool.words().of(is_statement))
        forms.append(Form(is_statement, heard, STATEMENT, STATEMENT_WORDS))
    return forms


def _weighed(is_known: Array, with_vector: Formula, words_only: Formula, evidence: Evidence) -> Parts:
    if is_known.all():
        return with_vector.parts(evidence)
    full, bare = with_vector.parts(evidence), words_only.parts(evidence)
    return {name: np.where(is_known, values, bare.get(name, 0.0)) for name, values in full.items()}


def _put(parts: Parts, chosen: Array, found: Parts) -> None:
    for name, values in found.items():
        parts.setdefault(name, np.zeros(len(chosen)))[chosen] = values


def _adjustments(question: Question, pool: Pool, situation: Situation) -> Parts:
    table = pool.table
    now = situation.now.timestamp()
    is_passage = table.passages[0]
    return {
        "conversation": _SAME_CONVERSATION * (_are_here(table, situation) & ~is_passage),
        "assistant": _ASSISTANT_SAID_IT * table.speakers.are(ASSISTANT),
        "confidence": _DOUBT * np.maximum(0.0, _USUAL_CONFIDENCE - table.confidence),
        "topic": _TOPIC_BOOST * table.heat * ~table.lines[0],
        "state": _STATE_ASKED * _tells(question.states, table),
        "told": _FROM_FEEDBACK * table.is_told,
        "superseded": _SUPERSEDED[question.time_target] * (table.valid_until <= now),
        **_referred(question, table),
        **_of_nobody(question, pool),
    }


def _referred(question: Question, table: Table) -> Parts:
    """A share of the weight for each of the references that a candidate names."""
    if not question.references:
        return {}
    said = [table.saying(reference) for reference in question.references]
    return {"reference": _REFERENCE * np.mean(said, axis=0)}


def _tells(states: Sequence[str], table: Table) -> Array:
    found = np.zeros(len(table), dtype=bool)
    for state in states:
        found |= table.slots.are(state)
    return found


def _of_nobody(question: Question, pool: Pool) -> Parts:
    if not question.is_of_nobody or not question.terms:
        return {}
    is_statement = ~(pool.table.lines[0] | pool.table.passages[0] | pool.table.skills[0])
    # The words of another language are never in common.
    is_other = is_statement & ~pool.table.is_chinese & ~(pool.counts > 0).any(axis=1)
    return {"subject": _OF_NOBODY * is_other}


def _are_here(table: Table, situation: Situation) -> Array:
    here = situation.conversation
    return table.conversations.are(here) if here else np.zeros(len(table), dtype=bool)


def _recency(question: Question, table: Table, situation: Situation, is_answer: Array) -> Array:
    """`is_answer` says which rows answer the question as far as anything else tells."""
    moments = np.where(np.isnan(table.event_times), table.said_at, table.event_times)
    recent = recency_of(moments, situation.now.timestamp(), _HALF_AS_RECENT)
    plain = _RECENT * (recent - _NEUTRAL_AGE)
    counts = _has_recency(table)
    if not question.wants_recent or not counts.any():
        return plain
    asked_for = counts & is_answer
    newest = recent[asked_for if asked_for.any() else counts].max()
    # What is newer still, and about something else, is no more recent than that.
    return np.where(counts, _NEWEST + _RECENT_WANTED * np.log(np.minimum(1.0, recent / newest)), plain)


def _has_recency(table: Table) -> Array:
    """Who asks what happened lately does not mean when a document was uploaded, or a skill grew."""
    return np.asarray(~(table.passages[0] | table.skills[0]))


def _logistic(score: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def _is_fresh(table: Table, situation: Situation) -> Array:
    """Which rows are rough memories of the running conversation or of the last minutes."""
    is_new = table.said_at >= (situation.now - situation.running).timestamp()
    return np.asarray(table.is_rough & (is_new | _are_here(table, situation)))


def _lifted(relativity: Array, is_kept: Array, floor: float) -> Array:
    """Some of them above the floor, still in their own order."""
    return np.where(is_kept, floor + (1 - floor) * relativity, relativity)
