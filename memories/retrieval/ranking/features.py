"""The features that the ranker weighs, for each form of memory.

Each is float64 of shape (n,): word features as soon as the question is parsed, vector features once its embedding
arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from memories.engine.calibration.background_similarity import Nearness
from memories.retrieval.queries.mentioned_dates import MentionedDate
from memories.retrieval.queries.parser import Question
from memories.retrieval.ranking.arrays import Floats, Integers
from memories.retrieval.ranking.candidate_table import CandidateTable, TermStatistics
from memories.retrieval.ranking.surroundings import BEST_OF_CONVERSATION, Surroundings
from memories.text.topics.topics import find_topics

# Features by name (the keys of `fitted_weights.GROUPS`), each float64 of shape (n,).
Features = dict[str, Floats]
# How many of a question's topics count as its main ones.
_MAIN_TOPICS = 3


def with_means(values: Floats) -> Floats:
    """Replace NaN by the mean of the known values, so that means over neighbours stay what they are."""
    is_known = ~np.isnan(values)
    mean = float(values[is_known].mean()) if is_known.any() else 0.0
    return np.where(is_known, values, mean)


@dataclass(frozen=True, slots=True)
class FormFeatures:
    """Features of one form of memory: `wording` is known before the question is embedded; `meaning` computes the vector
    features from the similarities of these rows."""

    wording: Features
    meaning: Callable[[Nearness], Features]

    def compute(self, nearness: Nearness) -> Features:
        return {**self.meaning(nearness), **self.wording}


def build_statement_features(words: TermStatistics) -> FormFeatures:
    """Features of self-contained statements, such as "The user moved to Shanghai in June 2025."."""
    return FormFeatures({"coverage": words.coverage(words.counts)}, _compute_statement_meaning)


def build_passage_features(question: Question, table: CandidateTable, words: TermStatistics) -> FormFeatures:
    """Features of passages of documents.

    Their cosines are distributed unlike those of statements, and depend on the languages of question and passage.
    """
    is_across = table.is_chinese != (question.language == "zh")
    wording = {
        "coverage": words.coverage(words.counts),
        "is_chinese": table.is_chinese.astype(float),
        "is_across": is_across.astype(float),
    }
    return FormFeatures(wording, _compute_own_meaning)


def build_skill_features(question: Question, table: CandidateTable, words: TermStatistics) -> FormFeatures:
    """Features of skills.

    Any request is near to the descriptions of many skills, so the distance to the nearest one counts (`behind`).
    """
    asked = frozenset(find_topics(list(question.terms))[:_MAIN_TOPICS])
    is_across = table.is_chinese != (question.language == "zh")
    wording = {
        "coverage": words.coverage(words.counts),
        "is_across": is_across.astype(float),
        "topic": np.array([not asked.isdisjoint(topics) for topics in table.topics], dtype=float),
    }
    return FormFeatures(wording, lambda near: {"cosine": near.aimed, "behind": near.aimed - near.aimed.max()})


def build_transcript_features(
    question: Question, table: CandidateTable, words: TermStatistics
) -> FormFeatures:
    """Features of lines of conversations between named people, with those of the lines around them."""
    around = table.surroundings
    wording = {
        **_compute_wording(table, words, around),
        **compute_speaking(question, table),
        **compute_dating(question, table),
        "length": np.log1p(table.word_count),
    }
    return FormFeatures(wording, lambda near: _compute_meaning(near.plain, around))


def _compute_own_meaning(near: Nearness) -> Features:
    return {"cosine": near.aimed}


def _compute_statement_meaning(near: Nearness) -> Features:
    if near.calibrated is None:
        return _compute_own_meaning(near)
    question = np.full(len(near.plain), near.calibrated.question)
    return {"answer": near.calibrated.answer, "question": question}


def _compute_meaning(own: Floats, around: Surroundings) -> Features:
    """Means of neighbours' cosines replace embeddings of windows: within 0.2 points of their recall, at no cost."""
    two_before, before, after, two_after = (around.at(offset, own, own) for offset in (-2, -1, 1, 2))
    return {
        "cosine": own,
        "cosine_around": (two_before + before + after + two_after) / 4,
        "cosine_conversation": around.mean_of_best(own, BEST_OF_CONVERSATION),
    }


def _compute_wording(table: CandidateTable, words: TermStatistics, around: Surroundings) -> Features:
    own, lengths = words.counts, words.lengths
    before = around.at(-1, own)
    five = own + before + around.at(-2, own) + around.at(1, own) + around.at(2, own)
    # An answer often follows another speaker's question about the same.
    asked_before = around.at(-1, table.is_asking)
    return {
        "coverage": words.coverage(own),
        "coverage_around": words.coverage(five),
        "bm25_window": words.bm25(own + before, lengths + around.at(-1, lengths)),
        "asked_before": asked_before,
        "asked_before_coverage": asked_before * words.coverage(before),
    }


def compute_speaking(question: Question, table: CandidateTable) -> Features:
    speakers = table.speakers.present()
    named = [code for code, name in speakers.items() if question.names(name)]
    tells_apart = 0 < len(named) < len(speakers)
    return {"speaker": np.isin(table.speakers.codes, named if tells_apart else []).astype(float)}


def compute_dating(question: Question, table: CandidateTable) -> Features:
    is_on, is_on_day = np.zeros(len(table)), np.zeros(len(table))
    if question.dates:
        for calendar in table.calendars:
            for date in question.dates:
                is_on = np.maximum(is_on, _is_on(calendar, date))
                is_on_day = np.maximum(is_on_day, _is_on_day(calendar, date))
    return {"date": is_on, "date_to_the_day": is_on_day}


# Of the gain of the very day: what is dated a day off may have been said the morning after.
_A_DAY_OFF = 0.5


def matches_date(calendar: Integers, date: MentionedDate) -> Floats:
    """1 where all of the date that the question names matches, less a day beside it.

    `calendar`: see `compute_calendar_dates`.
    """
    if date.day is None:
        return _is_on(calendar, date)
    return _is_on_day(calendar, date) * np.where(calendar[:, 2] == date.day, 1.0, _A_DAY_OFF)


def _is_on(calendar: Integers, date: MentionedDate) -> Floats:
    """1 where year and month match, as far as the question names them. `calendar`: see `compute_calendar_dates`."""
    fits = calendar[:, 0] > 0
    if date.year is not None:
        fits &= calendar[:, 0] == date.year
    if date.month is not None:
        fits &= calendar[:, 1] == date.month
    return fits.astype(float)


def _is_on_day(calendar: Integers, date: MentionedDate) -> Floats:
    """1 where the day matches within one."""
    if date.day is None:
        return np.zeros(len(calendar))
    # One day off: stated the morning after, or dated in another time zone.
    return _is_on(calendar, date) * (np.abs(calendar[:, 2] - date.day) <= 1)


def compute_recency(timestamps: Floats, now: float, half_as_recent: float) -> Floats:
    """Hyperbolic decay by age in seconds: 1 for now or unknown, 0.5 after `half_as_recent`, never 0."""
    age = np.where(np.isnan(timestamps), 0.0, now - timestamps)
    return np.asarray(half_as_recent / (half_as_recent + np.maximum(0.0, age)))
