"""Ends that span every app: a project with all that hangs on it."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from knowledgebase.sweeps import take_over
from memories.intake.store import delete_all_of
from tenancy.audit import record
from tenancy.keys import forget_seen
from tenancy.models import Project, User
from tenancy.scoping import tenant_scope


def delete_project(project: Project, actor: User) -> None:
    """Keys stop at once; memories, messages, tasks and logs go with the project. Nothing comes back."""
    account, name, key = project.account, project.name, project.pk
    with tenant_scope(account), transaction.atomic():
        # Whoever writes a row of the project from now on waits, and then finds it gone.
        Project.objects.select_for_update().filter(pk=key).first()
        record(account, actor, "project.deleted", project, detail={"name": name})
        project.delete()
        transaction.on_commit(forget_seen)
        transaction.on_commit(partial(delete_all_of, account.pk, key))
        # Files that came through it into shared bases are processed in another project's name.
        transaction.on_commit(partial(take_over, account))
