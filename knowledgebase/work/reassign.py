"""Which project a file is processed for: another one where its own was deleted, and its tasks with it.

The purges of deleted bases pass to another project in the same way.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from uuid import UUID

from knowledgebase.bases.bases import write_purge
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.work.file_task import fail_file, give_up_file, write_file_task
from knowledgebase.work.progress import FINAL
from memories.jobs.rerun_failed_tasks import run_again
from memories.models import CubeGrant, Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind, TaskState
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project
from tenancy.runtime.batching import run_for_each_owner

log = logging.getLogger(__name__)

NOBODYS = "No project is linked to this knowledge base any more, so nobody could process the file."
NOBODYS_CURE = "Link the knowledge base to a project and process the file again."


def find_project_to_process_for(file: KnowledgeFile) -> Project | None:
    """A project on whose behalf the file can be processed: preferably the one that it was uploaded through."""
    grants = CubeGrant.objects.within(Project.objects.filter(account=file.account_id))
    linked = [
        grant.project
        for grant in grants.filter(cube=file.base.cube_id).select_related("project").order_by("pk")
    ]
    return next(
        (project for project in linked if project.pk == file.through_id), linked[0] if linked else None
    )


def reassign_lost_tasks() -> int:
    """Write lost tasks again, in all accounts. Returns for how many files and bases."""
    return run_for_each_owner("knowledge", Account.objects.all(), reassign_tasks)


def reassign_tasks(account: Account) -> int:
    """Write the tasks of a deleted project again for another project: they were deleted with it."""
    with tenant_scope(account):
        if not KnowledgeBase.objects.within(account).exists():
            return 0  # as of most accounts, every five minutes
        left = list(_list_left_files(account))
        for file in left:
            _go_on(account, file)
        bases = [base for base in _list_deleted_bases(account) if _purge_again(account, base)]
    if left or bases:
        log.info("knowledge_taken_over", extra={"count": len(left) + len(bases)})
    return len(left) + len(bases)


def _list_left_files(account: Account) -> Iterator[KnowledgeFile]:
    """Unfinished files without a task; those that repeat another file wait for that one."""
    rows = KnowledgeFile.objects.within(account).select_related("base__cube", "base__account")
    waiting = rows.filter(base__deleted_at=None, same_as=None).exclude(state__in=FINAL)
    at_work = _list_subjects_at_work(account, TaskKind.FILE)
    return (file for file in waiting if file.pk not in at_work)


def _list_subjects_at_work(account: Account, kind: TaskKind) -> set[UUID]:
    tasks = Task.objects.within(Project.objects.filter(account=account))
    return set(tasks.filter(kind=kind, state__in=OPEN_STATES).values_list("subject", flat=True))


def _go_on(account: Account, file: KnowledgeFile) -> None:
    tasks = Task.objects.within(Project.objects.filter(account=account)).filter(kind=TaskKind.FILE)
    ended = tasks.filter(dedupe_key=f"{file.pk}:{file.runs}", state__in=[TaskState.FAILED, TaskState.DEAD])
    project = find_project_to_process_for(file)
    if ended.exists():
        give_up_file(Scope(account.pk, None), file.pk)
    elif project is None:
        fail_file(file, str(OperationFailed.code), NOBODYS, NOBODYS_CURE)
    else:
        write_file_task(file, project)


def _list_deleted_bases(account: Account) -> Iterator[KnowledgeBase]:
    at_work = _list_subjects_at_work(account, TaskKind.PURGE)
    rows = KnowledgeBase.objects.within(account).select_related("cube").filter(deleted_at__isnull=False)
    return (base for base in rows if base.pk not in at_work)


def _purge_again(account: Account, base: KnowledgeBase) -> bool:
    """Write the purge task on behalf of any project; an account without projects has to wait. Purges never expire."""
    tasks = Task.objects.within(Project.objects.filter(account=account))
    if run_again(tasks.filter(kind=TaskKind.PURGE, subject=base.pk)):
        return True
    project = Project.objects.here().filter(account=account).order_by("pk").first()
    if project is not None:
        write_purge(base, project)
    return project is not None
