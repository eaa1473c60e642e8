"""The work on a file: asked for by a task, held by its claim, and given up with it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileState
from knowledgebase.work.progress import FINAL, note, note_end
from memories.consolidation.reconcile import lock_cube
from memories.ingest.attachments import Unfinished
from memories.ingest.passages import delete_passage_rows, passages_of
from memories.jobs import outbox
from memories.models import MemCube, Task
from memories.values import Status, TaskKind
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

# What was stored, cut up or written is kept; after so long the rest is left to the next run, for Celery ends runs of
# two minutes. Each run gets on by one such step at least.
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


def write_file_task(file: KnowledgeFile, project: Project) -> Task:
    """The file is to be processed, in the caller's transaction and in the project's name."""
    note(file, state=FileState.QUEUED, runs=file.runs + 1, **FRESH)
    cube = file.base.cube
    payload = {"file": str(file.pk), "epoch": cube.epoch}
    key = f"{file.pk}:{file.runs}"
    return outbox.write_task(cube, TaskKind.FILE, key, payload, subject=file.pk, through=project.pk)


def give_up_file(scope: Scope, file_id: UUID) -> None:
    """For a file whose task is dead, or is about to be: they end together. An end that it has reached stays."""
    ended = OperationFailed("the work on the file broke off too often")
    with tenant_scope(Scope(scope.account, None)):
        rows = KnowledgeFile.objects.within(scope.account).select_related("base__cube").filter(pk=file_id)
        file = rows.exclude(state__in=FINAL).first()
        if file is not None:
            fail(
                file, str(ended.code), ended.text, "Process it again; if it stays, save it in another format."
            )


def fail(file: KnowledgeFile, code: str, reason: str, cure: str) -> None:
    """In the caller's transaction. What the file was good for until now, it stays good for."""
    cube = file.base.cube
    lock_cube(cube.pk)
    made = passages_of(cube, [file.pk])
    delete_passage_rows(cube, list(made.filter(status=Status.GENERATED).values_list("pk", flat=True)))
    stays = VERSION_BEFORE if file.replaces_id else MADE_BEFORE if made.exists() else ""
    room = 300 - len(stays) - 2
    told = f"{reason[:room].rstrip('.')}. {stays}" if stays else reason[:300]
    note_end(file, FileState.FAILED, error_code=code, reason=told, cure=cure[:300])


@dataclass(frozen=True, slots=True)
class Work:
    """What a task works on. Bases belong to the account, so the work sees all of it, and no other account."""

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
        """Asked after each step whose outcome is kept. Raises `Unfinished`."""
        if time.monotonic() > self.until:
            raise Unfinished


def begin(task: Task) -> Work | None:
    """None when the file or its base was deleted since it was asked for, or when it is done."""
    with tenant_scope(Scope(task.account_id, None)):
        rows = KnowledgeFile.objects.within(task.account_id).select_related("base__cube", "base__account")
        file = rows.filter(pk=task.payload["file"], base__deleted_at=None).first()
        is_done = file is not None and file.state == FileState.COMPLETED
        if file is None or is_done or file.base.cube.epoch != task.payload["epoch"]:
            return None
        if file.state == FileState.FAILED:  # its task was run again by an operator
            note(file, state=FileState.QUEUED, **FRESH)
    return Work(task, file, time.monotonic() + RUN_SECONDS)


def is_ours(work: Work) -> bool:
    """Whether the file is still there to be worked on; inside a transaction, whose writes nobody overtakes then.

    Raises `LostFence`.
    """
    lock_cube(work.cube.pk)
    outbox.require_fence(work.task)
    here = KnowledgeFile.objects.within(work.file.account_id).filter(
        pk=work.file.pk, base__deleted_at=None, base__cube__epoch=work.task.payload["epoch"]
    )
    return bool(here.exists())


def lock_base(file: KnowledgeFile) -> KnowledgeBase | None:
    """Until the transaction ends; before the cube's lock, where both are taken. None when the base is gone."""
    rows = KnowledgeBase.objects.within(file.account_id).select_related("cube").filter(pk=file.base_id)
    base: KnowledgeBase | None = rows.select_for_update(of=("self",), no_key=True).first()
    return base
