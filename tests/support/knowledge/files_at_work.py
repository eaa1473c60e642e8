"""Files whose work the tests do themselves: the stack's own worker does not find their tasks due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

import knowledgebase.tasks  # noqa: F401  # registers the task kinds, as every worker does
from knowledgebase.bases.bases import create_base
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.uploads.accepted_types import FOLDER
from knowledgebase.uploads.add_files import Uploader, add_files
from knowledgebase.uploads.receive_uploads import OfferedFile, receive_uploads
from knowledgebase.values import FileType
from memories import tasks
from memories.files import storage
from memories.jobs import outbox
from memories.models import Memory, Task
from memories.values import TaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant

NEVER = outbox.LEASE * 600
RUNS = 20


def make_base(project: Project, name: str = "Policies") -> KnowledgeBase:
    return create_base(project, name)


def another_project(tenant: Tenant) -> Project:
    with tenant_scope(tenant.project.account):
        made: Project = Project.objects.create(account=tenant.project.account, name="another")
    return made


def bring(
    project: Project,
    base: KnowledgeBase,
    files: Mapping[str, bytes | str],
    type: FileType = FileType.DOCUMENT,
) -> list[KnowledgeFile]:
    """A string is an address, bytes are what the request carries."""
    offered = [
        OfferedFile(name, type, url=content)
        if isinstance(content, str)
        else OfferedFile(name, type, content=[content])
        for name, content in files.items()
    ]
    with storage.delete_uncommitted_files() as kept:
        uploads = receive_uploads(base, offered, kept)
        with transaction.atomic():
            rows = add_files(project, base, uploads, Uploader(key_hint="mpg-…"))
            put_off(project)
            kept.keep_on_commit()
    return rows


def bring_one(project: Project, base: KnowledgeBase, name: str, content: bytes | str) -> KnowledgeFile:
    [row] = bring(project, base, {name: content})
    return row


def put_off(project: Project) -> None:
    """In the transaction that wrote the tasks: nobody else is to find them."""
    waiting = Task.objects.within(project).filter(state=TaskState.QUEUED, kind__in=["file", "purge"])
    waiting.update(due_at=timezone.now() + NEVER)


def get_latest_task(file: KnowledgeFile) -> Task:
    """The latest."""
    with tenant_scope(get_account_scope(file)):
        row: Task = Task.every.using(outbox.SWEEP).filter(subject=file.pk).latest("created_at")
    return row


def take(task: Task) -> Task:
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine


def work_on(file: KnowledgeFile) -> TaskState:
    """To the end of the task, in as many runs as it takes."""
    for _ in range(RUNS):
        state = tasks.execute_task(take(get_latest_task(file)))
        if state != TaskState.WAITING:
            return state
    raise AssertionError(f"no end after {RUNS} runs: {get_latest_task(file).error_code}")


def settle(project: Project, base: KnowledgeBase, files: Mapping[str, bytes | str]) -> list[KnowledgeFile]:
    """Brought, and done whatever comes of it."""
    rows = bring(project, base, files)
    for row in rows:
        work_on(row)
    return [fresh(row) for row in rows]


def get_account_scope(row: Any) -> Scope:
    return Scope(row.account_id, None)


def fresh(file: KnowledgeFile) -> KnowledgeFile:
    with tenant_scope(get_account_scope(file)):
        row: KnowledgeFile = KnowledgeFile.objects.within(file.account_id).get(pk=file.pk)
    return row


def list_files(base: KnowledgeBase) -> list[KnowledgeFile]:
    with tenant_scope(get_account_scope(base)):
        rows = KnowledgeFile.objects.within(base.account_id).filter(base=base)
        return list(rows.order_by("created_at", "pk"))


def list_memories(base: KnowledgeBase) -> list[Memory]:
    """All that can be recalled, in the order of their documents."""
    with tenant_scope(get_account_scope(base)):
        mine = Memory.objects.within(base.cube_id).current()
        return list(mine.order_by("source_task", "ordinal", "pk"))


@contextmanager
def untouched(base: KnowledgeBase) -> Iterator[None]:
    """The stack's own worker, notified of work that is to go on, has to wait with its memories."""
    with tenant_scope(get_account_scope(base)):
        list(Memory.objects.within(base.cube_id).select_for_update().values_list("pk"))
        yield


def texts(base: KnowledgeBase) -> list[str]:
    return [memory.text for memory in list_memories(base)]


def bytes_used(base: KnowledgeBase) -> int:
    with tenant_scope(get_account_scope(base)):
        return int(KnowledgeBase.objects.within(base.account_id).get(pk=base.pk).bytes_used)


def list_stored_keys(base: KnowledgeBase) -> list[str]:
    """What lies in the storage for this base."""
    return [key for folder in storage.list_folders(FOLDER) if folder.holder == base.pk for key in folder.keys]
