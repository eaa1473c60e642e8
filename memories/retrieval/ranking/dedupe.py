"""Drops search results that repeat a better-ranked one, by the Jaccard similarity of their terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

# Least Jaccard similarity of repeats. Below it, "lives in Beijing" and "lived in Beijing" count as repeats.
SAME_FROM = 0.92


class Distinct(NamedTuple):
    """The keys that stay, and how many candidates were dropped as repeats."""

    keys: set[Any]
    repeats: int


def drop_repeats(ranked: Iterable[tuple[Any, str]], limit: int) -> Distinct:
    """Keep the first `limit` keys of (key, terms), best first, whose terms no better one repeats."""
    kept: set[Any] = set()
    seen: list[frozenset[str]] = []
    repeats = 0
    for key, text in ranked:
        if len(kept) >= limit:
            break
        terms = frozenset(text.split())
        if _is_among(terms, seen):
            repeats += 1
        else:
            kept.add(key)
            seen.append(terms)
    return Distinct(kept, repeats)


def find_repeated_key(text: str, others: Iterable[tuple[Any, str]]) -> Any:
    """The key of the first of these (key, terms) that `text` repeats; None when there is none."""
    terms = frozenset(text.split())
    return next((key for key, other in others if _is_among(terms, [frozenset(other.split())])), None)


def _is_among(terms: frozenset[str], seen: Iterable[frozenset[str]]) -> bool:
    """Whether one of these sets shares nearly all terms. Texts without terms are never repeats."""
    # Sets of too different a size cannot overlap enough: most pairs end here.
    least, most = len(terms) * SAME_FROM, len(terms) / SAME_FROM
    for others in seen:
        is_alike = others and least <= len(others) <= most
        if is_alike and len(terms & others) >= SAME_FROM * len(terms | others):
            return True
    return False
