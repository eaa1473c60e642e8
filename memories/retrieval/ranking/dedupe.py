"""Drop search results that repeat a better-ranked one: those with exactly the same terms, in any order.

A share of equal terms would not do: two long texts that differ by one name, number or date say different things.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Distinct(NamedTuple):
    """The keys that stay, and how many candidates were dropped as repeats."""

    keys: set[Any]
    repeats: int


def drop_repeats(ranked: Iterable[tuple[Any, str]], limit: int) -> Distinct:
    """Keep the first `limit` keys of (key, terms), best first, whose terms no better one repeats."""
    kept: set[Any] = set()
    seen: set[frozenset[str]] = set()
    repeats = 0
    for key, text in ranked:
        if len(kept) >= limit:
            break
        terms = frozenset(text.split())
        if terms and terms in seen:
            repeats += 1
        else:
            kept.add(key)
            seen.add(terms)
    return Distinct(kept, repeats)


def find_repeated_key(text: str, others: Iterable[tuple[Any, str]]) -> Any:
    """The key of the first of these (key, terms) that `text` repeats; None when there is none, as of no terms."""
    terms = frozenset(text.split())
    return next((key for key, other in others if terms and frozenset(other.split()) == terms), None)
