"""Embeds statements about people in the wording by which they are compared."""

from __future__ import annotations

from collections.abc import Sequence

from memories.engine import get_embedder
from memories.text.quotes.quoting import remove_quote_date


def embed_statements(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of unit length, one for each text; of a quotation the words count, not the day on which they were said.

    Raises `ProviderUnavailable`.
    """
    return get_embedder().embed_passages([remove_quote_date(text) for text in texts]) if texts else []
