"""Embeddings from any server that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from memories.engine.client.http_json import Deadline, Provider
from memories.engine.client.prompt_fence import remove_unencodable
from memories.engine.protocols import ProviderRefused, ProviderUnavailable

_BATCH = 64
# Somebody waits for a query; a worker has time, and tries again.
_QUERY_SECONDS, _QUERY_ATTEMPTS = 10.0, 1
_BATCH_SECONDS, _BATCH_ATTEMPTS = 30.0, 2


class RemoteEmbedder:
    def __init__(self, base_url: str, api_key: str, model: str, dimensions: int) -> None:
        self.name = model
        self.dimensions = dimensions
        self._provider = Provider(base_url, api_key)

    def embed_query(self, text: str) -> list[float]:
        return self._embed_batch([text], Deadline.after(_QUERY_SECONDS), _QUERY_ATTEMPTS)[0]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Few and short ones, for which a search may wait."""
        deadline = Deadline.after(_QUERY_SECONDS)
        return [
            vector
            for batch in _split_batches(texts)
            for vector in self._embed_batch(batch, deadline, _QUERY_ATTEMPTS)
        ]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [
            vector
            for batch in _split_batches(texts)
            for vector in self._embed_batch(batch, Deadline.after(_BATCH_SECONDS), _BATCH_ATTEMPTS)
        ]

    def _embed_batch(self, texts: list[str], deadline: Deadline, attempts: int) -> list[list[float]]:
        # Several servers refuse empty input.
        cleaned = [remove_unencodable(text).strip() or "-" for text in texts]
        body = {"model": self.name, "input": cleaned, "encoding_format": "float"}
        answer = self._provider.post("/embeddings", body, deadline, attempts)
        return [self._check_vector(vector) for vector in _read_vectors(answer, len(texts))]

    def _check_vector(self, raw: Any) -> list[float]:
        vector = _parse_numbers(raw)
        if len(vector) != self.dimensions:
            raise ProviderRefused(
                f"{self.name} gives {len(vector)} dimensions, {self.dimensions} are configured."
            )
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise ProviderUnavailable("The embedding server sent a vector that is not finite, or zero.")
        return [float(number) for number in vector / length]


def _split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield list(texts[start : start + _BATCH])


def _read_vectors(answer: Any, expected: int) -> list[Any]:
    try:
        rows = sorted(answer["data"], key=lambda row: row["index"])
        vectors = [row["embedding"] for row in rows]
        places = [row["index"] for row in rows]
    except (KeyError, TypeError) as error:
        raise ProviderUnavailable(
            "The embedding server's answer is not the JSON that was asked for."
        ) from error
    if places != list(range(expected)):
        raise ProviderUnavailable(f"The embedding server sent {len(vectors)} vectors for {expected} texts.")
    return vectors


def _parse_numbers(raw: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One embedding: float64, shape (d,). Raises `ProviderUnavailable` for what is no list of numbers."""
    try:
        vector = np.asarray(raw, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ProviderUnavailable("The embedding server sent something else than numbers.") from error
    if vector.ndim != 1:
        raise ProviderUnavailable("The embedding server sent something else than a list of numbers.")
    return vector
