"""What stands in the rows of a tenant's sessions, which no call tells."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from tests.support.api_client import Tenant


def seen(tenant: Tenant, ask: Callable[[Any], Any]) -> Any:
    """What `ask` finds in the project, whose id it is given, inside its scope."""
    from tenancy.isolation.scoping import tenant_scope

    project = tenant.project
    with tenant_scope(project):
        return ask(project)


def list_lessons(tenant: Tenant, session_id: str) -> list[Any]:
    """In the order in which they were made."""
    from skills.models import Lesson

    def ask(project: Any) -> list[Any]:
        return list(Lesson.objects.within(project).filter(session=session_id).order_by("created_at", "id"))

    lessons: list[Any] = seen(tenant, ask)
    return lessons


def idle_at(tenant: Tenant, session_id: str) -> datetime:
    """When the session's messages are to be read."""
    from skills.models import Session

    due_at: datetime = seen(
        tenant, lambda project: Session.objects.within(project).get(pk=session_id).idle_at
    )
    return due_at


def load_planning(tenant: Tenant, session_id: str) -> dict[str, Any]:
    """What is kept on the hidden task."""
    from skills.models import SessionTask

    def ask(project: Any) -> dict[str, Any]:
        row = SessionTask.objects.within(project).filter(session=session_id, is_planning=True).first()
        return dict(row.data) if row else {}

    planning: dict[str, Any] = seen(tenant, ask)
    return planning
