"""Chinese words with their classes, as the dictionary of rjieba has them: a hint, for it errs on words of two
classes."""

from __future__ import annotations

from functools import lru_cache

LONGEST_TAGGED = 400
# Classes of words that open no order: time, place, adverbs, pronouns, numbers, conjunctions, names.
CLOSED = frozenset("t d f r c m q mq ns nr nt s u ul uj y o e i l".split())


@lru_cache(2_000)
def tag_words(text: str) -> tuple[tuple[str, str], ...]:
    """The words of a text, each with its class in the tags of ICTCLAS: "v" for verbs, "nr" for people's names."""
    import rjieba  # 30 MiB, which purely English installations need not pay

    return tuple(rjieba.tag(text[:LONGEST_TAGGED]))


def find_names(text: str) -> list[str]:
    """Names of people and places."""
    return [word for word, tag in tag_words(text) if tag in {"nr", "ns", "nrt", "nrfg"}]
