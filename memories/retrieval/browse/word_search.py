"""Memories that hold words, found by the index of words, however many memories the project has."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery

from memories.cubes.access import within_reach
from memories.models import Memory
from memories.text.tokenize import extract_keywords
from tenancy.models import Project

# Of a word that thousands of memories hold, only so many are put in order.
ORDERED = 200
MOST_WORDS = 8
HEAVY = ("embedding", "words", "words_vector", "content_hash")


def memories_by_words(project: Project, text: str, most: int) -> list[Memory]:
    """Current memories with all these words, the last of which may be unfinished. Inside the project's scope."""
    words = extract_keywords(text)[:MOST_WORDS]
    if not words:
        return []
    wanted = SearchQuery(" & ".join(map(_lexeme, words)) + ":*", config="simple", search_type="raw")
    found = within_reach(project).current().filter(words_vector=wanted).order_by().values("pk")[:ORDERED]
    rows = within_reach(project).filter(pk__in=found)
    return list(rows.select_related("cube").defer(*HEAVY).order_by("-created_at", "-pk")[:most])


def _lexeme(word: str) -> str:
    """A word as `to_tsquery` takes it literally."""
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
