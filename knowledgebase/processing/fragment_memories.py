"""Write a memory for each fragment that has none, batch by batch. Their vectors are added later (`indexing`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.processing.fragment_text import build_new_passage, format_passage_text
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import update_file
from memories.ingest.passages import Passage, create_passages
from memories.text.content import hash_wording

BATCH = 100
# Fragments read at a time: more than one run gets done.
PORTION = 1_000
LINKED = 500


def generate_memories(work: FileWork) -> None:
    """Write memories until every fragment has one. Raises `Unfinished` between batches, and `FileDeleted`."""
    while True:
        with claimed(work):
            waiting = _list_fragments_without_memory(work)
        if not waiting:
            return
        for start in range(0, len(waiting), BATCH):
            _write_memories(work, waiting[start : start + BATCH])


def _list_fragments_without_memory(work: FileWork) -> list[list[Fragment]]:
    """The next fragments without a memory, grouped by equal text."""
    rows = Fragment.objects.within(work.file.account_id).filter(file=work.file)
    waiting = _group_by_text(rows.filter(memory=None)[:PORTION])
    if not waiting:
        return []
    known = _find_known_memories(rows.exclude(memory=None))
    _link_memories(
        work.file, {row.pk: known[digest] for digest in waiting.keys() & known for row in waiting[digest]}
    )
    return [rows for digest, rows in waiting.items() if digest not in known]


def _find_known_memories(rows: QuerySet[Fragment]) -> dict[bytes, UUID | None]:
    """Memory ids by the hash of their wording, both of memories and of their passages: corrections change texts."""
    memory_ids = {
        hash_wording(text): key for key, text in rows.values_list("memory_id", "memory__text").distinct()
    }
    return memory_ids | {hash_wording(format_passage_text(row)): row.memory_id for row in rows}


def _group_by_text(rows: Iterable[Fragment]) -> dict[bytes, list[Fragment]]:
    """Group fragments by the hash of their wording: a passage that occurs twice in a document is one memory."""
    groups: dict[bytes, list[Fragment]] = {}
    for row in rows:
        groups.setdefault(hash_wording(format_passage_text(row)), []).append(row)
    return groups


def _write_memories(work: FileWork, groups: Sequence[list[Fragment]]) -> None:
    passages = _build_passages(work.file, groups)
    with claimed(work):
        keys = create_passages(work.cube, work.file.pk, passages)
        _link_memories(
            work.file, {row.pk: key for key, alike in zip(keys, groups, strict=True) for row in alike}
        )
        update_file(work.file, fragments_done=_count_done(work.file))
    work.refuse_late()


def _build_passages(file: KnowledgeFile, groups: Sequence[list[Fragment]]) -> list[Passage]:
    return [build_new_passage(file, alike[0], format_passage_text(alike[0])) for alike in groups]


def _count_done(file: KnowledgeFile) -> int:
    with_memory = Fragment.objects.within(file.account_id).filter(file=file).exclude(memory=None)
    return int(with_memory.count())


def _link_memories(file: KnowledgeFile, memories: Mapping[UUID, UUID | None]) -> None:
    rows = [Fragment(pk=row, memory_id=key) for row, key in memories.items()]
    Fragment.objects.within(file.account_id).bulk_update(rows, ["memory"], LINKED)
