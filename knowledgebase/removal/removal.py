"""Delete files and whole bases with their memories, corrections, passages and stored files."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from uuid import UUID

from django.db import transaction

from knowledgebase.bases.limits import release_space
from knowledgebase.models import Correction, KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileState
from knowledgebase.work.file_task import RUN_SECONDS, lock_base, write_file_task
from knowledgebase.work.progress import announce_memories, update_file
from knowledgebase.work.reassign import find_project_to_process_for
from memories.consolidation.cube_locks import lock_cube
from memories.files import storage
from memories.ingest.passages import delete_passage_rows, delete_passages, list_passages
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import Memory, Task
from skills.catalogue.knowledge_base_skills import delete_upload
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope

BATCH = 500
FILES = 100


def remove_file(file: KnowledgeFile) -> None:
    """With its memories, corrections of them, and what was stored; a file that repeats it takes its place.

    In the caller's transaction where there is one. Work on the file that is under way writes nothing any more.
    """
    with tenant_scope(get_active_scope() or Scope(file.account_id, None)):
        base = lock_base(file)
        if base is None:
            return
        lock_cube(base.cube_id)
        rows = KnowledgeFile.objects.within(file.account_id).select_related("base__cube").filter(pk=file.pk)
        now = rows.first()
        if now is None:
            return
        remove_locked_file(base, now)


def remove_locked_file(base: KnowledgeBase, file: KnowledgeFile) -> None:
    """Delete a file with its memories and its skill. The caller locked base and cube."""
    delete_memories_of_base(base, list_passages(base.cube, [file.pk]).values_list("pk", flat=True))
    release_space(base, delete_upload(base.cube, file.pk))
    remove_file_row(base, file)


def delete_memories_of_base(base: KnowledgeBase, keys: Iterable[UUID]) -> None:
    """Delete memories and the corrections that refer only to them. The caller locked base and cube."""
    doomed = set(keys)
    if not doomed:
        return
    shown = Correction.objects.within(base.account_id).filter(base=base)
    gone = delete_passages(base.cube, doomed)
    shown.filter(before=None, after=None).delete()
    announce_memories(base, "deleted", list(gone))


def remove_file_row(base: KnowledgeBase, file: KnowledgeFile) -> None:
    """Delete the row of a file whose memories or skill were deleted or moved. The caller locked base and cube."""
    mine = KnowledgeFile.objects.within(file.account_id)
    # A newer version that failed, or is not ready, replaces what this one was to replace.
    mine.filter(replaces=file).update(replaces=file.replaces_id)
    heir = mine.filter(same_as=file).select_related("base__cube").order_by("created_at", "pk").first()
    if heir is not None:
        _inherit_content(file, heir)
    elif file.storage_key:
        release_space(base, file.size)
        storage.delete_on_commit([file.storage_key])
    rows = mine.filter(pk=file.pk)
    rows._raw_delete(rows.db)


def _inherit_content(file: KnowledgeFile, heir: KnowledgeFile) -> None:
    """Hand the stored content to a file that repeats this one; it then has to be processed itself."""
    mine = KnowledgeFile.objects.within(file.account_id)
    mine.filter(same_as=file).exclude(pk=heir.pk).update(same_as=heir)
    update_file(heir, same_as=None, storage_key=file.storage_key, state=FileState.QUEUED)
    project = find_project_to_process_for(heir)
    # Where nobody can, the sweep looks again.
    if project is not None:
        write_file_task(heir, project)


def purge_base(task: Task) -> None:
    """Empties a deleted base, batch by batch, and removes it. Raises `Unfinished`, and `outbox.LeaseLost`."""
    scope = Scope(task.account_id, None)
    until = time.monotonic() + RUN_SECONDS
    while _purge_step(task, scope):
        if time.monotonic() > until:
            raise Unfinished


def _purge_step(task: Task, scope: Scope) -> bool:
    """Delete one batch; returns whether anything is left. When nothing is, base and task are finished."""
    with tenant_scope(scope):
        rows = KnowledgeBase.objects.within(task.account_id).select_related("cube")
        doomed = rows.filter(pk=task.payload["base"], deleted_at__isnull=False)
        base = doomed.select_for_update(of=("self",), no_key=True).first()
        if base is None:
            outbox.require_fence(task)
            outbox.complete(task, {"purged": True})
            return False
        lock_cube(base.cube_id)
        outbox.require_fence(task)
        if _take_batch(base):
            return True
        _remove_base(base)
        outbox.complete(task, {"purged": True})
        return False


def erase_batch_of_any_base(account_id: UUID) -> bool:
    """For an account that goes, inside its scope: some of what one of its bases holds, or else the base itself. False
    when it has none."""
    rows = KnowledgeBase.objects.within(account_id).select_related("cube").order_by("pk")
    base = rows.select_for_update(of=("self",), no_key=True).first()
    if base is None:
        return False
    lock_cube(base.cube_id)
    if not _take_batch(base):
        _remove_base(base)
    return True


def _take_batch(base: KnowledgeBase) -> bool:
    """Delete one batch; False when only the base itself is left."""
    return _delete_some_memories(base) or _remove_some_files(base)


def _delete_some_memories(base: KnowledgeBase) -> bool:
    keys = list(Memory.objects.within(base.cube_id).values_list("pk", flat=True)[:BATCH])
    delete_passage_rows(base.cube, keys)
    return bool(keys)


def _remove_some_files(base: KnowledgeBase) -> bool:
    files = KnowledgeFile.objects.within(base.account_id).filter(base=base)
    batch = dict(files.values_list("pk", "storage_key")[:FILES])
    doomed = files.filter(pk__in=batch)
    doomed._raw_delete(doomed.db)
    storage.delete_on_commit([key for key in batch.values() if key])
    return bool(batch)


def _remove_base(base: KnowledgeBase) -> None:
    """Delete the base and, last, its cube with all that refers to it, and what is stored of its skills."""
    rows = KnowledgeBase.objects.within(base.account_id).filter(pk=base.pk)
    rows._raw_delete(rows.db)
    cube = base.cube
    cube.delete()
    for holder in (base.pk, base.cube_id):
        transaction.on_commit(partial(storage.delete_holder_files, base.account_id, holder))
