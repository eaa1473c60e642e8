"""Fetch the file of a URL, check it, and recognise content that the base has already."""

from __future__ import annotations

from knowledgebase.bases.limits import release_space, reserve_space
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.processing.publishing import end_versions
from knowledgebase.uploads.accepted_types import FOLDER, RULES, refuse_large_skill
from knowledgebase.values import FileState, FileType
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import update_file
from memories.files.receive import FileSource, receive_file
from memories.files.storage import StoredFile, delete_on_commit, delete_uncommitted_files
from memories.jobs import outbox
from tenancy.storage.allowance import storage_scope


def fetch_file(work: FileWork) -> bool:
    """Fetch and store the file. False when the base has this content already: then the task is complete.

    A stored file that turns out not to be needed is deleted again. Raises `CatalogueError`, `FileDeleted` and
    `TryLater`.
    """
    kind = FileType(work.file.type)
    with delete_uncommitted_files() as kept:
        source = FileSource(url=work.file.url, name=work.file.name)
        stored = receive_file(work.base, source, FOLDER, RULES[kind])
        kept.append(stored)
        refuse_large_skill(kind, stored)
        with claimed(work, storage_scope) as base:
            work.file.refresh_from_db(fields=["replaces"])
            same = _find_same_file(work.file, stored.sha256)
            if same is not None:
                _note_stored(work.file, stored)
                _repeat(work, base, same)
                return False
            reserve_space(base, stored.size)
            kept.keep_on_commit()
            _note_stored(work.file, stored, storage_key=stored.key)
    return True


def repeat_other_file(work: FileWork) -> bool:
    """Return whether a new version has the content of a file of another name. Then it repeats that one, and the task is
    complete.

    Raises `FileDeleted`.
    """
    file = work.file
    with claimed(work) as base:
        file.refresh_from_db(fields=["replaces"])
        is_repeated = KnowledgeFile.objects.within(file.account_id).filter(same_as=file).exists()
        if file.replaces_id is None or is_repeated:
            return False
        same = _find_same_file(file, file.sha256)
        if same is None:
            return False
        release_space(base, file.size)
        delete_on_commit([file.storage_key])
        update_file(file, storage_key="")
        _repeat(work, base, same)
    return True


def _find_same_file(file: KnowledgeFile, sha256: str) -> KnowledgeFile | None:
    """Another file of the base with the same content that has not failed.

    For a new version a completed one, because the version before is in use until then.
    """
    others = KnowledgeFile.objects.within(file.account_id).filter(
        base=file.base_id, type=file.type, sha256=sha256, same_as=None
    )
    useful = others.exclude(pk=file.pk).exclude(storage_key="").exclude(state=FileState.FAILED)
    if file.replaces_id is not None:
        useful = useful.filter(state=FileState.COMPLETED)
    same_file: KnowledgeFile | None = useful.select_related("base").order_by("created_at", "pk").first()
    return same_file


def _repeat(work: FileWork, base: KnowledgeBase, same: KnowledgeFile) -> None:
    """Mark the file as a repetition of another: a content has one set of memories, and both files end alike."""
    file = work.file
    is_version = end_versions(base, file, but=same)
    ended = {"finished_at": same.finished_at, "pages": same.pages, "state": FileState(same.state)}
    # A file that repeats its older version replaces it, so that what later replaces this file replaces both.
    update_file(file, same_as=same, replaces=same if is_version else None, **ended)
    outbox.complete(work.task, {"same_as": str(same.pk)})


def _note_stored(file: KnowledgeFile, stored: StoredFile, **more: object) -> None:
    update_file(
        file,
        name=file.name or stored.name,
        kind=stored.kind.value,
        media_type=stored.media_type,
        size=stored.size,
        sha256=stored.sha256,
        **more,
    )
