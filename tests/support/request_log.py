"""Rows of the request log."""

from __future__ import annotations

import time

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog


def row_of(project: Project, request_id: str, seconds: float = 5) -> RequestLog:
    until = time.monotonic() + seconds
    while True:
        with tenant_scope(project):
            row: RequestLog | None = RequestLog.objects.within(project).filter(request_id=request_id).first()
        if row is not None:
            return row
        assert time.monotonic() < until, "no row was written"
        time.sleep(0.05)
