"""Boost of memories near the end user's current topic, as recent conversations and recalls show it.

A home buyer who turns to renovating asks "sort these things out for me": no word says which things. Memories near
the current topic are the more probable answers.
"""

from __future__ import annotations

import numpy as np

from memories.retrieval.ranking.features import Floats, Mask, Table, Vectors

# Seconds in which the weight of a memory for the topic halves. Counted from the newest memory, not from today: users
# who return after a holiday continue with the topic they left.
HALF_LIFE = 3 * 86_400.0
# A memory that was recalled this often weighs as much as a new one.
AS_NEW = 5
# Length of the topic vector from which the boost counts fully. Memories that were all made within an hour differ
# little from their mean, and have next to no topic.
_WHOLE = 1e-2


def topic_boost(table: Table, vectors: Vectors, has_vector: Mask) -> Floats:
    """How near each row is to the current topic: float64 from -1 (far) to 1 (near), shape (n,); 0 without a vector.

    `vectors`: float32, shape (n, d). The topic is the attention-weighted mean of the vectors minus their plain mean.
    """
    found = np.zeros(len(table))
    if has_vector.sum() < 2:
        return found
    known = vectors[has_vector].astype(float)
    weights = _attention(table)[has_vector]
    middle = known.mean(axis=0)
    topic = weights @ known / weights.sum() - middle
    nearness = (known - middle) @ topic
    largest = np.abs(nearness).max()
    if largest > 0:
        found[has_vector] = nearness / largest * min(1.0, float(np.linalg.norm(topic)) / _WHOLE)
    return found


def _attention(table: Table) -> Floats:
    """How recently each row was said or recalled: 0 to 2, shape (n,)."""
    said = _decay(table.stated_at)
    recalled = _decay(table.recalled_at) * np.minimum(table.recalls / AS_NEW, 1.0)
    return said + recalled


def _decay(timestamps: Floats) -> Floats:
    """Exponential decay by age in seconds against the newest: 1 for the newest, 0 where unknown."""
    if np.isnan(timestamps).all():
        return np.zeros(len(timestamps))
    age = np.nanmax(timestamps) - timestamps
    return np.where(np.isnan(age), 0.0, 0.5 ** (np.nan_to_num(age) / HALF_LIFE))
