"""Projects that are being deleted, as tests wait for them."""

from __future__ import annotations

from console.data.erasure.delete_project import delete_project
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project, User
from tenancy.models.deletion import ProjectDeletion
from tests.support.waiting import LIMIT, look_until


def get_deletion(project: Project) -> ProjectDeletion:
    with tenant_scope(Scope(project.account_id, None)):
        deletion: ProjectDeletion = ProjectDeletion.objects.within(project.account_id).get(project=project.pk)
    return deletion


def until_deleted(project: Project, seconds: float = LIMIT) -> ProjectDeletion:
    """The receipt, when the worker has closed it."""
    return look_until(
        lambda: get_deletion(project), lambda deletion: deletion.finished_at is not None, seconds
    )


def delete_and_wait(project: Project, actor: User) -> ProjectDeletion:
    gone = Project(pk=project.pk, account_id=project.account_id)
    delete_project(project, actor)
    return until_deleted(gone)


# What was used is the account's; who deleted what, too.
STAYS = {"AuditEvent", "ProjectDeletion", "Reservation"}


def rows_left(account: Account, project: Project) -> dict[str, int]:
    """Of every table that says whose project a row is; those of usage and of the audit log aside, which stay."""
    from django.apps import apps
    from django.db import connection

    left = {}
    with tenant_scope(account), connection.cursor() as cursor:
        for model in apps.get_models():
            columns = {field.column for field in model._meta.concrete_fields}
            if "project_id" in columns and model.__name__ not in STAYS:
                cursor.execute(
                    f"SELECT count(*) FROM {model._meta.db_table} WHERE project_id = %s", [project.pk]
                )
                left[model.__name__] = cursor.fetchone()[0]
    return {name: count for name, count in left.items() if count}
