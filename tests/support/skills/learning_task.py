"""A learning task that this process has claimed, so that a test decides when and how it runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from memories.models import Task
from memories.values import TaskKind, TaskState
from skills.models import LearningSpace, Lesson, Session
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.lessons import DAY


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
