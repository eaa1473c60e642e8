"""What an engine must be able to do, wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memories.values import Draft, Turn


class ProviderUnavailable(Exception):
    """The provider did not answer usefully this time; the same request may succeed later."""


class ProviderRefused(Exception):
    """The provider will answer the same request the same way again: wrong key, wrong model, wrong dimensions."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1. `name` is stored with every vector: only like is compared with like."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed_query(self, text: str) -> list[float]: ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]: ...


class Extractor(Protocol):
    """Finds what is worth remembering in messages. `tags` are the caller's own, to choose from."""

    def extract(self, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]: ...
