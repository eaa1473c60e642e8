"""Rows of the request log."""

from __future__ import annotations

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog
from tests.support.waiting import look_until


def row_of(project: Project, request_id: str, seconds: float = 60) -> RequestLog:
    """The row of a request, which is written a moment after its answer."""

    def look() -> RequestLog | None:
        with tenant_scope(project):
            found: RequestLog | None = (
                RequestLog.objects.within(project).filter(request_id=request_id).first()
            )
        return found

    row = look_until(look, bool, seconds, "no row was written")
    assert row is not None
    return row
