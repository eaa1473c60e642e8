"""Select, from more passages than can be scored, the nearest by vector and those with rare words.

Never all matches of the words: in a hundred thousand passages a common word has fifty thousand. The rarest words are
looked for alone, the others together or side by side, and only so many of what they find are weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from operator import and_, or_
from uuid import UUID

import numpy as np
from django.contrib.postgres.search import SearchQuery as Words
from django.db import connection
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, VectorField

from memories.engine import get_embedder
from memories.models.memory import MemoryQuerySet
from memories.retrieval.candidates.vector_index import has_index
from memories.retrieval.queries.parser import Question
from memories.retrieval.ranking.arrays import Floats
from memories.retrieval.ranking.candidate_table import Frequencies
from memories.values import MemoryKind

# The ranker's best nine were nearly always among so many.
BEST_BY_MEANING, BEST_BY_WORDS = 200, 100
# So many rows that hold the words are looked at, whichever the database finds first.
MOST_MATCHES = 400
# What is in more rows than this is looked for beside a rarer word only.
_COMMON = 5_000
# Of a pasted page, more pairs than these tell nothing more.
_MOST_PAIRS = 12
_TOGETHER = 4
# Up to so many rows, comparing every vector takes no longer than the index, and misses none.
EXACT_UP_TO = 10_000
# The index's own default of 40 finds two thirds of the nearest: vectors of one language model lie close together.
# It goes on through other tenants' rows until it has enough of these cubes', but not without end.
_INDEX_SETTINGS = (
    "SET LOCAL hnsw.ef_search = 400; SET LOCAL hnsw.iterative_scan = relaxed_order;"
    " SET LOCAL hnsw.max_scan_tuples = 40000"
)


@dataclass(frozen=True, slots=True)
class Selected:
    """The keys, and for the trace by which way each half of them was found."""

    keys: frozenset[UUID]
    by_meaning: str
    by_words: str


def select_passages(
    passages: MemoryQuerySet,
    question: Question,
    vector: Callable[[], list[float] | None],
    known: Frequencies,
) -> Selected:
    """Select passages by words and vector, inside the tenant scope.

    The words are looked for while the question is still being embedded.
    """
    by_words, words_way = _find_best_by_words(passages, question, known)
    by_meaning, meaning_way = find_best_by_meaning(passages, vector(), known.rows)
    return Selected(frozenset([*by_meaning, *by_words]), meaning_way, words_way)


def find_best_by_meaning(
    passages: MemoryQuerySet, vector: list[float] | None, rows: float
) -> tuple[list[UUID], str]:
    if vector is None:
        return [], "no vector"
    model = get_embedder()
    mine = passages.filter(kind=MemoryKind.KNOWLEDGE, embedding_model=model.name)
    # The index is over vectors of one width: an expression without it is compared row by row.
    of_width = Cast("embedding", VectorField(dimensions=model.dimensions))
    way = "exact"
    if rows > EXACT_UP_TO and has_index(model.name):
        way = "index"
        with connection.cursor() as cursor:
            cursor.execute(_INDEX_SETTINGS)
    near = CosineDistance(of_width if way == "index" else "embedding", vector)
    keys = list(mine.order_by(near).values_list("pk", flat=True)[:BEST_BY_MEANING])
    if way == "index" and len(keys) < min(BEST_BY_MEANING, rows):
        # Others' rows lay nearer, more than the index goes through; or a filter let few pass.
        near, way = CosineDistance("embedding", vector), "index, then exact"
        keys = list(mine.order_by(near).values_list("pk", flat=True)[:BEST_BY_MEANING])
    return keys, way


def _find_best_by_words(
    passages: MemoryQuerySet, question: Question, known: Frequencies
) -> tuple[list[UUID], str]:
    if not may_search_words():
        return [], "not indexed"
    wanted = build_words_query(question.terms, known)
    if wanted is None:
        return [], "too common"
    rows = list(passages.filter(words_vector=wanted).values_list("pk", "words")[:MOST_MATCHES])
    fits = _fits([words for _, words in rows], question.terms, known)
    best = np.argsort(-fits, kind="stable")[:BEST_BY_WORDS]
    return [rows[place][0] for place in best], "all" if len(rows) < MOST_MATCHES else "capped"


def build_words_query(terms: Sequence[str], known: Frequencies) -> Words | None:
    """One question for the index whose answer is short; None where all words are too common."""
    found_in = known.found_in
    order = sorted(range(len(terms)), key=lambda at: found_in[at])
    parts: list[Words] = []
    expected = 0.0
    for at in order:
        expected += found_in[at]
        if expected > MOST_MATCHES:
            break
        parts.append(_build_word_query(terms[at]))
    for first, second in list(pairwise(range(len(terms))))[:_MOST_PAIRS]:
        if _is_short(found_in[[first, second]], known.rows):
            parts.append(Words(f"{terms[first]} {terms[second]}", config="simple", search_type="phrase"))
    if len(order) > 2 and _is_short(found_in[order[:_TOGETHER]], known.rows):
        parts.append(reduce(and_, [_build_word_query(terms[at]) for at in order[:_TOGETHER]]))
    return reduce(or_, parts) if parts else None


def _build_word_query(term: str) -> Words:
    return Words(term, config="simple")


def _is_short(found_in: Floats, rows: float) -> bool:
    """Return whether few rows can be expected to have all of these words. `found_in`: how many have each, shape
    (t,)."""
    expected = rows * float(np.prod(found_in / max(rows, 1.0)))
    return expected <= MOST_MATCHES and float(found_in.min()) <= _COMMON


def _fits(texts: Sequence[str], terms: Sequence[str], known: Frequencies) -> Floats:
    """Return how much each text tells of the question; neighbours that are neighbours in it too tell as much again.

    One number for each text: float64, shape (k,). Words count by their inverse document frequency (Robertson & Zaragoza
    2009, equation 3.3).
    """
    weights = np.log1p((known.rows - known.found_in + 0.5) / (known.found_in + 0.5))
    fits = np.zeros(len(texts))
    for place, text in enumerate(texts):
        spaced = f" {text} "
        fits[place] = sum(
            weight for term, weight in zip(terms, weights, strict=True) if f" {term} " in spaced
        )
        fits[place] += sum(
            min(weights[at], weights[at + 1])
            for at in range(len(terms) - 1)
            if f" {terms[at]} {terms[at + 1]} " in spaced
        )
    return fits


@cache
def may_search_words() -> bool:
    """Return whether the index of words may be used under row-level security.

    Postgres compares nothing of a row before row-level security has been asked, unless the comparison is known to leak
    nothing. Its own for words is not declared so; the bundled database's is (`console/embedded/services/roles.py`),
    another's is when its administrator does the same.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proleakproof FROM pg_proc WHERE oid = 'ts_match_vq(tsvector,tsquery)'::regprocedure"
        )
        return bool(cursor.fetchone()[0])
