"""Of one account's addresses one is fetched at a time: slow servers that it names hold one worker, and not all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone

from knowledgebase.models import KnowledgeFile
from knowledgebase.progress import is_past, note
from knowledgebase.values import FileState
from knowledgebase.work import Work, is_ours
from memories import outbox
from memories.models import Task
from memories.reconcile import lock_cube
from memories.values import TaskKind, TaskState
from tenancy.models import Project
from tenancy.scoping import tenant_scope

OTHERS_FIRST = "others_first"
# Who has ended calls the next; only where a worker died over it does a task wait so long.
PAUSE = (15.0, 45.0)


@contextmanager
def turn(work: Work) -> Iterator[None]:
    """Around the fetching of a file. Raises `outbox.OthersFirst`; afterwards the next that waited is called."""
    _take(work)
    try:
        yield
    finally:
        _call_next(work)


def _take(work: Work) -> None:
    """The file's own state says that it is being fetched, so the look at the others' and the note are one."""
    with tenant_scope(work.scope):
        _lock_account(work)
        if _is_fetching(work):
            # Written under the lock, or who ends now would not find it.
            outbox.wait_out(work.task, OTHERS_FIRST, PAUSE)
            raise outbox.OthersFirst
        if not is_past(work.file, FileState.CHECKING) and is_ours(work):
            note(work.file, state=FileState.CHECKING)


def _lock_account(work: Work) -> None:
    """Two that begin together would else both go ahead, or both stand back."""
    lock_cube(work.task.account_id)


def _is_fetching(work: Work) -> bool:
    at_work = _tasks(work).filter(state=TaskState.RUNNING, lease_until__gt=timezone.now())
    fetched = KnowledgeFile.objects.within(work.task.account_id).filter(
        pk__in=at_work.values("subject"), state=FileState.CHECKING, storage_key="", same_as=None
    )
    return bool(fetched.exclude(pk=work.file.pk).exists())


def _call_next(work: Work) -> None:
    with tenant_scope(work.scope):
        _lock_account(work)
        waiting = _tasks(work).filter(state=TaskState.WAITING, error_code=OTHERS_FIRST)
        following = waiting.order_by("created_at", "pk").first()
        if following is not None:
            waiting.filter(pk=following.pk).update(due_at=timezone.now())
            outbox.announce_on_commit(following.pk)


def _tasks(work: Work) -> Any:
    account = work.task.account_id
    return Task.objects.within(Project.objects.filter(account=account)).filter(kind=TaskKind.FILE)
