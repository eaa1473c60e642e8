"""The embeddings of a query: its own and, where a model rewrites queries, those of its other wordings."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memories.engine import get_embedder, get_rewriter
from memories.engine.calibration.background_similarity import Nearness, load_background
from memories.engine.protocols import ProviderUnavailable, Rewriter
from memories.retrieval.cache.snapshot import Snapshot
from memories.text.words.language_detection import detect_language
from tenancy.errors import SearchUnavailable
from tenancy.requests.trace import trace_stage

# As many as requests that a web process serves at once. Rewritings have threads of their own: an embedding waits for
# its rewriting, and in one pool all threads could be waiting for work that has none left.
_threads = ThreadPoolExecutor(32, thread_name_prefix="meaning")
_rewriters = ThreadPoolExecutor(32, thread_name_prefix="rewriting")
# Each engine keeps its own time limit; this one is for what stands in line before it.
LONGEST_WAIT = 30.0


class QueryWording(NamedTuple):
    """One wording of a query, its embedding (unit length, d numbers) and its language."""

    text: str
    vector: list[float]
    language: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """`wordings` begin with the query's own; there are none while a remote provider is away."""

    wordings: tuple[QueryWording, ...]

    @property
    def vector(self) -> list[float] | None:
        return self.wordings[0].vector if self.wordings else None

    def compute_nearness(self, snapshot: Snapshot) -> Nearness:
        """Compute the similarity of each row by its best wording.

        Rows without a vector of this model are NaN, because only vectors of one model can be compared.
        """
        table = snapshot.table
        known = int((table.statements & np.isnan(table.valid_until)).sum())
        nearness = Nearness.unknown(len(table))
        if self.wordings and snapshot.statements is None:
            snapshot.statements = load_background().describe(snapshot.vectors, table.is_chinese)
        for wording in self.wordings:
            near = load_background().compute_nearness(
                *wording,
                passages=snapshot.vectors,
                is_chinese=table.is_chinese,
                known=known,
                statements=snapshot.statements,
            )
            nearness = nearness.or_nearer(near)
        return nearness.where(snapshot.vectors.has_vector)


def begin_embedding(text: str) -> Future[Meaning]:
    """Embed the query in a thread: neither the model nor a provider holds the interpreter's lock meanwhile."""
    # The rewriter is chosen here: a project's own is read from the database, to which those threads have no connection.
    return _threads.submit(copy_context().run, _embed_query, text, get_rewriter())


def _embed_query(text: str, model: Rewriter | None) -> Meaning:
    """Embed the query; on failure the search uses words only, and the trace says so."""
    wordings = _rewriters.submit(copy_context().run, _rewrite_query, model, text) if model else None
    own = _embed_texts("embed", (text,))
    others = _embed_texts("embed wordings", wordings.result(LONGEST_WAIT)) if wordings and own else ()
    return Meaning((*own, *others))


def wait_for_meaning(embedding: Future[Meaning]) -> Meaning:
    """Raises `SearchUnavailable` when so many searches stand in line that this one would wait too long."""
    try:
        return embedding.result(LONGEST_WAIT)
    except TimeoutError:
        embedding.cancel()
        raise SearchUnavailable("too many searches at once") from None


def _embed_texts(name: str, texts: tuple[str, ...]) -> tuple[QueryWording, ...]:
    with trace_stage(name) as note:
        note["model"] = get_embedder().name
        try:
            wordings = tuple(
                QueryWording(text, get_embedder().embed_query(text), detect_language(text)) for text in texts
            )
            # Asked for here: a provider that fails between the two leaves a search by words, too.
            for wording in wordings:
                load_background().load_common(wording.language)
            note["calibrated"] = load_background().calibration is not None
            return wordings
        except ProviderUnavailable:
            note["unavailable"] = True
            return ()


def _rewrite_query(model: Rewriter, text: str) -> tuple[str, ...]:
    with trace_stage("rewrite") as note:
        rewriting = model.rewrite(text)
        note.update(model=model.name, wordings=len(rewriting.queries))
        if rewriting.trouble:
            note["trouble"] = rewriting.trouble
        return rewriting.queries
