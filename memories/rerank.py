"""Texts in the order in which they answer a query: by a configured reranker, else by words and meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memories.engine import embedder, reranker
from memories.engine.background import background
from memories.engine.metering import counted_later
from memories.engine.protocols import ProviderUnavailable
from memories.words import keywords, language_of, terms
from tenancy.errors import SearchUnavailable
from tenancy.models import Project
from tenancy.scoping import Scope
from tenancy.trace import stage

# From closeness above the unrelated, and the share of the query's words, to a number from 0 to 1: a text that is as
# close as the nearest unrelated ones and shares no word gets 0.1, one with half of the words and a clear nearness 0.8.
_CLOSE, _WORDS, _GROUND = 22.0, 2.4, -2.2


@dataclass(frozen=True, slots=True)
class Placed:
    """A document's place in the request, and how well it answers, from 0 to 1."""

    index: int
    score: float


def rerank(project: Project, query: str, documents: Sequence[str]) -> list[Placed]:
    """Best first. Raises `SearchUnavailable` while neither engine answers."""
    with stage("rerank") as note, counted_later(Scope.of_project(project)):
        scores = _asked(query, documents)
        note.update(engine="model" if scores else "local", documents=len(documents))
        scores = scores or _scored(query, documents)
    placed = [Placed(index, score) for index, score in enumerate(scores)]
    return sorted(placed, key=lambda one: -one.score)


def _asked(query: str, documents: Sequence[str]) -> list[float]:
    """The configured model's scores; none where there is no model, or it did not answer in time."""
    engine = reranker()
    found = engine.rerank(query, documents).scores if engine else ()
    return [min(1.0, max(0.0, score)) for score in found]


def _scored(query: str, documents: Sequence[str]) -> list[float]:
    try:
        asked = embedder().embed_query(query)
        vectors = embedder().embed_passages(documents)
    except ProviderUnavailable as trouble:
        raise SearchUnavailable("the texts could not be embedded") from trouble
    level = background().level(asked)
    wanted = set(keywords(query))
    scores = []
    for document, cosine in zip(documents, np.array(vectors) @ np.array(asked), strict=True):
        ground = level.chinese if language_of(document) == "zh" else level.english
        share = len(wanted & set(terms(document))) / len(wanted) if wanted else 0.0
        logit = _GROUND + _CLOSE * (float(cosine) - ground) * level.scale + _WORDS * share
        scores.append(1 / (1 + math.exp(-logit)))
    return scores
