"""How long what is kept is kept."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from tenancy.models import Project, RequestLog, StoredAnswer
from tenancy.scoping import tenant_scope

REQUEST_LOGS = timedelta(days=30)
STORED_ANSWERS = timedelta(hours=24)


def clear_request_logs() -> int:
    """Deletes request logs past their time, project by project, so that no lock lasts."""
    return sum(_clear(project, RequestLog, REQUEST_LOGS) for project in Project.objects.iterator())


def clear_stored_answers() -> int:
    return sum(_clear(project, StoredAnswer, STORED_ANSWERS) for project in Project.objects.iterator())


def _clear(project: Project, model: type[RequestLog] | type[StoredAnswer], age: timedelta) -> int:
    with tenant_scope(project):
        deleted, _ = model.objects.within(project).filter(created_at__lt=timezone.now() - age).delete()
    return int(deleted)
