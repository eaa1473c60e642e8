"""Shortlist very many candidates: only those that could come first are ranked.

Every candidate gets a rough score from what is computed for all at once: the similarity of its vector, the share of the
question's words that it has, and the adjustments. The best by it of each form are ranked like any others. What takes
long for a line of a talk, the words of the lines around it, is in the rough score only as far as one number per line
tells: the ranker counts them anew for the best.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from memories.engine.calibration.background_similarity import Nearness
from memories.retrieval.queries.parser import JOB, Question
from memories.retrieval.ranking.adjustments import (
    ADJUSTED,
    SCALED,
    Situation,
    asks_who,
    compute_adjustments,
    compute_health_part,
    compute_profile_share,
    compute_recency_part,
)
from memories.retrieval.ranking.arrays import Floats, Integers, Mask
from memories.retrieval.ranking.candidate_table import CandidateTable, Pool
from memories.retrieval.ranking.features import Features, compute_dating, compute_speaking, with_means
from memories.retrieval.ranking.fitted_weights import (
    PASSAGE,
    SKILL,
    STATEMENT,
    STATEMENT_UNCALIBRATED,
    STATEMENT_WORDS,
    TRANSCRIPT,
    Formula,
)
from memories.retrieval.ranking.ranker import Ranking, ScoredCandidates, find_best, is_fresh
from memories.retrieval.ranking.surroundings import BEST_OF_CONVERSATION, ConversationBest

# Up to so many candidates are all ranked.
RANK_ALL = 4_000
# So many of each form are ranked of more, and no fewer than so many times the limit.
BEST, TIMES_LIMIT = 200, 8
# In the rough score, what must be ranked stands above all else: log-odds are smaller by far.
_FIRST = 1_000.0


def build_ranking(question: Question, pool: Pool, situation: Situation, limit: int) -> Ranking | Shortlist:
    """The ranking of a search that returns at most `limit` of these candidates."""
    if len(pool) <= RANK_ALL:
        return Ranking(question, pool, situation)
    return Shortlist(question, pool, situation, max(BEST, TIMES_LIMIT * limit))


class Shortlist:
    """The candidates of one search, of which the best by a rough score are ranked: `most` of each form."""

    def __init__(self, question: Question, pool: Pool, situation: Situation, most: int) -> None:
        self._question, self._situation, self._most = question, situation, most
        self._pool, self._coverage = pool, pool.compute_coverage()
        self._adjustments = self._sum_adjustments()
        table = pool.table
        self._lines, self._statements = np.flatnonzero(table.lines[0]), np.flatnonzero(table.statements)

    def order(self, nearness: Nearness) -> ScoredCandidates:
        """Score the best candidates; see `Ranking.order`."""
        pool = self._pool
        chosen, around = self._choose_lines(nearness)
        places = np.flatnonzero(chosen | around)
        few = Pool(pool.table.of(places), pool.counts[places], pool.get_frequencies())
        order = Ranking(self._question, few, self._situation).order(nearness.of(places))
        kept = np.flatnonzero(chosen[places])
        return order.keep(kept, left_out=len(pool) - len(kept))

    def _sum_adjustments(self) -> Floats:
        """The adjustments of each candidate, and what puts fresh ones before all others: float64, shape (n,)."""
        table = self._pool.table
        totals = np.where(is_fresh(table, self._situation), _FIRST, 0.0)
        for name, part in compute_adjustments(self._question, self._pool, self._situation).items():
            if part.any():
                totals += np.where(table.statements, ADJUSTED * part, part) if name in SCALED else part
        return totals

    def _choose_lines(self, nearness: Nearness) -> tuple[Mask, Mask]:
        """Mark those to be ranked, and the lines whose words and vectors the ranker needs beside theirs."""
        table, has_vector = self._pool.table, ~np.isnan(nearness.plain)
        plain = with_means(nearness.plain)
        around = self._describe_lines(plain) if len(self._lines) else None
        scores = self._score_roughly(nearness, plain, around)
        if not has_vector.all():
            scores = np.where(has_vector, scores, self._score_by_words())
        if self._question.wants_recent:
            scores += compute_recency_part(self._question, table, self._situation, scores >= 0)
        forms = [self._lines, self._statements, np.flatnonzero(table.passages[0] | table.skills[0])]
        wanted = [places[has_vector[places]] for places in forms]
        wanted += [np.flatnonzero(~has_vector), *self._list_decisive()]
        chosen = np.zeros(len(table), dtype=bool)
        for places in wanted:
            chosen[places[find_best(scores[places], self._most)]] = True
        return chosen, self._mark_around(chosen, around)

    def _describe_lines(self, plain: Floats) -> ConversationBest:
        """The nearest lines of each talk."""
        return self._pool.table.lines[1].surroundings.find_best(plain[self._lines], BEST_OF_CONVERSATION)

    def _mark_around(self, chosen: Mask, best: ConversationBest | None) -> Mask:
        """Mark the neighbours of the chosen lines, and the nearest lines of their talks."""
        is_around = np.zeros(len(chosen), dtype=bool)
        if best is not None:
            at = np.flatnonzero(chosen[self._lines])
            neighbours = self._pool.table.lines[1].surroundings.find_around(at)
            is_around[self._lines[np.concatenate([neighbours, best.find_rows(at)])]] = True
        return is_around

    def _list_decisive(self) -> list[Integers]:
        """Candidates that decide about others: a line of each speaker, which tells whether a named one is one of many;
        rows of the state that is asked for; mentions of the relative that is asked about."""
        question, table = self._question, self._pool.table
        masks = [table.slots.are(state) for state in question.states]
        masks += [table.trades] if JOB in question.states else []
        masks += [table.contains_phrase(term) & table.statements for term in question.relative]
        return [self._lines[table.lines[1].speaker_rows], *(np.flatnonzero(mask) for mask in masks)]

    def _score_roughly(self, nearness: Nearness, plain: Floats, best: ConversationBest | None) -> Floats:
        """The rough score of candidates with a vector: float64, shape (n,), log-odds."""
        table, scores = self._pool.table, self._adjustments.copy()
        if len(self._statements):
            scores[self._statements] += self._score_statements(nearness)[self._statements]
        if best is not None:
            scores[self._lines] += self._score_lines(table.lines[1], plain[self._lines], best)
        for mask, formula in ((table.passages[0], PASSAGE), (table.skills[0], SKILL)):
            if mask.any():
                scores[mask] += _weigh_features(formula, self._describe_documents(mask, nearness.aimed[mask]))
        return scores

    def _describe_documents(self, mask: Mask, aimed: Floats) -> Features:
        """Describe what is weighed of passages or skills. `aimed`: their similarities."""
        is_chinese = self._pool.table.is_chinese[mask]
        return {
            "cosine": aimed,
            "behind": aimed,
            "coverage": self._coverage[mask],
            "is_chinese": is_chinese.astype(float),
            "is_across": (is_chinese != (self._question.language == "zh")).astype(float),
        }

    def _score_by_words(self) -> Floats:
        """The rough score of candidates without a vector."""
        return self._adjustments + _weigh_features(STATEMENT_WORDS, {"coverage": self._coverage})

    def _score_statements(self, nearness: Nearness) -> Floats:
        """The rough score of all rows as if they were statements."""
        calibrated, coverage, table = nearness.calibrated, self._coverage, self._pool.table
        if calibrated is None:
            return _weigh_features(STATEMENT_UNCALIBRATED, {"cosine": nearness.aimed, "coverage": coverage})
        scores = (
            _weigh_features(STATEMENT, {"answer": calibrated.answer, "coverage": coverage})
            + calibrated.question
        )
        if calibrated.care:
            scores += compute_health_part(table, calibrated)
        if asks_who(self._question, calibrated):  # what says most of the user, before all else
            scores += _FIRST * np.nan_to_num(compute_profile_share(table, calibrated))
        return scores

    def _score_lines(self, lines: CandidateTable, plain: Floats, best: ConversationBest) -> Floats:
        """The rough score of lines of talks."""
        around, coverage = lines.surroundings, self._coverage[self._lines]
        two_before, before, after, two_after = (around.at(offset, coverage) for offset in (-2, -1, 1, 2))
        of_five = two_before + before + coverage + after + two_after
        features = {
            "cosine": plain,
            "cosine_around": reduce(np.add, (around.at(offset, plain, plain) for offset in (-2, -1, 1, 2)))
            / 4,
            "cosine_conversation": best.means,
            "coverage": coverage,
            # At most all words of the question, whichever of the lines has them.
            "coverage_around": np.minimum(1.0, of_five),
            "bm25_window": np.minimum(1.0, coverage + before),
            **compute_speaking(self._question, lines),
            **(compute_dating(self._question, lines) if self._question.dates else {}),
        }
        return _weigh_features(TRANSCRIPT, features)


def _weigh_features(formula: Formula, features: Features) -> Floats:
    """The formula's sum over the features at hand."""
    weighted = (
        formula.weights[name] * values for name, values in features.items() if name in formula.weights
    )
    return reduce(np.add, weighted) + formula.intercept
