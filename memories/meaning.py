"""A query's vectors: its own and, where a model rewrites queries, those of its other wordings."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

import numpy as np

from memories.engine import embedder, rewriter
from memories.engine.background import Level, background
from memories.engine.protocols import ProviderUnavailable, Rewriter
from memories.features import Array
from memories.snapshot import Snapshot
from tenancy.errors import SearchUnavailable
from tenancy.trace import stage

# As many as requests that a web process serves at once. Rewritings have threads of their own: an embedding waits for
# its rewriting, and in one pool all threads could be waiting for work that has none left.
_threads = ThreadPoolExecutor(32, thread_name_prefix="meaning")
_rewriters = ThreadPoolExecutor(32, thread_name_prefix="rewriting")
# Each engine keeps its own time limit; this one is for what stands in line before it.
LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """`vectors` begin with the query's own; there are none while a remote provider is away."""

    vectors: tuple[list[float], ...]

    @property
    def vector(self) -> list[float] | None:
        return self.vectors[0] if self.vectors else None

    @property
    def level(self) -> Level:
        return background().level(self.vectors[0]) if self.vectors else Level()

    def cosines(self, snapshot: Snapshot) -> Array:
        """Each row's best cosine with any wording, as if it were with the query itself."""
        if not self.vectors:
            return np.full(len(snapshot.table), np.nan)
        own = self.level
        best = snapshot.cosines(self.vectors[0])
        for vector in self.vectors[1:]:
            other = background().level(vector)
            english, chinese = own.english - other.english, own.chinese - other.chinese
            moved = snapshot.cosines(vector) + np.where(snapshot.table.is_chinese, chinese, english)
            best = np.maximum(best, moved)
        return best


def begin_embedding(text: str) -> Future[Meaning]:
    """In a thread of its own: neither the model nor a provider holds the interpreter's lock while it works."""
    # The rewriter is chosen here: a project's own is read from the database, to which those threads have no connection.
    return _threads.submit(copy_context().run, _embed, text, rewriter())


def _embed(text: str, model: Rewriter | None) -> Meaning:
    """Without vectors words alone must do, and the trace says so."""
    wordings = _rewriters.submit(copy_context().run, _rewrite, model, text) if model else None
    own = _vectors_of("embed", (text,))
    others = _vectors_of("embed wordings", wordings.result(LONGEST_WAIT)) if wordings and own else ()
    return Meaning((*own, *others))


def meaning_of(embedding: Future[Meaning]) -> Meaning:
    """Raises `SearchUnavailable` when so many searches stand in line that this one would wait too long."""
    try:
        return embedding.result(LONGEST_WAIT)
    except TimeoutError:
        embedding.cancel()
        raise SearchUnavailable("too many searches at once") from None


def _vectors_of(name: str, texts: tuple[str, ...]) -> tuple[list[float], ...]:
    with stage(name) as note:
        note["model"] = embedder().name
        try:
            return tuple(embedder().embed_query(text) for text in texts)
        except ProviderUnavailable:
            note["unavailable"] = True
            return ()


def _rewrite(model: Rewriter, text: str) -> tuple[str, ...]:
    with stage("rewrite") as note:
        rewriting = model.rewrite(text)
        note.update(model=model.name, wordings=len(rewriting.queries))
        if rewriting.trouble:
            note["trouble"] = rewriting.trouble
        return rewriting.queries
