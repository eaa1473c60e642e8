"""The engines that this installation uses, as its settings say. One of each per process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings

from memories.engine.answering import Answerer
from memories.engine.protocols import Embedder, Extraction, Extractor, Reranker, Rewriter
from memories.values import Turn

if TYPE_CHECKING:
    from memories.engine.remote.chat import ChatModel
    from memories.engine.remote.extractor import RemoteExtractor

# The names that the contract lets callers choose from. A provider that serves one of them lists it in LLM_CHAT_MODELS;
# else the installation's own model answers in its place.
CONTRACT_MODELS = ("qwen3-32b", "deepseek-r1", "qwen2.5-72b-instruct")
# Clients give up after 30 s; what comes in pieces may take longer.
ANSWER_SECONDS = 25


@cache
def embedder() -> Embedder:
    choice: dict[str, Any] = settings.EMBEDDING
    if choice["ENGINE"] == "local":
        from memories.engine.local.e5 import LocalE5

        return LocalE5()
    from memories.engine.remote.embeddings import RemoteEmbedder

    return RemoteEmbedder(choice["BASE_URL"], choice["API_KEY"], choice["MODEL"], choice["DIMENSIONS"])


def extractor() -> Extractor:
    """The model's where one is configured; it lets the rules answer where the model does not."""
    return _model_extractor() or _local_extractor()


def extract(turns: Sequence[Turn], tags: Sequence[str], known: int = 0) -> Extraction:
    """What the extractor proposes, and who did. The first `known` turns only help to understand the others."""
    model = _model_extractor()
    if model is not None:
        return model.propose(turns, tags, known)
    local = _local_extractor()
    return Extraction(local.extract(turns, tags), local.name)


@cache
def chat_model() -> ChatModel | None:
    """None where no model is configured."""
    choice: dict[str, Any] = settings.LLM
    if not choice["BASE_URL"]:
        return None
    from memories.engine.remote.chat import ChatModel
    from memories.engine.remote.wire import Provider

    return ChatModel(
        Provider(choice["BASE_URL"], choice["API_KEY"]), choice["MODEL"], choice["OUTPUT_TOKENS"]
    )


def chat_names() -> tuple[str, ...]:
    """The names of models that a caller of chat may send."""
    own = [settings.LLM["MODEL"]] if settings.LLM["BASE_URL"] else []
    return tuple(dict.fromkeys([*CONTRACT_MODELS, *own, *settings.LLM["CHAT_MODELS"]]))


@cache
def answerer() -> Answerer:
    """The model's where one is configured: an answer of the rules in its place would be no answer at all."""
    choice: dict[str, Any] = settings.LLM
    if not choice["BASE_URL"]:
        from memories.engine.local.answer import LocalAnswerer

        return LocalAnswerer(embedder())
    from memories.engine.remote.answerer import Bounds, RemoteAnswerer
    from memories.engine.remote.speaking import SpeakingModel
    from memories.engine.remote.streaming import Patience, StreamingProvider, tls

    tls()  # here, so that no stream waits for the certificates
    provider = StreamingProvider(choice["BASE_URL"], choice["API_KEY"])
    names = dict.fromkeys([choice["MODEL"], *choice["CHAT_MODELS"]])
    models = {name: SpeakingModel(provider, name, choice["CHAT_TOKENS"]) for name in names}
    seconds, patience = min(choice["SECONDS"], ANSWER_SECONDS), Patience(choice["SECONDS"])
    return RemoteAnswerer(models, Bounds(seconds, choice["INPUT_TOKENS"], choice["CHAT_TOKENS"], patience))


@cache
def rewriter() -> Rewriter | None:
    """None unless the settings ask for it."""
    model = chat_model()
    if model is None or not settings.LLM["REWRITES"]:
        return None
    from memories.engine.remote.rewriter import RemoteRewriter

    return RemoteRewriter(model, settings.LLM["REWRITE_MILLISECONDS"] / 1000)


@cache
def reranker() -> Reranker | None:
    """None where no model is configured."""
    choice: dict[str, Any] = settings.RERANK
    if not choice["BASE_URL"]:
        return None
    from memories.engine.remote.reranker import RemoteReranker
    from memories.engine.remote.wire import Provider

    provider = Provider(choice["BASE_URL"], choice["API_KEY"])
    return RemoteReranker(provider, choice["MODEL"], choice["MILLISECONDS"] / 1000)


@cache
def _local_extractor() -> Extractor:
    from memories.engine.local.extractor import LocalExtractor

    return LocalExtractor()


@cache
def _model_extractor() -> RemoteExtractor | None:
    model = chat_model()
    if model is None:
        return None
    from memories.engine.remote.extractor import Limits, RemoteExtractor

    limits = Limits(settings.LLM["SECONDS"], settings.LLM["INPUT_TOKENS"])
    return RemoteExtractor(model, _local_extractor(), limits)
