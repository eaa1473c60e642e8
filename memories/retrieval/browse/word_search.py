"""Find memories that contain words, by the word index, however many memories the project has."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery
from django.db.models import Q, Value
from django.db.models.functions import StrIndex, Upper
from django.db.models.lookups import GreaterThan

from memories.cubes.access import select_reachable_memories
from memories.models import Memory
from memories.text.words.tokenize import extract_beginning_terms, extract_keywords
from tenancy.models import Project

# Of a word that thousands of memories hold, only so many are put in order.
ORDERED = 200
MOST_WORDS = 8
HEAVY = ("embedding", "words", "words_vector", "content_hash")


def find_memories_by_words(project: Project, text: str, most: int) -> list[Memory]:
    """Current memories with all these words, the last of which may be unfinished. Inside the project's scope."""
    words = extract_keywords(text)[:MOST_WORDS]
    if not words:
        return []
    keys = (
        select_reachable_memories(project)
        .current()
        .filter(words_vector=_build_word_query(words))
        .order_by()
        .values("pk")[:ORDERED]
    )
    rows = select_reachable_memories(project).filter(pk__in=keys)
    return list(rows.select_related("cube").defer(*HEAVY).order_by("-created_at", "-pk")[:most])


def match_word_beginnings(text: str) -> Q | None:
    """The condition that a memory's text or title has this text, from the beginning of a word of its text on.

    None where the index of words cannot tell. It finds the candidates; what is compared then is estimated as true of a
    third of them, so that a list of frequent words is read in its order. PostgreSQL would take LIKE for rare, and sort
    all of them.
    """
    terms = extract_beginning_terms(text)[:MOST_WORDS]
    if not terms:
        return None
    wanted = Upper(Value(text))
    in_text, in_title = (GreaterThan(StrIndex(Upper(name), wanted), 0) for name in ("text", "title"))
    return Q(words_vector=_build_word_query(terms)) & (Q(in_text) | Q(in_title))


def _build_word_query(words: list[str]) -> SearchQuery:
    return SearchQuery(" & ".join(map(_quote_lexeme, words)) + ":*", config="simple", search_type="raw")


def _quote_lexeme(word: str) -> str:
    """A word as `to_tsquery` takes it literally."""
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
