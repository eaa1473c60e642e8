"""Fragments that have no memory yet become memories: written up, embedded and kept, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.passages import new_passage, text_of
from knowledgebase.progress import note
from knowledgebase.values import FileState
from knowledgebase.work import Work, is_ours
from memories import outbox
from memories.content import content_hash
from memories.documents import Passage, keep_passages
from memories.engine import embedder
from tenancy.scoping import tenant_scope

BATCH = 32
# So many are written up in one go; more than one run gets done.
PORTION = 1_000
LINKED = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """Passages to be embedded, and the fragments that say each."""

    passages: tuple[Passage, ...]
    fragments: tuple[tuple[UUID, ...], ...]


def index(work: Work) -> bool:
    """Until every fragment has its memory. False when the file was deleted: the task is complete then.

    Raises `Unfinished` between batches.
    """
    while True:
        with tenant_scope(work.scope):
            if not is_ours(work):
                outbox.complete(work.task, {"emptied": True})
                return False
            waiting = _waiting(work)
            if not waiting:
                return True
            note(work.file, state=FileState.INDEXING, fragments_done=_done(work.file))
        if not _keep_all(work, _batches(work.file, waiting)):
            return False


def _waiting(work: Work) -> list[list[Fragment]]:
    """The next fragments without a memory, those that say the same together."""
    rows = Fragment.objects.within(work.file.account_id).filter(file=work.file)
    waiting = _alike(rows.filter(memory=None)[:PORTION])
    if not waiting:
        return []
    known = _known(rows.exclude(memory=None))
    _link(work.file, {row.pk: known[said] for said in waiting.keys() & known for row in waiting[said]})
    return [rows for said, rows in waiting.items() if said not in known]


def _known(rows: QuerySet[Fragment]) -> dict[bytes, UUID | None]:
    """What the memories of the file say, and what their passages say: a correction may have put another's words."""
    said = {content_hash(text): key for key, text in rows.values_list("memory_id", "memory__text").distinct()}
    return said | {content_hash(text_of(row)): row.memory_id for row in rows}


def _alike(rows: Iterable[Fragment]) -> dict[bytes, list[Fragment]]:
    """A passage that stands in a document twice is one memory."""
    groups: dict[bytes, list[Fragment]] = {}
    for row in rows:
        groups.setdefault(content_hash(text_of(row)), []).append(row)
    return groups


def _batches(file: KnowledgeFile, waiting: Sequence[list[Fragment]]) -> list[Batch]:
    return [_batch(file, waiting[start : start + BATCH]) for start in range(0, len(waiting), BATCH)]


def _batch(file: KnowledgeFile, groups: Sequence[list[Fragment]]) -> Batch:
    passages = tuple(new_passage(file, alike[0], text_of(alike[0])) for alike in groups)
    return Batch(passages, tuple(tuple(row.pk for row in alike) for alike in groups))


def _keep_all(work: Work, portion: Sequence[Batch]) -> bool:
    for batch, vectors in _embedded(portion):
        with tenant_scope(work.scope):
            if not is_ours(work):
                outbox.complete(work.task, {"emptied": True})
                return False
            _keep(work, batch, vectors)
        work.refuse_late()
    return True


def _embedded(portion: Sequence[Batch]) -> Iterator[tuple[Batch, list[list[float]]]]:
    """The next batch is embedded while this one is written."""
    with ThreadPoolExecutor(1) as ahead:
        coming = None
        for number, batch in enumerate(portion):
            vectors = (coming or ahead.submit(_vectors, batch)).result()
            following = portion[number + 1 : number + 2]
            coming = ahead.submit(_vectors, following[0]) if following else None
            yield batch, vectors


def _vectors(batch: Batch) -> list[list[float]]:
    return embedder().embed_passages([passage.meaning for passage in batch.passages])


def _keep(work: Work, batch: Batch, vectors: Sequence[list[float]]) -> None:
    file = work.file
    keys = keep_passages(work.cube, file.pk, batch.passages, vectors, embedder().name)
    _link(file, {row: key for key, rows in zip(keys, batch.fragments, strict=True) for row in rows})
    note(file, fragments_done=_done(file))


def _done(file: KnowledgeFile) -> int:
    with_memory = Fragment.objects.within(file.account_id).filter(file=file).exclude(memory=None)
    return int(with_memory.count())


def _link(file: KnowledgeFile, memories: Mapping[UUID, UUID | None]) -> None:
    rows = [Fragment(pk=row, memory_id=key) for row, key in memories.items()]
    Fragment.objects.within(file.account_id).bulk_update(rows, ["memory"], LINKED)
