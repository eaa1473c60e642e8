"""Deletes a project: a member orders it; a worker takes its rows batch by batch, each with its count in the receipt.

The worker may die at any line and run again: what is left is what is there, and what was counted is what was committed.
"""

from __future__ import annotations

import time

from django.db import transaction
from django.utils import timezone

from console.data.erasure.delete_rows import (
    Figures,
    count_holdings,
    count_memories,
    delete_batch,
    delete_remaining_rows,
)
from knowledgebase.models import KnowledgeBase
from knowledgebase.work.reassign import reassign_tasks
from memories.files.storage import delete_holder_files
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import CubeGrant, Task
from memories.retrieval.cache.snapshots import drop_cached_in_processes
from memories.values import TaskKind
from tenancy.audit.log import record_event
from tenancy.audit.request_context import WORKER, act_as
from tenancy.errors import NotFound
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, Membership, Project, User
from tenancy.models.deletion import ProjectDeletion

# Celery ends runs of two minutes; others have their turn in between.
RUN_SECONDS = 25.0


def delete_project(project: Project, actor: User) -> ProjectDeletion:
    """Revoke its keys and hide the project; a task deletes what it holds. This cannot be undone.

    Other processes may accept the keys for `tenancy.keys.keys.CACHE_SECONDS` more. Raises `NotFound` when the deletion
    was ordered before.
    """
    with tenant_scope(project.account):
        # Before the row is held: calls that still come in would wait for it.
        expected = count_holdings(project)
        row = Project.objects.here().select_for_update(no_key=True).filter(pk=project.pk).first()
        if row is None:
            raise NotFound("the project is being deleted")
        deletion = _create_receipt(row, actor, expected)
        _revoke_access(row)
        detail = {"name": project.name, "receipt": str(deletion.pk)}
        record_event(project.account, actor, "project.deleted", project, detail=detail)
        write_deletion_task(deletion)
        transaction.on_commit(clear_key_cache)
    return deletion


def list_remaining_bases(project: Project) -> list[str]:
    """The names of the knowledge bases that it may search: they are the account's. Inside the account's scope."""
    cubes = CubeGrant.objects.within(project).values("cube")
    bases = KnowledgeBase.objects.within(project.account_id).filter(cube__in=cubes, deleted_at=None)
    return list(bases.order_by("name", "pk").values_list("name", flat=True))


def _create_receipt(project: Project, actor: User, expected: dict[str, int]) -> ProjectDeletion:
    deletion: ProjectDeletion = ProjectDeletion.objects.create(
        account_id=project.account_id,
        project=project,
        name=project.name,
        actor=actor,
        expected=expected,
        kept=list_remaining_bases(project),
    )
    return deletion


def _revoke_access(project: Project) -> None:
    now = timezone.now()
    project.api_keys.filter(revoked_at=None).update(revoked_at=now)
    Membership.objects.filter(current_project=project).update(current_project=None)
    CubeGrant.objects.within(project).delete()
    Project.objects.filter(pk=project.pk).update(deleting_at=now)


def write_deletion_task(deletion: ProjectDeletion) -> None:
    """The task, in the caller's transaction. It belongs to the account: the project's own go with it."""
    payload = {"deletion": str(deletion.pk)}
    outbox.write_work(
        deletion.account_id,
        project_id=None,
        kind=TaskKind.ERASE,
        dedupe_key=str(deletion.pk),
        payload=payload,
        subject=deletion.pk,
    )


def run_project_deletion(task: Task) -> None:
    """Raises `Unfinished` when it is to go on in the next run, and `outbox.LeaseLost`."""
    scope, until = Scope(task.account_id, None), time.monotonic() + RUN_SECONDS
    while _delete_batch(task, scope):
        if time.monotonic() > until:
            raise Unfinished
    deletion = _load_deletion(task, scope)
    if deletion is None:
        _finish_nothing(task, scope)
        return
    clear_key_cache()
    drop_cached_in_processes([deletion.project_id])
    delete_holder_files(deletion.account_id, deletion.project_id)
    # Files that came through it into shared bases are processed in another project's name.
    reassign_tasks(Account.objects.get(pk=deletion.account_id))
    _finish_deletion(task, scope)


def _delete_batch(task: Task, scope: Scope) -> bool:
    """One transaction. Whether there may be more to take."""
    with tenant_scope(scope):
        deletion = _lock_deletion(task)
        project = Project.objects.filter(pk=deletion.project_id).first() if deletion else None
        if deletion is None or project is None:
            return False
        outbox.require_fence(task)
        gone = delete_batch(project)
        is_more = bool(gone)
        if not is_more:
            gone = delete_remaining_rows(project)
        _count_deleted(deletion, gone)
        return is_more


def _lock_deletion(task: Task) -> ProjectDeletion | None:
    rows = ProjectDeletion.objects.within(task.account_id).select_for_update(no_key=True)
    deletion: ProjectDeletion | None = rows.filter(pk=task.payload["deletion"]).first()
    return deletion


def _load_deletion(task: Task, scope: Scope) -> ProjectDeletion | None:
    with tenant_scope(scope):
        return _lock_deletion(task)


def _count_deleted(deletion: ProjectDeletion, gone: Figures) -> None:
    deletion.removed = dict(Figures(deletion.removed) + gone)
    deletion.save(update_fields=["removed"])


def _finish_deletion(task: Task, scope: Scope) -> None:
    """The receipt is closed when a look finds nothing any more."""
    with tenant_scope(scope), act_as(WORKER):
        deletion = _lock_deletion(task)
        if deletion is not None and deletion.finished_at is None:
            deletion.recallable = count_memories(deletion.account_id, deletion.project_id)
            deletion.finished_at = timezone.now()
            deletion.save(update_fields=["recallable", "finished_at"])
            detail = {"removed": deletion.removed, "recallable": deletion.recallable}
            record_event(deletion.account, None, "project.erased", deletion, detail=detail)
        outbox.complete(task, {"erased": True})


def _finish_nothing(task: Task, scope: Scope) -> None:
    with tenant_scope(scope):
        outbox.complete(task, {"erased": False})
