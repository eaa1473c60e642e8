"""The default embedder: multilingual-e5-small in whole numbers, inside the process, without network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memories.engine.local.embedder.encoder import Encoder

NAME = "multilingual-e5-small"
DIMENSIONS = 384

# Half a millisecond a token and more: a pasted page must not hold a search for seconds. 2,000 characters of
# English are what the model reads in one go.
_QUERY_TOKENS = 150
_PASSAGE_CHARACTERS = 2_000
_CACHED_QUERIES = 256
_THREADS = 2

_loading = threading.Lock()
_encoder: Encoder | None = None


def _load_encoder() -> Encoder:
    """The one encoder of this process, which all its threads share."""
    global _encoder
    with _loading:
        if _encoder is None:
            # ONNX Runtime: 11 MiB, which a process that never embeds need not pay (`benchmarks.idle_memory`).
            from memories.engine.local.embedder.encoder import Encoder

            _encoder = Encoder()
        return _encoder


class LocalE5:
    name = NAME
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        # In memory only, because the texts are end users' words.
        self._query_vector = lru_cache(_CACHED_QUERIES)(_embed_query_text)

    def embed_query(self, text: str) -> list[float]:
        return list(self._query_vector(_clean_text(_keep_ends(text, _QUERY_TOKENS))))

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        cleaned = [_clean_text(text[:_PASSAGE_CHARACTERS]) for text in texts]
        if len(cleaned) < 2:
            return [_embed_passage_text(text) for text in cleaned]
        # ONNX Runtime releases the interpreter, so two threads do use two cores.
        with ThreadPoolExecutor(_THREADS) as pool:
            return list(pool.map(_embed_passage_text, cleaned))


def _embed_query_text(text: str) -> tuple[float, ...]:
    return tuple(_load_encoder().encode(f"query: {text}").tolist())


def _embed_passage_text(text: str) -> list[float]:
    vector: list[float] = _load_encoder().encode(f"passage: {text}").tolist()
    return vector


def _keep_ends(text: str, tokens: int) -> str:
    """The beginning and the end of a long text: the question stands in one of them."""
    most = 4 * tokens
    sample = text if len(text) <= most else f"{text[: most // 2]} {text[-most // 2 :]}"
    # Letters of English share a token by four; a Chinese character or a sign is one by itself.
    weight = sum(
        0.25 if letter.isascii() and (letter.isalnum() or letter == " ") else 1.0 for letter in sample
    )
    if weight <= tokens:
        return sample
    half = int(len(sample) * tokens / weight / 2)
    return f"{sample[:half]} {sample[-half:]}"


def _clean_text(text: str) -> str:
    # No piece of the vocabulary holds these; lone surrogates are no UTF-8 either, which caches' keys may have to be.
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
