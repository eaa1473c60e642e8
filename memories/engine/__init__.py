"""The engines of this installation or of a project's own provider: extraction, embedding, reranking, answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings

from memories.engine.answering import Answerer
from memories.engine.protocols import Embedder, Extraction, Extractor, Reranker, Rewriter
from memories.engine.provider_choice import ProviderChoice, choose_provider, working_for
from memories.values import Turn
from tenancy.isolation.scoping import Scope

if TYPE_CHECKING:
    from memories.engine.client.chat import ChatModel
    from memories.engine.remote.extractor import RemoteExtractor

# The names that the contract lets callers choose from. A provider that serves one of them lists it in LLM_CHAT_MODELS;
# else the installation's own model answers in its place.
CONTRACT_MODELS = ("qwen3-32b", "deepseek-r1", "qwen2.5-72b-instruct")
# Clients give up after 30 s; what comes in pieces may take longer.
ANSWER_SECONDS = 25
# Engines of so many projects with providers of their own; one that was let go is made anew.
MOST_KEPT = 500


# Engines are imported where they are chosen: the clients of models need Django's tables, which programs that only read
# by rules do not have, and the rules take 0.4 s, which every command of `manage.py` would pay for.
@cache
def get_embedder() -> Embedder:
    choice: dict[str, Any] = settings.EMBEDDING
    if choice["ENGINE"] == "local":
        from memories.engine.local.embedder import LocalE5

        return LocalE5()
    from memories.engine.remote.embeddings import RemoteEmbedder

    return RemoteEmbedder(choice["BASE_URL"], choice["API_KEY"], choice["MODEL"], choice["DIMENSIONS"])


def load_local_models() -> None:
    """Load what the first English message and the first memory would wait for: 170 MB.

    Both models have one thread and no open files, so a process that has loaded them may fork.
    """
    from memories.engine.local.english.parsing.parser import parse_sentences

    parse_sentences(["I live in Leeds."])
    if settings.EMBEDDING["ENGINE"] == "local":
        get_embedder().embed_passages(["I live in Leeds."])


def extract(turns: Sequence[Turn], tags: Sequence[str], known: int = 0, wishes: str = "") -> Extraction:
    """Return what the extractor proposes, and who did. The first `known` turns only help to understand the others;
    `wishes` are the project's own, which only a model can read."""
    model = _get_model_extractor()
    if model is not None:
        return model.propose(turns, tags, known, wishes)
    local = get_rule_extractor()
    return Extraction(local.extract(turns, tags), local.name)


def get_chat_model() -> ChatModel | None:
    """The one of whom the work is for; None where no model is configured."""
    choice = choose_provider()
    return _build_chat_model(choice) if choice.base_url else None


def get_chat_model_for(scope: Scope) -> ChatModel | None:
    with working_for(scope):
        return get_chat_model()


@lru_cache(MOST_KEPT)
def _build_chat_model(choice: ProviderChoice) -> ChatModel:
    from memories.engine.client.chat import ChatModel
    from memories.engine.client.http_json import Provider

    provider = Provider(choice.base_url, choice.api_key, choice.owner)
    return ChatModel(provider, choice.model, choice.output_tokens)


def list_chat_model_names(scope: Scope | None = None) -> tuple[str, ...]:
    """The names of models that a caller of chat may send."""
    with working_for(scope) if scope else nullcontext():
        choice = choose_provider()
    own = [choice.model] if choice.base_url else []
    return tuple(dict.fromkeys([*CONTRACT_MODELS, *own, *choice.chat_models]))


def get_answerer(scope: Scope) -> Answerer:
    """The model's where one is configured; where that fails, memories are put together without it."""
    with working_for(scope):
        choice = choose_provider()
    return _build_answerer(choice) if choice.base_url else _get_local_answerer()


@cache
def _get_local_answerer() -> Answerer:
    from memories.engine.local.answers.answer import LocalAnswerer  # 30 MiB, most of it Chinese words

    return LocalAnswerer(get_embedder())


@lru_cache(MOST_KEPT)
def _build_answerer(choice: ProviderChoice) -> Answerer:
    from memories.engine.client.guarded_transport import load_tls_context
    from memories.engine.client.streaming import StreamingProvider, StreamTimeouts
    from memories.engine.remote.answerer import RemoteAnswerer
    from memories.engine.remote.chat_prompt import Bounds
    from memories.engine.remote.chat_stream import SpeakingModel
    from memories.engine.remote.fallback_answerer import FallbackAnswerer

    load_tls_context()  # here, so that no stream waits for the certificates
    provider = StreamingProvider(choice.base_url, choice.api_key, choice.owner)
    names = dict.fromkeys([choice.model, *choice.chat_models])
    models = {name: SpeakingModel(provider, name, choice.chat_tokens) for name in names}
    seconds, timeouts = min(choice.seconds, ANSWER_SECONDS), StreamTimeouts(choice.seconds)
    remote = RemoteAnswerer(models, Bounds(seconds, choice.input_tokens, choice.chat_tokens, timeouts))
    return FallbackAnswerer(remote, _get_hurried_answerer())


@cache
def _get_hurried_answerer() -> Answerer:
    """The answerer for the rest of a request's time: it asks no server to embed sentences."""
    from memories.engine.local.answers.answer import LocalAnswerer

    return LocalAnswerer(get_embedder() if settings.EMBEDDING["ENGINE"] == "local" else None)


def get_rewriter() -> Rewriter | None:
    """The rewriter of queries; None unless the settings ask for it."""
    if not settings.LLM["REWRITES"]:
        return None
    model = get_chat_model()
    return _build_rewriter(model) if model else None


@lru_cache(MOST_KEPT)
def _build_rewriter(model: ChatModel) -> Rewriter:
    from memories.engine.remote.rewriter import RemoteRewriter

    return RemoteRewriter(model, settings.LLM["REWRITE_MILLISECONDS"] / 1000)


@cache
def get_reranker() -> Reranker | None:
    """The reranking model; None where none is configured."""
    choice: dict[str, Any] = settings.RERANK
    if not choice["BASE_URL"]:
        return None
    from memories.engine.client.http_json import Provider
    from memories.engine.remote.reranker import RemoteReranker

    provider = Provider(choice["BASE_URL"], choice["API_KEY"])
    return RemoteReranker(provider, choice["MODEL"], choice["MILLISECONDS"] / 1000)


@cache
def get_rule_extractor() -> Extractor:
    """The rules, whether a model is configured or not: for what has to be read the same way in every installation."""
    from memories.engine.local.extractor import LocalExtractor

    return LocalExtractor()


def _get_model_extractor() -> RemoteExtractor | None:
    model = get_chat_model()
    return _build_remote_extractor(model, choose_provider()) if model else None


@lru_cache(MOST_KEPT)
def _build_remote_extractor(model: ChatModel, choice: ProviderChoice) -> RemoteExtractor:
    from memories.engine.remote.extractor import QuestionLimits, RemoteExtractor

    limits = QuestionLimits(choice.seconds, choice.input_tokens)
    return RemoteExtractor(model, get_rule_extractor(), limits)
