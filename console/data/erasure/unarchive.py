"""Restore an archived project: permission, tasks on hold, and the days of its trash."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone

from memories.lifecycle.archived_projects import resume_tasks
from memories.lifecycle.trash import postpone_purge
from tenancy.models import Project, User
from tenancy.projects.projects import restore_project


@transaction.atomic
def unarchive_project(project: Project, actor: User) -> None:
    held = Project.objects.select_for_update(no_key=True).filter(pk=project.pk)
    archived_at = held.values_list("archived_at", flat=True).first()
    if archived_at is not None and restore_project(project, actor):
        postpone_purge(project, timezone.now() - archived_at)
        # With the commit, or a process that dies here would leave them to grow too old; and after it, so that no task
        # which is postponed this moment is missed.
        resume_tasks(project.pk)
        transaction.on_commit(partial(resume_tasks, project.pk))
