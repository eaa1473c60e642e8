"""Rerank texts for a query by any server with the usual `/rerank`."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from memories.engine import metering
from memories.engine.client.http_json import Deadline, Provider
from memories.engine.client.prompt_fence import remove_unencodable
from memories.engine.protocols import MODEL_ERRORS, AnswerUseless, Reranking
from tenancy.metering.model_usage import Spent

log = logging.getLogger(__name__)

PURPOSE = "reranking"
_LONGEST_DOCUMENT = 2_000


class RemoteReranker:
    """Reranks search results with a model; without an answer in time the order stays as it is."""

    def __init__(self, provider: Provider, model: str, seconds: float) -> None:
        self.name = model
        self._provider = provider
        self._seconds = seconds

    def rerank(self, query: str, documents: Sequence[str]) -> Reranking:
        if not documents:
            return Reranking((), ())
        # Several servers refuse empty documents.
        texts = [remove_unencodable(document[:_LONGEST_DOCUMENT]).strip() or "-" for document in documents]
        body = {
            "model": self.name,
            "query": remove_unencodable(query),
            "documents": texts,
            "top_n": len(texts),
        }
        try:
            answer = self._provider.post("/rerank", body, Deadline.after(self._seconds), attempts=2)
            self._count_tokens(answer, [query, *texts])
            scores = _read_scores(answer, len(texts))
        except MODEL_ERRORS as error:
            log.warning("hits_not_reranked", extra={"reason": str(error), "provider": self.name})
            return Reranking(tuple(range(len(texts))), (), str(error))
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        return Reranking(tuple(order), tuple(scores))

    def _count_tokens(self, answer: Any, asked: list[str]) -> None:
        usage = answer.get("usage") if isinstance(answer, dict) else None
        tokens = usage.get("prompt_tokens", usage.get("total_tokens")) if isinstance(usage, dict) else None
        if type(tokens) is int and 0 <= tokens < 2**31:
            metering.record_usage(Spent(PURPOSE, self.name, tokens, 0))
        else:
            metering.record_usage(
                Spent(
                    PURPOSE, self.name, sum(map(metering.estimate_prompt_tokens, asked)), 0, is_estimated=True
                )
            )


def _read_scores(answer: Any, expected: int) -> list[float]:
    """Each document's score by its place. Servers call the list "results" or "data", and the number by two names."""
    try:
        rows = answer["results"] if "results" in answer else answer["data"]
        score_by_place = {
            row["index"]: row["relevance_score"] if "relevance_score" in row else row["score"] for row in rows
        }
    except (KeyError, TypeError):
        raise AnswerUseless("invalid answer") from None
    scores = [score_by_place.get(place) for place in range(expected)]
    if len(rows) != expected or not all(_is_number(score) for score in scores):
        raise AnswerUseless("invalid answer")
    return _normalise_scores([float(score) for score in scores if score is not None])


def _is_number(score: Any) -> bool:
    return type(score) in (int, float) and math.isfinite(score)


def _normalise_scores(scores: list[float]) -> list[float]:
    """Scores from 0 to 1. Some models answer logits (log-odds); the logistic function keeps their order."""
    if all(0 <= score <= 1 for score in scores):
        return scores
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in scores]
