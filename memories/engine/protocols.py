"""What an engine must be able to do, wherever it runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memories.values import Draft, Turn


class ProviderUnavailable(Exception):
    """The provider did not answer usefully this time; the same request may succeed later."""


class ProviderRefused(Exception):
    """The provider will answer the same request the same way again: wrong key, wrong model, wrong dimensions."""


class AnswerUseless(Exception):
    """The model answered, but not what it was asked for: cut short, declined, or invalid after its repair."""


# What callers of a model catch that go on without it.
MODEL_ERRORS = (ProviderUnavailable, ProviderRefused, AnswerUseless)


class Embedder(Hashable, Protocol):
    """Turns texts into vectors of length 1, shape (`dimensions`,), whose products are cosines.

    `name` is stored with every vector: only like is compared with like.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed_query(self, text: str) -> list[float]: ...

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]: ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]: ...


class Extractor(Protocol):
    """Finds what is worth remembering in messages. `tags` are the caller's own, to choose from."""

    @property
    def name(self) -> str: ...

    def extract(self, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]: ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """Proposed drafts and who proposed them: an engine's name, and in brackets why another one could not.

    `dropped` counts the proposals that were not believed, by reason.
    """

    drafts: list[Draft]
    by: str
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryRewriting:
    """Other words for a query; none with the reason in `trouble` when the query has to do as it is."""

    queries: tuple[str, ...]
    trouble: str = ""


class Rewriter(Protocol):
    """Says a query in other words, up to three ways. Never fails, and keeps its time limit."""

    @property
    def name(self) -> str: ...

    def rewrite(self, query: str) -> QueryRewriting: ...


@dataclass(frozen=True, slots=True)
class Reranking:
    """Places of the documents, best first, and each document's score from 0 to 1 by its place in the question.

    With a reason in `trouble` the order is the one that was given, and there are no scores.
    """

    order: tuple[int, ...]
    scores: tuple[float, ...]
    trouble: str = ""


class Reranker(Protocol):
    """Orders texts by how well they answer a query. Never fails, and keeps its time limit."""

    @property
    def name(self) -> str: ...

    def rerank(self, query: str, documents: Sequence[str]) -> Reranking: ...
