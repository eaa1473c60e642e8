"""Find where the topic changes: sentences that share few words with those before them.

The blocks of sentences on either side of a gap are compared as in TextTiling (Hearst, "TextTiling: Segmenting Text into
Multi-paragraph Subtopic Passages", Computational Linguistics 23(1), 1997): by the cosine of their word counts. A gap is
then not weighed by the depth of its valley, as there, but by how far it lies below the mean of all gaps.
"""

from __future__ import annotations

import json
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
# Lists of words separated by spaces. JSON, not TOML: the child process that reads files loads it anyway.
with open(__file__.removesuffix(".py") + ".json", encoding="utf-8") as _file:  # noqa: PTH123  # it loads no pathlib
    _EMPTY = frozenset(" ".join(json.load(_file)["en"]).split())


def compute_topic_shifts(sentences: Sequence[str]) -> list[float]:
    """Compute how much the topic changes before each sentence: 0 for as little as usual or less, up to 1.

    That is how far the cosine at its gap lies below the mean of all gaps, as a share of the mean.
    """
    bags = [_count_words(sentence) for sentence in sentences]
    likeness = [
        _compute_cosine(bags[max(0, at - WINDOW) : at], bags[at : at + WINDOW]) if at else 1.0
        for at in range(len(bags))
    ]
    usual = sum(likeness[1:]) / (len(likeness) - 1) if len(likeness) > 1 else 0.0
    return [max(0.0, (usual - cosine) / usual) if usual else 0.0 for cosine in likeness]


def _count_words(sentence: str) -> Counter[str]:
    """The beginnings of its words and its pairs of Chinese characters, each with how often it occurs."""
    words = (
        word[:STEM]
        for word in _WORD.findall(sentence.lower())
        if word not in _EMPTY and not _WIDE.match(word)
    )
    pairs = (run[at : at + 2] for run in _WIDE.findall(sentence) for at in range(len(run) - 1))
    return Counter([*words, *pairs])


def _compute_cosine(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> float:
    """The cosine of the word counts of two blocks of sentences: 0 to 1."""
    counts: Counter[str] = sum(before, Counter())
    other: Counter[str] = sum(after, Counter())
    if not counts or not other:
        return 0.0
    shared = sum(count * other[word] for word, count in counts.items() if word in other)
    return shared / sqrt(sum(n * n for n in counts.values()) * sum(n * n for n in other.values()))
