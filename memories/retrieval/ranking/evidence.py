"""The numbers that the ranker weighs: what speaks for each candidate as an answer to the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from memories.retrieval.queries.parser import MentionedDate, Question
from memories.retrieval.ranking.features import Array, Surroundings, Table, TermStatistics
from memories.text.topics import topics_of

Evidence = dict[str, Array]
# So many topics of a question are what it is about.
_MAIN_TOPICS = 3


def with_means(values: Array) -> Array:
    """What is unknown gets the mean of the known, which moves no neighbour."""
    is_known = ~np.isnan(values)
    mean = float(values[is_known].mean()) if is_known.any() else 0.0
    return np.where(is_known, values, mean)


@dataclass(frozen=True, slots=True)
class FormEvidence:
    """What speaks for memories of one form: `wording` is known before anybody knows what the question means, and
    `meaning` makes the rest of the cosines."""

    wording: Evidence
    meaning: Callable[[Array], Evidence]

    def evidence(self, cosine: Array) -> Evidence:
        return {**self.meaning(cosine), **self.wording}


def statement_evidence(words: TermStatistics) -> FormEvidence:
    """Memories that make sense alone: "The user moved to Shanghai in June 2025."."""
    return FormEvidence({"coverage": words.coverage(words.counts)}, _own_meaning)


def passage_evidence(question: Question, table: Table, words: TermStatistics) -> FormEvidence:
    """Passages of documents. How near passages lie to any question is not how near statements do, and differs by the
    languages of both."""
    is_across = table.is_chinese != (question.language == "zh")
    wording = {
        "coverage": words.coverage(words.counts),
        "is_chinese": table.is_chinese.astype(float),
        "is_across": is_across.astype(float),
    }
    return FormEvidence(wording, _own_meaning)


def skill_evidence(question: Question, table: Table, words: TermStatistics) -> FormEvidence:
    """Skills: any request is near to what many of them say they are for, so that the nearest one of a shelf counts,
    and how far the others are behind it."""
    asked = frozenset(topics_of(list(question.terms))[:_MAIN_TOPICS])
    is_across = table.is_chinese != (question.language == "zh")
    wording = {
        "coverage": words.coverage(words.counts),
        "is_across": is_across.astype(float),
        "topic": np.array([not asked.isdisjoint(topics) for topics in table.topics], dtype=float),
    }
    return FormEvidence(wording, lambda cosine: {"cosine": cosine, "behind": cosine - cosine.max()})


def transcript_evidence(question: Question, table: Table, words: TermStatistics) -> FormEvidence:
    """Lines of a talk between named people, which need the lines around them to be understood."""
    around = table.surroundings
    wording = {
        **_wording(table, words, around),
        **_speaking(question, table),
        **_dating(question, table),
        "length": np.log1p(table.word_count),
    }
    return FormEvidence(wording, lambda cosine: _meaning(cosine, around))


def _own_meaning(cosine: Array) -> Evidence:
    return {"cosine": cosine}


def _meaning(own: Array, around: Surroundings) -> Evidence:
    """Neighbours' cosines stand in for vectors of windows: as good within 0.2 points of recall, and free."""
    neighbours = [around.at(offset, own, own) for offset in (-2, -1, 1, 2)]
    return {
        "cosine": own,
        "cosine_around": np.mean(neighbours, axis=0),
        "cosine_conversation": around.mean_of_best(own, 3),
    }


def _wording(table: Table, words: TermStatistics, around: Surroundings) -> Evidence:
    own, lengths = words.counts, words.lengths
    before = around.at(-1, own)
    five = own + before + around.at(-2, own) + around.at(1, own) + around.at(2, own)
    # An answer often follows somebody else's question about the same.
    asked_before = around.at(-1, table.is_asking)
    return {
        "coverage": words.coverage(own),
        "coverage_around": words.coverage(five),
        "bm25_window": words.bm25(own + before, lengths + around.at(-1, lengths)),
        "asked_before": asked_before,
        "asked_before_coverage": asked_before * words.coverage(before),
    }


def _speaking(question: Question, table: Table) -> Evidence:
    speakers = table.speakers.present()
    named = [code for code, name in speakers.items() if question.names(name)]
    tells_apart = 0 < len(named) < len(speakers)
    return {"speaker": np.isin(table.speakers.codes, named if tells_apart else []).astype(float)}


def _dating(question: Question, table: Table) -> Evidence:
    is_on, is_on_day = np.zeros(len(table)), np.zeros(len(table))
    if question.dates:
        for calendar in table.calendars:
            for date in question.dates:
                is_on = np.maximum(is_on, _is_on(calendar, date))
                is_on_day = np.maximum(is_on_day, _is_on_day(calendar, date))
    return {"date": is_on, "date_to_the_day": is_on_day}


def _is_on(calendar: Array, date: MentionedDate) -> Array:
    """Year and month fit, as far as they are spoken out."""
    fits = calendar[:, 0] > 0
    if date.year is not None:
        fits &= calendar[:, 0] == date.year
    if date.month is not None:
        fits &= calendar[:, 1] == date.month
    return fits.astype(float)


def _is_on_day(calendar: Array, date: MentionedDate) -> Array:
    if date.day is None:
        return np.zeros(len(calendar))
    # One day off: told the morning after, or dated in another time zone.
    return _is_on(calendar, date) * (np.abs(calendar[:, 2] - date.day) <= 1)


def recency_of(moments: Array, now: float, half_as_recent: float) -> Array:
    """1 for now, a half after so many seconds, and never quite 0: years ago are still told apart."""
    age = np.where(np.isnan(moments), 0.0, now - moments)
    return np.asarray(half_as_recent / (half_as_recent + np.maximum(0.0, age)))
