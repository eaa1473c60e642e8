"""What the pages of bulk jobs and saved views need: a scene and a body to be posted."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memories.models import BulkJob, SavedView, Task
from tenancy.isolation.scoping import tenant_scope
from tests.support.console.acts import ALL, Body, Scene, of_memories
from tests.support.tasks.bulk import wait_for_job


def of_job(scene: Scene, *, is_over: bool = False) -> Body:
    """A job on one memory: waiting for a worker that will not come, or done."""
    scene.client().post(ALL["bulk_order"].path(**scene.known, action="archive"), of_memories(scene))
    with tenant_scope(scene.project):
        job = BulkJob.objects.within(scene.project).get()
        scene.known["job_id"] = job.pk
        if not is_over:
            Task.objects.within(scene.project).filter(pk=job.task).update(
                due_at=timezone.now() + timedelta(hours=1)
            )
    if is_over:
        wait_for_job(scene.tenant, job.pk)
    return {}


def of_job_over(scene: Scene) -> Body:
    return of_job(scene, is_over=True)


def of_view(scene: Scene) -> Body:
    scene.client().post(ALL["view_save"].path(**scene.known), {"name": "Cities", "filter": "q=city"})
    with tenant_scope(scene.project):
        scene.known["view_id"] = SavedView.objects.within(scene.project).get().pk
    return {}
