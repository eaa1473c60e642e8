"""The ranker's weights: logistic regressions, one for each form of memory.

`benchmarks/tools/fit_ranker.py` prints this module's numbers; nothing here is set by hand. The scale of the sums is
set by a logistic function over held-out scores (Platt, "Probabilistic Outputs for Support Vector Machines", 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

from memories.retrieval.ranking.arrays import Floats
from memories.retrieval.ranking.features import Features

# What the trace shows for each group of features.
GROUPS = {
    "cosine": "meaning",
    "answer": "meaning",
    "question": "question",
    "behind": "meaning",
    "topic": "words",
    "cosine_around": "context",
    "cosine_conversation": "context",
    "coverage": "words",
    "coverage_around": "context",
    "bm25_window": "context",
    "asked_before": "context",
    "asked_before_coverage": "context",
    "speaker": "speaker",
    "date": "dates",
    "date_to_the_day": "dates",
    "length": "length",
    "is_chinese": "meaning",
    "is_across": "meaning",
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A weighted sum of features in log-odds: its logistic function is the relativity (a probability)."""

    intercept: float
    weights: dict[str, float]

    def compute_parts(self, features: Features) -> dict[str, Floats]:
        """Compute what each group of features adds, in log-odds, shape (n,): shown by the trace.

        The intercept belongs to the words: it is what sharing none of them costs.
        """
        parts: dict[str, Floats] = {}
        for name, weight in self.weights.items():
            group = GROUPS[name]
            parts[group] = (
                parts.get(group, self.intercept if group == "words" else 0.0) + weight * features[name]
            )
        return parts


# 760 questions about five English two-person chats of LoCoMo, fitted question by question (which line of this chat?),
# then brought to the scale on which 0.45 parts answers from other lines. On chats held out: recall of 0.82 in the
# first nine, 87 % of answers and 10 % of the others above 0.45. Weights that came out negative were left out; they
# were worth 0.2 points.
TRANSCRIPT = Formula(
    -10.399,
    {
        "cosine": 16.856,
        "cosine_around": 18.460,
        "cosine_conversation": 27.149,
        "coverage": 0.991,
        "coverage_around": 3.284,
        "bm25_window": 2.774,
        "asked_before": 0.382,
        "asked_before_coverage": 0.888,
        "speaker": 1.691,
        "date": 1.751,
        "date_to_the_day": 1.729,
        "length": 0.616,
    },
)
# The same without vectors: recall of 0.78 in the first nine.
TRANSCRIPT_WORDS = Formula(
    -4.947,
    {
        "coverage": 1.686,
        "coverage_around": 4.314,
        "bm25_window": 3.782,
        "asked_before": 0.339,
        "asked_before_coverage": 1.045,
        "speaker": 2.008,
        "date": 1.598,
        "date_to_the_day": 1.365,
        "length": 0.457,
    },
)
# Statements, where the embedding model is calibrated (`memories/engine/calibration/`): its log-odds, and something for
# shared words. On the labelled set hardly any answer shares a word with its question, so the weight is not fitted:
# who asks with a name that a statement holds means it.
STATEMENT = Formula(
    0.0,
    {
        "answer": 1.0,
        "question": 1.0,
        "coverage": 0.5,
    },
)
# The same for a model that was never calibrated. 170 questions about 70 memories of four made-up people, in English,
# Chinese and across the two. On people held out: 87 % first, 94 % of answers and 9 % of the others of the same person
# above 0.45; but three quarters of unrelated questions bring something back.
STATEMENT_UNCALIBRATED = Formula(
    -2.986,
    {
        "cosine": 90.620,
        "coverage": 0.500,
    },
)
# Most answers share no word with their question, so this finds little; it is for memories that have no vector yet.
STATEMENT_WORDS = Formula(
    -1.349,
    {
        "coverage": 14.438,
    },
)
# 96 requests and 24 skills of five made-up shelves, in English, Chinese and across, each skill in its shelf and alone
# (`benchmarks/search/skill_recall.py`). On shelves held out: 87 % of the fitting skills and 16 % of the others are
# above 0.45.
SKILL = Formula(
    -1.782,
    {
        "cosine": 37.439,
        "behind": 105.609,
        "coverage": 9.085,
        "is_across": 0.821,
        "topic": 1.418,
    },
)
SKILL_WORDS = Formula(
    -1.802,
    {
        "coverage": 10.250,
        "topic": 1.699,
    },
)
# 103 questions about 48 passages of four made-up knowledge bases, in English, Chinese and across, and 85 questions of
# people about their own lives, which no passage answers. On bases held out: 94 % first, 97 % of answers and 3 % of the
# others above 0.45; of the other passages of the same base, 10 %.
PASSAGE = Formula(
    -11.023,
    {
        "cosine": 104.256,
        "coverage": 8.659,
        "is_chinese": 4.850,
        "is_across": 0.930,
    },
)
# For passages without a vector: 61 % of answers and 4 % of the others above 0.45.
PASSAGE_WORDS = Formula(
    -2.156,
    {
        "coverage": 14.240,
    },
)
