"""Embeds statements about people in the wording by which they are compared."""

from __future__ import annotations

from collections.abc import Sequence

from memories.engine import get_embedder
from memories.text.quotes.quoting import remove_added_dates


def embed_statements(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of unit length, one for each text; the words count, not the dates that were added to them, which searches
    compare by themselves.

    Raises `ProviderUnavailable`.
    """
    return get_embedder().embed_passages([remove_added_dates(text) for text in texts]) if texts else []
