"""The file of an address is fetched, looked at, and found to be new or to be there already."""

from __future__ import annotations

from knowledgebase.bases.limits import take_space
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.processing.showing import end_versions
from knowledgebase.uploads.accept import ROOM, RULES, refuse_large_skill
from knowledgebase.values import FileState, FileType
from knowledgebase.work.progress import note
from knowledgebase.work.work import Work, is_ours, lock_base
from memories.files.receive import Source, receive_file
from memories.files.storage import Stored, keeping
from memories.jobs import outbox
from tenancy.storage.allowance import storage_scope


def fetch(work: Work) -> bool:
    """Stores the file and notes it. False when there is nothing left to do: the task is complete then.

    What was stored for nothing goes again. Raises errors of the catalogue, and `TryLater`.
    """
    kind = FileType(work.file.type)
    with keeping() as kept:
        source = Source(url=work.file.url, name=work.file.name)
        stored = receive_file(work.base, source, ROOM, RULES[kind])
        kept.append(stored)
        refuse_large_skill(kind, stored)
        with storage_scope(work.scope):
            base = lock_base(work.file)
            if base is None or not is_ours(work):
                outbox.complete(work.task, {"emptied": True})
                return False
            same = _same(work.file, stored)
            if same is not None:
                _repeat(work, base, same, stored)
                return False
            take_space(base, stored.size)
            kept.keep_on_commit()
            _note_stored(work.file, stored, storage_key=stored.key)
    return True


def _same(file: KnowledgeFile, stored: Stored) -> KnowledgeFile | None:
    """Another file of the base with this very content, if it is of any use."""
    others = KnowledgeFile.objects.within(file.account_id).filter(
        base=file.base_id, type=file.type, sha256=stored.sha256, same_as=None
    )
    useful = others.exclude(pk=file.pk).exclude(storage_key="").exclude(state=FileState.FAILED)
    found: KnowledgeFile | None = useful.select_related("base").order_by("created_at", "pk").first()
    return found


def _repeat(work: Work, base: KnowledgeBase, same: KnowledgeFile, stored: Stored) -> None:
    """One text of a base has one set of memories. This file ends as the other one does, if that has not yet."""
    file = work.file
    is_version = end_versions(base, file, but=same)
    ended = {"finished_at": same.finished_at, "pages": same.pages, "state": FileState(same.state)}
    # Where it says what the version before says, what replaces it one day is to replace that too.
    _note_stored(file, stored, same_as=same, replaces=same if is_version else None, **ended)
    outbox.complete(work.task, {"same_as": str(same.pk)})


def _note_stored(file: KnowledgeFile, stored: Stored, **more: object) -> None:
    note(
        file,
        name=file.name or stored.name,
        kind=stored.kind.value,
        media_type=stored.media_type,
        size=stored.size,
        sha256=stored.sha256,
        **more,
    )
