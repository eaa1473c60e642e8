"""Scores candidates by how well they answer a question.

A candidate's parts are log-odds; their sum is the logit of its `relativity`, a calibrated probability from 0 to 1
(Platt 1999): `relativity = 1 / (1 + exp(-sum(parts)))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from memories.engine.calibration.background_similarity import Nearness
from memories.engine.calibration.model import CalibratedNearness
from memories.retrieval.queries.parser import Question
from memories.retrieval.ranking.adjustments import (
    ADJUSTED,
    SCALED,
    Parts,
    Situation,
    are_here,
    asks_who,
    compute_adjustments,
    compute_health_part,
    compute_logistic,
    compute_profile_share,
    compute_recency_part,
    compute_relative_part,
    compute_rival_part,
    compute_value_part,
    has_recency,
)
from memories.retrieval.ranking.arrays import Floats, Integers, Mask, Objects
from memories.retrieval.ranking.candidate_table import LEAST_PASSAGES, CandidateTable, Pool
from memories.retrieval.ranking.features import (
    Features,
    FormFeatures,
    build_passage_features,
    build_skill_features,
    build_statement_features,
    build_transcript_features,
    with_means,
)
from memories.retrieval.ranking.fitted_weights import (
    PASSAGE,
    PASSAGE_WORDS,
    SKILL,
    SKILL_WORDS,
    STATEMENT,
    STATEMENT_UNCALIBRATED,
    STATEMENT_WORDS,
    TRANSCRIPT,
    TRANSCRIPT_WORDS,
    Formula,
)

# Log-odds (relativity 0.4): statements below are no answers by any usual threshold.
ANSWERS_FROM = -0.4


class Ranked(NamedTuple):
    """One ranked candidate: its relativity (0 to 1) and the log-odds it is made of.

    `parts` add up to the logit of the relativity, except for candidates raised to the floor: fresh raw memories, and
    answers to questions for what was recent.
    """

    key: Any
    relativity: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """All candidates with their scores, unsorted; `best` sorts.

    `keys` and `relativity` have shape (n,). The first `own` candidates belong to no knowledge base. `left_out`: how
    many more there were, that were too many to be ranked and could not come first.
    """

    keys: Objects
    relativity: Floats
    parts: Parts
    own: int
    left_out: int = 0

    @classmethod
    def joined(cls, orders: Sequence[ScoredCandidates], own: int = 1) -> ScoredCandidates:
        """Concatenate orders: relativities are calibrated, hence comparable between sources. The first `own` are of no
        knowledge base."""
        if len(orders) == 1:
            return orders[0]
        names = list(dict.fromkeys(name for order in orders for name in order.parts))
        parts = {
            name: np.concatenate([order.parts.get(name, np.zeros(len(order))) for order in orders])
            for name in names
        }
        keys = np.concatenate([order.keys for order in orders])
        relativity = np.concatenate([order.relativity for order in orders])
        left_out = sum(order.left_out for order in orders)
        return cls(keys, relativity, parts, sum(order.own for order in orders[:own]), left_out)

    def __len__(self) -> int:
        return len(self.keys)

    def keep(self, places: Integers, left_out: int) -> ScoredCandidates:
        """Keep only the candidates at these places, of an order of one source, before it is joined with others."""
        parts = {name: values[places] for name, values in self.parts.items()}
        return ScoredCandidates(self.keys[places], self.relativity[places], parts, len(places), left_out)

    def list_best(self, limit: int) -> list[Ranked]:
        """The best candidates, highest relativity first; stable for equal ones."""
        return self._build_shown(find_best(self.relativity, limit))

    def list_best_own(self, limit: int) -> list[Ranked]:
        """The best candidates that belong to no knowledge base."""
        return self._build_shown(find_best(self.relativity[: self.own], limit))

    def _build_shown(self, first: Integers) -> list[Ranked]:
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

    def count_passing(self, threshold: float) -> int:
        """Count how many candidates have at least this relativity."""
        return int((self.relativity >= threshold).sum())

    def count_passing_own(self, threshold: float) -> int:
        """The same for those that belong to no knowledge base."""
        return int((self.relativity[: self.own] >= threshold).sum())


@dataclass(frozen=True, slots=True)
class FormCandidates:
    """The candidates of one form (mask `chosen`), with the formulas for those with a vector and for those without."""

    chosen: Mask
    features: FormFeatures
    with_vector: Formula
    words_only: Formula
    # Used instead of `with_vector` while the embedding model has no calibration.
    uncalibrated: Formula | None = None

    def compute_parts(self, nearness: Nearness, is_known: Mask) -> Parts:
        features = self.features.compute(nearness.of(self.chosen))
        with_vector = self.with_vector
        if self.uncalibrated is not None and nearness.calibrated is None:
            with_vector = self.uncalibrated
        return _weigh_features(is_known[self.chosen], with_vector, self.words_only, features)


class Ranking:
    """The candidates of one search with all features that need no embedding, which is computed meanwhile."""

    def __init__(self, question: Question, pool: Pool, situation: Situation) -> None:
        self._question, self._pool, self._situation = question, pool, situation
        self._forms = _build_forms(question, pool) if len(pool) else []
        self._adjustments = compute_adjustments(question, pool, situation) if len(pool) else {}
        self._is_fresh = is_fresh(pool.table, situation)

    def order(self, nearness: Nearness) -> ScoredCandidates:
        """Score each candidate. `nearness` has shape (n,), NaN for candidates without a vector of the query's model."""
        pool, question, situation = self._pool, self._question, self._situation
        if not len(pool):
            return ScoredCandidates(pool.table.keys, np.zeros(0), {}, 0)
        calibrated = _fill_gaps(nearness.calibrated)
        parts = {**self._sum_answering_parts(nearness, calibrated), **self._adjustments}
        is_answer = compute_logistic(_sum_parts(parts)) >= situation.raw_floor
        parts["recency"] = compute_recency_part(question, pool.table, situation, is_answer)
        if calibrated is not None:
            is_statement = pool.table.statements
            for name in SCALED:
                if name in parts:
                    parts[name] = np.where(is_statement, ADJUSTED * parts[name], parts[name])
            # Of few memories one is always the furthest from the topic, and no worse an answer for that.
            parts["topic"] = np.where(is_statement, np.maximum(parts["topic"], 0.0), parts["topic"])
            # Whether it is about somebody is among what was fitted.
            parts.pop("subject", None)
            parts["relative"] = compute_relative_part(question, pool.table, calibrated)
            parts["rival"] = compute_rival_part(question, pool.table, calibrated)
            parts["health"] = compute_health_part(pool.table, calibrated) * is_statement
            parts["value"] = compute_value_part(question, pool.table, _sum_parts(parts))
            if self._asks_for_nothing_known(_sum_parts(parts)):
                parts["topic"] = np.where(is_statement, self._compute_topic_order(), parts["topic"])
        is_kept = self._is_fresh
        if question.wants_recent:  # the newest first, without dropping answers
            is_kept = is_kept | (is_answer & has_recency(pool.table))
        if question.asks_by_date_alone:  # whatever happened then
            is_kept = is_kept | ((parts["date"] > 0) & (parts["superseded"] >= 0))
        relativity = _raise_relativity(compute_logistic(_sum_parts(parts)), is_kept, situation.raw_floor)
        if calibrated is not None and asks_who(question, calibrated):
            profile = compute_profile_share(pool.table, calibrated)
            is_own = ~np.isnan(profile)
            relativity = np.where(is_own, _raise_relativity(profile, is_own, situation.raw_floor), relativity)
        return ScoredCandidates(pool.table.keys, relativity, parts, len(pool))

    def _asks_for_nothing_known(self, log_odds: Floats) -> bool:
        """Return whether no statement answers, nor shares a word with the question."""
        is_statement = self._pool.table.statements
        is_near = (log_odds >= ANSWERS_FROM) | self._pool.matches.any(axis=1)
        return bool(is_statement.any() and not is_near[is_statement].any())

    def _compute_topic_order(self) -> Floats:
        """The topic part where the question decides nothing: only downwards, so that none becomes an answer by it."""
        topic = self._adjustments["topic"]
        return (topic - topic[self._pool.table.statements].max()) / 2

    def _sum_answering_parts(self, nearness: Nearness, calibrated: CalibratedNearness | None) -> Parts:
        """The parts of each candidate by the formulas of its form."""
        is_known = ~np.isnan(nearness.plain)
        nearness = Nearness(with_means(nearness.plain), with_means(nearness.aimed), calibrated)
        parts: Parts = {}
        for form in self._forms:
            _put_parts(parts, form.chosen, form.compute_parts(nearness, is_known))
        return parts


