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
    """Does one of these share nearly all terms? Texts without any term are never the same."""
    # Sets of too different a size cannot overlap enough: most pairs end here.
    least, most = len(terms) * SAME_FROM, len(terms) / SAME_FROM
    alike = (others for others in seen if least <= len(others) <= most)
    return any(len(terms & others) >= SAME_FROM * len(terms | others) for others in alike if others)
