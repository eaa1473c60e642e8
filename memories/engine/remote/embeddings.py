"""Embeddings from any server that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import numpy as np

from memories.engine.protocols import ProviderRefused, ProviderUnavailable

_TIMEOUT = httpx.Timeout(10, connect=2)
# The read time-out starts again with every byte; this one does not.
_LONGEST_ANSWER_SECONDS = 30
_LARGEST_ANSWER_BYTES = 32 * 2**20
_BATCH = 64
_RETRYABLE = frozenset({408, 409, 425, 429})


class RemoteEmbedder:
    def __init__(self, base_url: str, api_key: str, model: str, dimensions: int) -> None:
        self.name = model
        self.dimensions = dimensions
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._client = httpx.Client(headers=_headers(api_key), timeout=_TIMEOUT)

    def embed_query(self, text: str) -> list[float]:
        return self._embed([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector for batch in _batches(texts) for vector in self._embed(batch)]

    def _embed(self, texts: list[str]) -> list[list[float]]:
        # Several servers refuse empty input and the NUL character.
        cleaned = [text.replace("\0", " ").strip() or "-" for text in texts]
        answer = self._post({"model": self.name, "input": cleaned, "encoding_format": "float"})
        return [self._checked(vector) for vector in _vectors_in(answer, len(texts))]

    def _post(self, body: dict[str, Any]) -> bytes:
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                _raise_for_status(response)
                return _read_within_limits(response)
        except httpx.HTTPError as problem:
            raise ProviderUnavailable(
                f"The embedding server did not answer: {type(problem).__name__}."
            ) from problem

    def _checked(self, raw: Any) -> list[float]:
        vector = _numbers(raw)
        if len(vector) != self.dimensions:
            raise ProviderRefused(
                f"{self.name} gives {len(vector)} dimensions, {self.dimensions} are configured."
            )
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise ProviderUnavailable("The embedding server sent a vector that is not finite, or zero.")
        return [float(number) for number in vector / length]


def _headers(api_key: str) -> dict[str, str]:
    # Servers in one's own house often have no key.
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield list(texts[start : start + _BATCH])


def _raise_for_status(response: httpx.Response) -> None:
    """The body is not quoted: providers repeat the input in it, and sometimes the key."""
    if response.is_success:
        return
    message = f"The embedding server answered {response.status_code}."
    if response.status_code >= 500 or response.status_code in _RETRYABLE:
        raise ProviderUnavailable(message)
    raise ProviderRefused(message)


def _read_within_limits(response: httpx.Response) -> bytes:
    deadline = time.monotonic() + _LONGEST_ANSWER_SECONDS
    read = bytearray()
    for piece in response.iter_bytes():
        read += piece
        if len(read) > _LARGEST_ANSWER_BYTES:
            raise ProviderRefused("The embedding server's answer is larger than 32 MiB.")
        if time.monotonic() > deadline:
            raise ProviderUnavailable("The embedding server's answer took too long.")
    return bytes(read)


def _vectors_in(answer: bytes, expected: int) -> list[Any]:
    try:
        rows = sorted(json.loads(answer)["data"], key=lambda row: row["index"])
        vectors = [row["embedding"] for row in rows]
        places = [row["index"] for row in rows]
    except (ValueError, KeyError, TypeError) as problem:
        raise ProviderUnavailable(
            "The embedding server's answer is not the JSON that was asked for."
        ) from problem
    if places != list(range(expected)):
        raise ProviderUnavailable(f"The embedding server sent {len(vectors)} vectors for {expected} texts.")
    return vectors


def _numbers(raw: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        vector = np.asarray(raw, dtype=np.float64)
    except (ValueError, TypeError) as problem:
        raise ProviderUnavailable("The embedding server sent something else than numbers.") from problem
    if vector.ndim != 1:
        raise ProviderUnavailable("The embedding server sent something else than a list of numbers.")
    return vector
