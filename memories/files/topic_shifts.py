"""Where the talk turns to something else: sentences that share few words with those before them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import sqrt

# Sentences that are looked at on either side of a gap.
WINDOW = 4
# As much of a word as its forms have in common.
STEM = 5
_WORD = re.compile(r"[^\W\d_]{4,}")
_WIDE = re.compile(r"[\u3400-\u9fff]{2,}")
_EMPTY = frozenset(
    "about above after again also another because been before being below between both cannot could does doing down"
    " during each every from further have having here hers into itself just like made make many more most much must"
    " need only other over own same shall should since some such than that their them then there these they this"
    " those through under until upon very were what when where which while will with within without would your".split()
)


def compute_topic_shifts(sentences: Sequence[str]) -> list[float]:
    """For each sentence how much the talk changes before it: 0 for as little as usual or less, up to 1."""
    bags = [_count_words(sentence) for sentence in sentences]
    likeness = [
        _compute_cosine(bags[max(0, at - WINDOW) : at], bags[at : at + WINDOW]) if at else 1.0
        for at in range(len(bags))
    ]
    usual = sum(likeness[1:]) / (len(likeness) - 1) if len(likeness) > 1 else 0.0
    return [max(0.0, (usual - cosine) / usual) if usual else 0.0 for cosine in likeness]


def _count_words(sentence: str) -> Counter[str]:
    words = (
        word[:STEM]
        for word in _WORD.findall(sentence.lower())
        if word not in _EMPTY and not _WIDE.match(word)
    )
    pairs = (run[at : at + 2] for run in _WIDE.findall(sentence) for at in range(len(run) - 1))
    return Counter([*words, *pairs])


def _compute_cosine(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> float:
    counts: Counter[str] = sum(before, Counter())
    other: Counter[str] = sum(after, Counter())
    if not counts or not other:
        return 0.0
    shared = sum(count * other[word] for word, count in counts.items() if word in other)
    return shared / sqrt(sum(n * n for n in counts.values()) * sum(n * n for n in other.values()))
