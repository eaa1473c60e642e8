"""Tasks that this process has claimed, so that a test decides when and how they run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from memories.jobs import outbox
from memories.jobs.claims import claim_task
from memories.models import Task
from memories.values import TaskKind, TaskState
from skills.models import LearningSpace, Lesson, Session
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.lessons import DAY
from tests.support.waiting import look_until


def task_in_hand(tenant: Tenant, space: Any, session: Any, *lessons: tuple[str, dict[str, Any]]) -> Task:
    """With the lessons that it is to write."""
    project = tenant.project
    with tenant_scope(project):
        row = LearningSpace.objects.within(project).get(pk=space.id)
        for kind, content in lessons:
            Lesson.objects.create(
                account_id=project.account_id,
                project=project,
                space=row,
                session=Session.objects.within(project).get(pk=session.id),
                kind=kind,
                content=content,
                said_on=DAY,
            )
        task: Task = Task.objects.create(
            account_id=project.account_id,
            project=project,
            kind=TaskKind.LEARN,
            subject=row.pk,
            dedupe_key=uuid4().hex,
            state=TaskState.RUNNING,
            attempts=1,
            fence=1,
            worker="tests",
            lease_until=timezone.now() + timedelta(minutes=5),
        )
    return task


def load_state(tenant: Tenant, task: Task) -> str:
    return str(Task.objects.within(tenant.project).get(pk=task.pk).state)


def lesson_states(tenant: Tenant, space_id: str) -> list[str]:
    project = tenant.project
    with tenant_scope(project):
        rows = Lesson.objects.within(project).filter(space=UUID(space_id)).order_by("created_at", "id")
        return [row.state for row in rows]


def claim_now(task_id: Any) -> Any:
    """The task, taken by this process as if it were a worker: twice, as after a crash, with a new fence each time."""
    now = timezone.now()
    rows = Task.every.using(outbox.SWEEP).filter(pk=task_id)

    def take() -> Any:  # from a worker too, which was quicker
        rows.filter(state=TaskState.RUNNING).update(state=TaskState.WAITING, crashes=0)
        rows.update(due_at=now)
        return claim_task(task_id, "test:1:1")

    return look_until(take, bool, otherwise="nobody could take the task")


def bring_forward(tenant: Tenant, kind: TaskKind) -> bool:
    """What is to be done later is done now, as if the time until then had passed. Whether there was anything."""
    now = timezone.now()
    with tenant_scope(tenant.project):
        later = Task.objects.within(tenant.project).filter(kind=kind, due_at__gt=now)
        keys = list(later.values_list("pk", flat=True))
        for key in keys:
            outbox.announce_on_commit(key, kind, now)
        later.filter(pk__in=keys).update(due_at=now)
    return bool(keys)
