"""What the pages of bulk jobs, tasks and saved views need: a scene and a body to be posted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from memories.lifecycle.bulk.orders import BulkOrder, start_job
from memories.models import MemCube, Memory, SavedView, Task
from memories.values import BulkAction
from tenancy.isolation.scoping import tenant_scope
from tests.support.console.acts import ALL, Body, Scene, of_memories
from tests.support.tasks.bulk import list_jobs, wait_for_job


def of_job(scene: Scene) -> Body:
    """A job on one memory that waits: it is put off before the workers can see it."""
    chosen = Memory.objects.within(MemCube.objects.within(scene.project)).filter(pk=scene.with_memory())
    with tenant_scope(scene.project):
        job = start_job(scene.project, BulkOrder(BulkAction.ARCHIVE, chosen, timezone.now()), scene.owner)
        Task.objects.within(scene.project).filter(pk=job.task).update(
            due_at=timezone.now() + timedelta(hours=1)
        )
    scene.known["job_id"] = job.pk
    return {}


def of_job_over(scene: Scene) -> Body:
    scene.client().post(ALL["bulk_order"].path(**scene.known, action="archive"), of_memories(scene))
    (job,) = list_jobs(scene.tenant)
    scene.known["job_id"] = wait_for_job(scene.tenant, job.pk).pk
    return {}


def of_view(scene: Scene) -> Body:
    scene.client().post(ALL["view_save"].path(**scene.known), {"name": "Cities", "filter": "q=city"})
    with tenant_scope(scene.project):
        scene.known["view_id"] = SavedView.objects.within(scene.project).get().pk
    return {}


def of_task(status: str) -> Callable[[Scene], Body]:
    """A task that failed, or one that is not due yet."""

    def act(scene: Scene) -> Body:
        scene.with_talk()
        with tenant_scope(scene.project):
            task = Task.objects.within(scene.project).filter(kind="refine").latest("created_at")
            changed = {"state": status, "due_at": timezone.now() + timedelta(hours=1)}
            Task.objects.within(scene.project).filter(pk=task.pk).update(**changed)
        scene.known["task_id"] = task.pk
        return {"confirmed": "yes"}

    return act
