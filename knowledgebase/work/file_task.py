"""The processing task of a file: how it is created, claimed, failed and given up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileState
from knowledgebase.work.progress import FINAL, finish_file, update_file
from memories.consolidation.cube_locks import lock_cube
from memories.ingest.passages import delete_passage_rows, list_passages
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import MemCube, Task
from memories.values import MemoryStatus, TaskKind
from skills.catalogue.knowledge_base_skills import find_file_skill
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.refunds import Cost
from tenancy.models import Project

# Celery kills runs after two minutes. Each step is committed; after this time the rest is left to the next run. Every
# run completes at least one step.
RUN_SECONDS = 25.0
MADE_BEFORE = "What was made of it before stays in use."
FRESH: dict[str, Any] = {
    "fragments_done": 0,
    "finished_at": None,
    "error_code": "",
    "reason": "",
    "cure": "",
}
VERSION_BEFORE = "The version before it stays in use."


def write_file_task(file: KnowledgeFile, project: Project, cost: Cost | None = None) -> Task:
    """Write the task that processes the file, in the caller's transaction and on behalf of the project."""
    update_file(file, state=FileState.QUEUED, runs=file.runs + 1, **FRESH)
    cube = file.base.cube
    payload = {"file": str(file.pk), "epoch": cube.epoch}
    key = f"{file.pk}:{file.runs}"
    return outbox.write_task(
        cube, TaskKind.FILE, dedupe_key=key, payload=payload, subject=file.pk, through=project.pk, cost=cost
    )


def give_up_file(scope: Scope, file_id: UUID) -> None:
    """Mark a file as failed because its task failed for good. A file that is completed or failed already stays so."""
    ended = OperationFailed("the work on the file broke off too often")
    with tenant_scope(Scope(scope.account, None)):
        rows = KnowledgeFile.objects.within(scope.account).select_related("base__cube").filter(pk=file_id)
        file = rows.exclude(state__in=FINAL).first()
        if file is not None:
            fail_file(
                file, str(ended.code), ended.text, "Process it again; if it stays, save it in another format."
            )


def fail_file(file: KnowledgeFile, code: str, reason: str, cure: str) -> None:
    """Mark the file as failed, in the caller's transaction. What an earlier run or version made stays searchable."""
    cube = file.base.cube
    lock_cube(cube.pk)
    made = list_passages(cube, [file.pk])
    delete_passage_rows(cube, list(made.filter(status=MemoryStatus.GENERATED).values_list("pk", flat=True)))
    stays = _describe_what_stays(file)
    available = 300 - len(stays) - 2
    text = f"{reason[:available].rstrip('.')}. {stays}" if stays else reason[:300]
    finish_file(file, FileState.FAILED, error_code=code, reason=text, cure=cure[:300])


def _describe_what_stays(file: KnowledgeFile) -> str:
    if _is_in_use(file):
        return MADE_BEFORE
    mine = KnowledgeFile.objects.within(file.account_id).select_related("base__cube")
    before, seen = file.replaces_id, {file.pk}
    while before is not None and before not in seen:
        seen.add(before)
        version = mine.filter(pk=before).first()
        if version is None:
            return ""
        if _is_in_use(version):
            return VERSION_BEFORE
        before = version.replaces_id
    return ""


def _is_in_use(file: KnowledgeFile) -> bool:
    """Return whether searches find what was made of the file, or of the one that it repeats."""
    cube, key = file.base.cube, file.same_as_id or file.pk
    is_shown = list_passages(cube, [key]).exclude(status=MemoryStatus.GENERATED).exists()
    return is_shown or find_file_skill(cube, key) is not None


@dataclass(frozen=True, slots=True)
class FileWork:
    """A file and the task that processes it.

    `until` is when this run ends, in seconds of `time.monotonic`. Bases belong to the account, so the scope is the
    whole account.
    """

    task: Task
    file: KnowledgeFile
    until: float

    @property
    def scope(self) -> Scope:
        return Scope(self.task.account_id, None)

    @property
    def base(self) -> KnowledgeBase:
        return self.file.base

    @property
    def cube(self) -> MemCube:
        return self.file.base.cube

    def refuse_late(self) -> None:
        """Raise `Unfinished` when the time of this run is over. Called after each committed step."""
        if time.monotonic() > self.until:
            raise Unfinished


def begin_work(task: Task) -> FileWork | None:
    """Load the file of a task. None when the file or its base was deleted, or the file is completed."""
    with tenant_scope(Scope(task.account_id, None)):
        rows = KnowledgeFile.objects.within(task.account_id).select_related("base__cube", "base__account")
        file = rows.filter(pk=task.payload["file"], base__deleted_at=None).first()
        is_done = file is not None and file.state == FileState.COMPLETED
        if file is None or is_done or file.base.cube.epoch != task.payload["epoch"]:
            return None
        if file.state == FileState.FAILED:  # its task was run again by an operator
            update_file(file, state=FileState.QUEUED, **FRESH)
    return FileWork(task, file, time.monotonic() + RUN_SECONDS)


class FileDeleted(Exception):
    """The file or its base was deleted while it was being processed."""


@contextmanager
def claimed(
    work: FileWork, scope: Callable[[Scope], AbstractContextManager[object]] = tenant_scope
) -> Iterator[KnowledgeBase]:
    """Open a transaction in which the task owns the file, and yield the locked base.

    Base and cube are locked, in this order, so nobody deletes the file before the commit. Raises `FileDeleted` when
    the file or its base is gone, and `outbox.LeaseLost` when another run has the task.
    """
    with scope(work.scope):
        base = lock_base(work.file)
        if base is None or not _exists(work):
            raise FileDeleted
        yield base


def _exists(work: FileWork) -> bool:
    lock_cube(work.cube.pk)
    outbox.require_fence(work.task)
    here = KnowledgeFile.objects.within(work.file.account_id).filter(
        pk=work.file.pk, base__deleted_at=None, base__cube__epoch=work.task.payload["epoch"]
    )
    return bool(here.exists())


def lock_base(file: KnowledgeFile) -> KnowledgeBase | None:
    """Lock the base until the transaction ends. None when it is gone. Take this lock before that of the cube."""
    rows = KnowledgeBase.objects.within(file.account_id).select_related("cube").filter(pk=file.base_id)
    base: KnowledgeBase | None = rows.select_for_update(of=("self",), no_key=True).first()
    return base
