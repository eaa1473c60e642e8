"""Takes out memories that say what a better-placed one says already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# Below this, "lives in Beijing" and "lived in Beijing" begin to look like one.
SAME_FROM = 0.92
# Further down than anybody's limit reaches, nothing needs to be compared.
_COMPARED = 60


def drop_repeats(ranked: Iterable[tuple[Any, str]]) -> set[Any]:
    """The keys that stay of (key, terms), best first: those whose terms no better one has too."""
    kept: set[Any] = set()
    seen: list[frozenset[str]] = []
    for place, (key, text) in enumerate(ranked):
        terms = frozenset(text.split())
        if place >= _COMPARED or not _is_among(terms, seen):
            kept.add(key)
            seen.append(terms)
    return kept


def _is_among(terms: frozenset[str], seen: Iterable[frozenset[str]]) -> bool:
    return any(_overlap(terms, others) >= SAME_FROM for others in seen)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared terms out of all; texts without any term are never the same."""
    smaller, larger = sorted((len(one), len(other)))
    # The smaller set bounds the overlap: most pairs end here.
    if smaller == 0 or smaller < SAME_FROM * larger:
        return 0.0
    return len(one & other) / len(one | other)
