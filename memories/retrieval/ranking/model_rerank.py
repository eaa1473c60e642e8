"""Reorders what passed the threshold by a configured reranking model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memories.engine import get_reranker
from memories.retrieval.ranking.ranker import Ranked
from tenancy.requests.trace import trace_stage

if TYPE_CHECKING:
    from memories.retrieval.search import Hit

# Models read so many in one request within their time.
READ = 50


def reorder_by_model(
    text: str, ranked: list[Ranked], load: Callable[[list[Ranked]], Sequence[Hit]]
) -> list[Ranked]:
    """Return the same memories in the model's order, unchanged where no model is configured.

    The model gives the order, the scale stays ours: the one it puts first gets the highest relativity there
    is. So 0.45 keeps its meaning, whatever a provider's scores mean.
    """
    model = get_reranker()
    if model is None or len(ranked) < 2:
        return ranked
    first, rest = ranked[:READ], ranked[READ:]
    texts = {hit.memory.pk: hit.memory.text for hit in load(first)}
    if len(texts) < len(first):
        return ranked  # one was replaced in this moment: the search will notice, and look again
    with trace_stage("rerank") as note:
        opinion = model.rerank(text, [texts[result.key] for result in first])
        note.update(model=model.name, texts=len(first))
        if opinion.trouble:
            note["trouble"] = opinion.trouble
            return ranked
    scale = [result.relativity for result in first]
    moved = [
        first[place]._replace(relativity=score) for place, score in zip(opinion.order, scale, strict=True)
    ]
    return moved + rest
