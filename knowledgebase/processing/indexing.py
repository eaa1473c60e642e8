"""The memories of a file are embedded, batch by batch, while searches find them by their words already.

Embedding takes by far the longest of all steps: nobody waits for it who can do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.db.models import QuerySet

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.processing.passages import meaning_of, text_of
from knowledgebase.values import FileState
from knowledgebase.work.progress import note, note_end
from knowledgebase.work.work import Work, is_ours
from memories.engine import embedder
from memories.ingest.passages import Embedded, place_vectors
from memories.jobs import outbox
from tenancy.isolation.scoping import tenant_scope

BATCH = 32
# So many are looked up in one go; more than one run gets done.
PORTION = 1_000
Batch = Sequence[Fragment]


def index(work: Work) -> None:
    """Until every memory of the file has its vector; then the file is complete, and its task with it.

    Raises `Unfinished` between batches, and `ProviderUnavailable`.
    """
    while waiting := _waiting(work):
        for batch, vectors in _embedded([waiting[at : at + BATCH] for at in range(0, len(waiting), BATCH)]):
            with tenant_scope(work.scope):
                if not is_ours(work):
                    break
                _place(work, batch, vectors)
            work.refuse_late()


def _waiting(work: Work) -> list[Fragment]:
    """The next fragments whose memory has no vector, one for each memory; with none left the file is complete."""
    with tenant_scope(work.scope):
        if not is_ours(work):
            outbox.complete(work.task, {"emptied": True})
            return []
        found = {row.memory_id: row for row in _without_vector(work.file)[:PORTION]}
        if not found:
            _complete(work)
    return list(found.values())


def _without_vector(file: KnowledgeFile) -> QuerySet[Fragment]:
    rows = Fragment.objects.within(file.account_id).filter(file=file).select_related("memory")
    return rows.exclude(memory=None).exclude(memory__embedding_model=embedder().name)


def _complete(work: Work) -> None:
    note_end(work.file, FileState.COMPLETED, fragments_done=work.file.fragments_total)
    rows = Fragment.objects.within(work.file.account_id).filter(file=work.file).exclude(memory=None)
    outbox.complete(work.task, {"memories": rows.values("memory").distinct().count()})


def _embedded(batches: Sequence[Batch]) -> Iterator[tuple[Batch, list[list[float]]]]:
    """The next batch is embedded while this one is written."""
    with ThreadPoolExecutor(1) as ahead:
        coming = None
        for number, batch in enumerate(batches):
            vectors = (coming or ahead.submit(_vectors, batch)).result()
            following = batches[number + 1 : number + 2]
            coming = ahead.submit(_vectors, following[0]) if following else None
            yield batch, vectors


def _vectors(batch: Batch) -> list[list[float]]:
    return embedder().embed_passages([_meaning(row) for row in batch])


def _meaning(fragment: Fragment) -> str:
    """What was put right since says something else than the document, and is found by that."""
    said = _said(fragment)
    return meaning_of(fragment) if said == text_of(fragment) else said


def _said(fragment: Fragment) -> str:
    return fragment.memory.text if fragment.memory else ""


def _place(work: Work, batch: Batch, vectors: Sequence[list[float]]) -> None:
    rows = [
        Embedded(row.memory_id, _said(row), vector)
        for row, vector in zip(batch, vectors, strict=True)
        if row.memory_id is not None
    ]
    place_vectors(work.cube, rows, embedder().name)
    note(work.file, fragments_done=work.file.fragments_total - _without_vector(work.file).count())
