"""Select diverse results when more memories pass than are wanted: relevant, not redundant, later ones short.

The greedy selection is that of maximal marginal relevance (Carbonell & Goldstein, "The Use of MMR, Diversity-Based
Reranking", SIGIR 1998), with log-odds for relevance and a cost for the similarity above a threshold.
"""

from __future__ import annotations

import numpy as np

from memories.retrieval.ranking.arrays import Floats, Mask, Vectors

# `CLOSE`: similarity to a selected memory from which redundancy costs, in units of the model's spread (the distance
# of unrelated sentences). `COST`: log-odds per unit of similarity above it. On the conversations that the ranker was
# fitted with, recall in the first nine rose by half a point, of answers in several places by one; three times the
# cost lost two points.
CLOSE, COST = 0.435, 1.77
# From rank `CHEAP_FROM` on, length costs `PRICE` log-odds per natural logarithm of the number of terms: in the first
# 25 results, 5 % fewer words hold as many answers. Longer texts than `DEAREST` terms, such as passages, cost no more.
CHEAP_FROM, PRICE, DEAREST = 9, 0.25, 60
# So many times the limit are considered.
LOOKED_AT = 2


def select_diverse(
    relativity: Floats, vectors: Vectors, *, has_vector: Mask, lengths: Floats, spread: float, limit: int
) -> list[int]:
    """The indices of the results to return, in the order of their selection.

    `relativity`: probabilities, shape (n,). `vectors`: float32, unit length, shape (n, d). `lengths`: in terms, shape
    (n,). `spread`: mean cosine distance of unrelated sentences for the embedding model.
    """
    if len(relativity) <= limit:
        return list(range(len(relativity)))
    probabilities = np.clip(relativity, 1e-9, 1 - 1e-9)
    log_odds = np.log(probabilities / (1 - probabilities))
    redundancy = _compute_redundancy(vectors, has_vector, spread)
    penalty, price = np.zeros(len(log_odds)), PRICE * np.log1p(np.minimum(lengths, DEAREST))
    is_left = np.ones(len(log_odds), dtype=bool)
    chosen: list[int] = []
    for _ in range(limit):
        costs = COST * penalty + price * (len(chosen) >= CHEAP_FROM)
        best = int(np.argmax(np.where(is_left, log_odds - costs, -np.inf)))
        chosen.append(best)
        is_left[best] = False
        penalty = np.maximum(penalty, redundancy[best])
    return chosen


def _compute_redundancy(vectors: Vectors, has_vector: Mask, spread: float) -> Floats:
    """Compute how much closer than `CLOSE` each pair is: shape (n, n); 0 where one has no vector.

    In units of `spread`, one minus the cosine of unrelated sentences.
    """
    closeness = 1 - (1 - vectors @ vectors.T) / spread
    return np.where(np.outer(has_vector, has_vector), np.maximum(0.0, closeness - CLOSE), 0.0)
