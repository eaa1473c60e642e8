"""Which of the relevant memories are returned when there are more than wanted: good ones that do not say the same, and
among the later ones those that are short."""

from __future__ import annotations

import numpy as np

from memories.retrieval.ranking.features import Array

# Counted in how far apart unrelated sentences lie for the model: closer than this costs a memory that comes after its
# like, up to so much on the logistic scale. On the talks that the ranker was fitted with, recall in the first nine
# rose by half a point, of answers in several places by one; three times the cost lost two points.
CLOSE, COST = 0.435, 1.77
# Who asks for more pays for every word, and gets few answers by it. From this place on the logarithm of a text's length
# costs so much: in the first 25, 5 % fewer words hold as many answers. Passages are longer than what was said, and no
# dearer for that.
CHEAP_FROM, PRICE, DEAREST = 9, 0.25, 60
# So many times the limit are looked at.
LOOKED_AT = 2


def select_diverse(
    relativity: Array, vectors: Array, has_vector: Array, lengths: Array, spread: float, limit: int
) -> list[int]:
    """The places of the ones to return, best first as far as the others chosen allow. `lengths` in terms."""
    if len(relativity) <= limit:
        return list(range(len(relativity)))
    scores = np.clip(relativity, 1e-9, 1 - 1e-9)
    scores = np.log(scores / (1 - scores))
    nearness = _nearness(vectors, has_vector, spread)
    penalty, price = np.zeros(len(scores)), PRICE * np.log1p(np.minimum(lengths, DEAREST))
    is_left = np.ones(len(scores), dtype=bool)
    chosen: list[int] = []
    for _ in range(limit):
        costs = COST * penalty + price * (len(chosen) >= CHEAP_FROM)
        best = int(np.argmax(np.where(is_left, scores - costs, -np.inf)))
        chosen.append(best)
        is_left[best] = False
        penalty = np.maximum(penalty, nearness[best])
    return chosen


def _nearness(vectors: Array, has_vector: Array, spread: float) -> Array:
    """How much closer than `CLOSE` each pair is; 0 where one has no vector."""
    closeness = 1 - (1 - vectors @ vectors.T) / spread
    return np.where(np.outer(has_vector, has_vector), np.maximum(0.0, closeness - CLOSE), 0.0)
