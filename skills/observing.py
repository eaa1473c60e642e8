"""How far the reading of a session is, asked from outside."""

from __future__ import annotations

from uuid import UUID

from skills.schedule import Flushed, Observed, flush, observed
from skills.sessions import find_session
from tenancy.models import Project
from tenancy.scoping import tenant_scope


def observing_status(project: Project, session_id: UUID) -> Observed:
    """Cheap, and without effects: clients ask once a second. Raises `NotFound`."""
    with tenant_scope(project):
        return observed(find_session(project, session_id))


def flush_session(project: Project, session_id: UUID) -> Flushed:
    """Raises `NotFound`."""
    with tenant_scope(project):
        return flush(find_session(project, session_id))
