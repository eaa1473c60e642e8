"""What an end user is busy with these days: the topics that recent conversations and recalls point at.

A home buyer who turns to renovating asks "sort these things out for me": no word says which things. Memories near
the present topic are the likelier ones.
"""

from __future__ import annotations

import numpy as np

from memories.retrieval.ranking.features import Array, Table

# An interest halves in three days without a new word about it. Counted from the last word, not from today: who
# comes back after a holiday goes on where they stopped.
HALF_LIFE = 3 * 86_400.0
# A memory that was recalled this often tells as much of the topic as one that is new.
AS_NEW = 5
# The less the newer differs from the whole, the less of a topic it is: what was said within an hour has next to none.
_WHOLE = 1e-2


def topic_boost(table: Table, vectors: Array, has_vector: Array) -> Array:
    """From -1 to 1 for each row: how near it is to the present topic, or how far from it. 0 without a vector."""
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


def _attention(table: Table) -> Array:
    """How recently each was said or recalled, between 0 and 2."""
    said = _fading(table.made_at)
    recalled = _fading(table.recalled_at) * np.minimum(table.recalls / AS_NEW, 1.0)
    return said + recalled


def _fading(moments: Array) -> Array:
    if np.isnan(moments).all():
        return np.zeros(len(moments))
    age = np.nanmax(moments) - moments
    return np.where(np.isnan(age), 0.0, 0.5 ** (np.nan_to_num(age) / HALF_LIFE))
