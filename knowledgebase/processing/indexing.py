"""Embed the memories of a file, batch by batch.

Embedding takes longest of all steps, so it comes last: the memories can already be found by their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.db.models import QuerySet

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.processing.fragment_text import build_embedding_text, format_passage_text
from knowledgebase.values import FileState
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import finish_file, update_file
from memories.engine import get_embedder
from memories.ingest.passages import EmbeddedMemory, place_vectors
from memories.jobs import outbox

BATCH = 32
# Fragments read at a time: more than one run gets done.
PORTION = 1_000
Batch = Sequence[Fragment]


def embed_memories(work: FileWork) -> None:
    """Embed until every memory of the file has its vector, then complete the file and its task.

    Raises `Unfinished` between batches, `FileDeleted`, and `ProviderUnavailable`.
    """
    while waiting := _list_fragments_to_embed(work):
        for batch, vectors in _embed_batches(
            [waiting[at : at + BATCH] for at in range(0, len(waiting), BATCH)]
        ):
            with claimed(work):
                _write_vectors(work, batch, vectors)
            work.refuse_late()


def _list_fragments_to_embed(work: FileWork) -> list[Fragment]:
    """The next fragments whose memory has no vector, one per memory. Completes the file when there are none."""
    with claimed(work):
        fragments = {row.memory_id: row for row in _list_fragments_without_vector(work.file)[:PORTION]}
        if not fragments:
            _complete_file(work)
    return list(fragments.values())


def _list_fragments_without_vector(file: KnowledgeFile) -> QuerySet[Fragment]:
    rows = Fragment.objects.within(file.account_id).filter(file=file).select_related("memory")
    return rows.exclude(memory=None).exclude(memory__embedding_model=get_embedder().name)


def _complete_file(work: FileWork) -> None:
    finish_file(work.file, FileState.COMPLETED, fragments_done=work.file.fragments_total)
    rows = Fragment.objects.within(work.file.account_id).filter(file=work.file).exclude(memory=None)
    outbox.complete(work.task, {"memories": rows.values("memory").distinct().count()})


def _embed_batches(batches: Sequence[Batch]) -> Iterator[tuple[Batch, list[list[float]]]]:
    """Yield each batch with its vectors; the next batch is embedded while the caller writes this one."""
    with ThreadPoolExecutor(1) as ahead:
        coming = None
        for number, batch in enumerate(batches):
            vectors = (coming or ahead.submit(_embed_batch, batch)).result()
            following = batches[number + 1 : number + 2]
            coming = ahead.submit(_embed_batch, following[0]) if following else None
            yield batch, vectors


def _embed_batch(batch: Batch) -> list[list[float]]:
    return get_embedder().embed_passages([_get_text_to_embed(row) for row in batch])


def _get_text_to_embed(fragment: Fragment) -> str:
    """The passage, or the memory's own text where a correction changed it."""
    text = _get_memory_text(fragment)
    return build_embedding_text(fragment) if text == format_passage_text(fragment) else text


def _get_memory_text(fragment: Fragment) -> str:
    return fragment.memory.text if fragment.memory else ""


def _write_vectors(work: FileWork, batch: Batch, vectors: Sequence[list[float]]) -> None:
    rows = [
        EmbeddedMemory(row.memory_id, _get_memory_text(row), vector)
        for row, vector in zip(batch, vectors, strict=True)
        if row.memory_id is not None
    ]
    place_vectors(work.cube, rows, get_embedder().name)
    update_file(
        work.file,
        fragments_done=work.file.fragments_total - _list_fragments_without_vector(work.file).count(),
    )
