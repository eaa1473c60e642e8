"""Boost memories near the end user's current topic, known from recent conversations and recalls.

A home buyer who turns to renovating asks "sort these things out for me": no word says which things. Memories near
the current topic are the more probable answers.
"""

from __future__ import annotations

import numpy as np

from memories.retrieval.ranking.arrays import Floats
from memories.retrieval.ranking.candidate_table import CandidateTable
from memories.retrieval.ranking.packed_vectors import PackedVectors

# Seconds in which the weight of a memory for the topic halves. Counted from the newest memory, not from today: users
# who return after a holiday continue with the topic they left.
HALF_LIFE = 3 * 86_400.0
# A memory that was recalled this often weighs as much as a new one.
AS_NEW = 5
# Length of the topic vector from which the boost counts fully. Memories that were all made within an hour differ
# little from their mean, and have next to no topic.
_WHOLE = 1e-2


def compute_topic_boost(table: CandidateTable, vectors: PackedVectors, now: float) -> Floats:
    """Compute how near each row is to the current topic: float64 from -1 (far) to 1 (near), shape (n,); 0 without a
    vector.

    The topic is the attention-weighted mean of the vectors minus their plain mean. `now` is in seconds since 1970.
    """
    is_known = vectors.has_vector
    count = int(is_known.sum())
    if count < 2:
        return np.zeros(len(table))
    weights = _compute_attention(table, now) * is_known
    shares = np.stack([is_known / count, weights / weights.sum()]).astype(np.float32)
    middle, attended = vectors.weighted_sums(shares).astype(float)
    topic = attended - middle
    nearness = (vectors @ topic.astype(np.float32)[:, None])[:, 0].astype(float) - middle @ topic
    nearness = np.where(is_known, nearness, 0.0)
    largest = np.abs(nearness).max()
    if largest == 0:
        return nearness
    return np.asarray(nearness / largest * min(1.0, float(np.linalg.norm(topic)) / _WHOLE))


def _compute_attention(table: CandidateTable, now: float) -> Floats:
    """Compute how recently each row was said or recalled: 0 to 2, shape (n,).

    What is planned has its day ahead, and is on somebody's mind now: else a date of next month would make all that was
    said today look old.
    """
    stated = _compute_decay(np.minimum(table.stated_at, now))
    recalled = _compute_decay(table.recalled_at) * np.minimum(table.recalls / AS_NEW, 1.0)
    return stated + recalled


def _compute_decay(timestamps: Floats) -> Floats:
    """Exponential decay by age in seconds against the newest: 1 for the newest, 0 where unknown."""
    if np.isnan(timestamps).all():
        return np.zeros(len(timestamps))
    age = np.nanmax(timestamps) - timestamps
    return np.where(np.isnan(age), 0.0, 0.5 ** (np.nan_to_num(age) / HALF_LIFE))
