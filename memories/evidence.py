"""The numbers that the ranker weighs: what speaks for each candidate as an answer to the question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memories.engine.background import Level
from memories.features import Array, Candidate, Surroundings, TermStatistics
from memories.understand import MentionedDate, Question

Evidence = dict[str, Array]


def cosines(rows: Sequence[Candidate], level: Level) -> tuple[Array, Array]:
    """How far each cosine stands above the level of the unrelated, and which of them are known.

    The unknown ones get the mean, which moves no neighbour.
    """
    values = np.array([np.nan if row.cosine is None else row.cosine for row in rows], dtype=float)
    is_chinese = np.array([row.language == "zh" for row in rows])
    values = (values - np.where(is_chinese, level.chinese, level.english)) * level.scale
    is_known = ~np.isnan(values)
    mean = float(values[is_known].mean()) if is_known.any() else 0.0
    return np.where(is_known, values, mean), is_known


def statement_evidence(cosine: Array, words: TermStatistics) -> Evidence:
    """For memories that make sense alone: "The user moved to Shanghai in June 2025."."""
    return {"cosine": cosine, "coverage": words.coverage(words.counts)}


def transcript_evidence(
    question: Question, rows: Sequence[Candidate], cosine: Array, words: TermStatistics
) -> Evidence:
    """For lines of a talk between named people, which need the lines around them to be understood."""
    around = Surroundings([row.conversation for row in rows], [row.position for row in rows])
    return {
        **_meaning(cosine, around),
        **_wording(rows, words, around),
        **_speaking(question, rows),
        **_dating(question, rows),
        "length": np.log1p([row.word_count for row in rows]),
    }


def _meaning(own: Array, around: Surroundings) -> Evidence:
    """Neighbours' cosines stand in for vectors of windows: as good within 0.2 points of recall, and free."""
    return {
        "cosine": own,
        "cosine_around": sum(around.at(offset, own, own) for offset in (-2, -1, 1, 2)) / 4,
        "cosine_conversation": around.mean_of_best(own, 3),
    }


def _wording(rows: Sequence[Candidate], words: TermStatistics, around: Surroundings) -> Evidence:
    own, lengths = words.counts, words.lengths
    before = around.at(-1, own)
    five = own + before + sum(around.at(offset, own) for offset in (-2, 1, 2))
    coverage_before = words.coverage(before)
    # An answer often follows somebody else's question about the same.
    asked_before = around.at(-1, np.array([row.is_asking for row in rows], dtype=float))
    return {
        "coverage": words.coverage(own),
        "coverage_before": coverage_before,
        "coverage_around": words.coverage(five),
        "bm25": words.bm25(own, lengths),
        "bm25_window": words.bm25(own + before, lengths + around.at(-1, lengths)),
        "best_term": words.best(),
        "asked_before": asked_before,
        "asked_before_coverage": asked_before * coverage_before,
    }


def _speaking(question: Question, rows: Sequence[Candidate]) -> Evidence:
    speakers = [row.speaker for row in rows]
    named = {speaker for speaker in set(speakers) if question.names(speaker)}
    tells_apart = 0 < len(named) < len(set(speakers))
    return {"speaker": np.array([tells_apart and speaker in named for speaker in speakers], dtype=float)}


def _dating(question: Question, rows: Sequence[Candidate]) -> Evidence:
    is_on, is_on_day = date_matches(question.dates, rows)
    return {"date": is_on, "date_to_the_day": is_on_day}


def date_matches(dates: Sequence[MentionedDate], rows: Sequence[Candidate]) -> tuple[Array, Array]:
    """Which rows were said on or tell of one of the dates, and for which of them the day fits too."""
    is_on, is_on_day = np.zeros(len(rows)), np.zeros(len(rows))
    if not dates:
        return is_on, is_on_day
    for moments in ([row.said_at for row in rows], [row.event_time for row in rows]):
        calendar = np.array([(m.year, m.month, m.day) if m else (0, 0, 0) for m in moments])
        for date in dates:
            fits = _fits(calendar, date)
            is_on = np.maximum(is_on, fits)
            if date.day is not None:
                # Told on the evening of the day, or the day after.
                is_on_day = np.maximum(is_on_day, fits * (np.abs(calendar[:, 2] - date.day) <= 1))
    return is_on, is_on_day


def _fits(calendar: Array, date: MentionedDate) -> Array:
    fits = calendar[:, 0] > 0
    if date.year is not None:
        fits &= calendar[:, 0] == date.year
    if date.month is not None:
        fits &= calendar[:, 1] == date.month
    return fits.astype(float)
