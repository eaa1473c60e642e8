"""Embeds statements about people in the wording by which they are compared."""

from __future__ import annotations

from collections.abc import Sequence

from memories.engine import embedder
from memories.text.quotes.quoting import without_date


def embed_statements(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of unit length, one for each text; of a quotation the words count, not the day on which they were said.

    Raises `ProviderUnavailable`.
    """
    return embedder().embed_passages([without_date(text) for text in texts]) if texts else []