def rank_candidates(
    question: Question, pool: Pool, situation: Situation, nearness: Nearness
) -> ScoredCandidates:
    """Score each candidate by how well it answers the question."""
    return Ranking(question, pool, situation).order(nearness)


def find_best(relativity: Floats, limit: int) -> Integers:
    """The places of the highest, highest first, shape (k,) with k at most `limit`; of equal ones the first."""
    if limit >= len(relativity):
        return np.argsort(-relativity, kind="stable")[:limit]
    if limit == 0:
        return np.zeros(0, dtype=np.int64)
    least = np.partition(relativity, len(relativity) - limit)[len(relativity) - limit]
    among = np.flatnonzero(relativity >= least)
    return np.asarray(among[np.argsort(-relativity[among], kind="stable")[:limit]])


def _fill_gaps(calibrated: CalibratedNearness | None) -> CalibratedNearness | None:
    """Zero where there is no vector: those rows are weighed by their words."""
    return calibrated.without_gaps() if calibrated else None


def _sum_parts(parts: Parts) -> Floats:
    """One after the other: `np.sum` would first copy them all into one array."""
    return reduce(np.add, parts.values())


def _build_forms(question: Question, pool: Pool) -> list[FormCandidates]:
    (is_line, its_lines), (is_passage, its_passages) = pool.table.lines, pool.table.passages
    is_skill, its_skills = pool.table.skills
    is_statement = pool.table.statements
    forms = []
    if is_line.any():
        features = build_transcript_features(question, its_lines, pool.words().of(is_line))
        forms.append(FormCandidates(is_line, features, TRANSCRIPT, TRANSCRIPT_WORDS))
    if is_passage.any():
        features = build_passage_features(question, its_passages, pool.words(LEAST_PASSAGES).of(is_passage))
        forms.append(FormCandidates(is_passage, features, PASSAGE, PASSAGE_WORDS))
    if is_skill.any():
        features = build_skill_features(question, its_skills, pool.words(LEAST_PASSAGES).of(is_skill))
        forms.append(FormCandidates(is_skill, features, SKILL, SKILL_WORDS))
    if is_statement.any():
        features = build_statement_features(pool.words().of(is_statement))
        forms.append(
            FormCandidates(is_statement, features, STATEMENT, STATEMENT_WORDS, STATEMENT_UNCALIBRATED)
        )
    return forms


def _weigh_features(is_known: Mask, with_vector: Formula, words_only: Formula, features: Features) -> Parts:
    if is_known.all():
        return with_vector.compute_parts(features)
    full, bare = with_vector.compute_parts(features), words_only.compute_parts(features)
    return {name: np.where(is_known, values, bare.get(name, 0.0)) for name, values in full.items()}


def _put_parts(parts: Parts, chosen: Mask, chosen_parts: Parts) -> None:
    for name, values in chosen_parts.items():
        parts.setdefault(name, np.zeros(len(chosen)))[chosen] = values


def is_fresh(table: CandidateTable, situation: Situation) -> Mask:
    """Mark raw memories of the running conversation or of the last minutes."""
    is_new = table.said_at >= (situation.now - situation.running).timestamp()
    return np.asarray(table.is_raw & (is_new | are_here(table, situation)))


def _raise_relativity(relativity: Floats, is_kept: Mask, floor: float) -> Floats:
    """Map the relativities of the kept candidates from 0..1 to floor..1, in their own order."""
    return np.where(is_kept, floor + (1 - floor) * relativity, relativity)
