"""A project that was archived goes on: who may, and the work that rested."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from memories.pausing import wake
from tenancy.models import Project, User
from tenancy.projects import restore_project


@transaction.atomic
def restore(project: Project, actor: User) -> None:
    if restore_project(project, actor):
        # After the commit, so that no task which is put aside this moment is missed.
        transaction.on_commit(partial(wake, project.pk))
