"""Fragments that have no memory yet become memories, batch by batch: by their words alone they can be found already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.processing.passages import new_passage, text_of
from knowledgebase.work.progress import note
from knowledgebase.work.work import Work, is_ours
from memories.ingest.passages import Passage, keep_passages
from memories.jobs import outbox
from memories.text.content import content_hash
from tenancy.isolation.scoping import tenant_scope

BATCH = 100
# So many are written up in one go; more than one run gets done.
PORTION = 1_000
LINKED = 500


def generate(work: Work) -> bool:
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
        for start in range(0, len(waiting), BATCH):
            if not _keep(work, waiting[start : start + BATCH]):
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


def _keep(work: Work, groups: Sequence[list[Fragment]]) -> bool:
    passages = _passages(work.file, groups)
    with tenant_scope(work.scope):
        if not is_ours(work):
            outbox.complete(work.task, {"emptied": True})
            return False
        keys = keep_passages(work.cube, work.file.pk, passages)
        _link(work.file, {row.pk: key for key, alike in zip(keys, groups, strict=True) for row in alike})
        note(work.file, fragments_done=_done(work.file))
    work.refuse_late()
    return True


def _passages(file: KnowledgeFile, groups: Sequence[list[Fragment]]) -> list[Passage]:
    return [new_passage(file, alike[0], text_of(alike[0])) for alike in groups]


def _done(file: KnowledgeFile) -> int:
    with_memory = Fragment.objects.within(file.account_id).filter(file=file).exclude(memory=None)
    return int(with_memory.count())


def _link(file: KnowledgeFile, memories: Mapping[UUID, UUID | None]) -> None:
    rows = [Fragment(pk=row, memory_id=key) for row, key in memories.items()]
    Fragment.objects.within(file.account_id).bulk_update(rows, ["memory"], LINKED)
