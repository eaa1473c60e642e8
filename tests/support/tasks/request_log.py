"""Rows of the request log."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog
from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT, look_until


def wait_for_log_row(project: Project, request_id: str, seconds: float = LIMIT) -> RequestLog:
    """The row of a request, which is written a moment after its answer."""

    def look() -> RequestLog | None:
        with tenant_scope(project):
            row: RequestLog | None = RequestLog.objects.within(project).filter(request_id=request_id).first()
        return row

    row = look_until(look, bool, seconds, "no row was written")
    assert row is not None
    return row


def logged_row(project: Project, endpoint: str) -> RequestLog:
    """The newest row of an endpoint, once there is one."""

    def look() -> RequestLog | None:
        with tenant_scope(project):
            rows = RequestLog.objects.within(project).filter(endpoint=endpoint)
            row: RequestLog | None = rows.order_by("-created_at").first()
        return row

    row = look_until(look, bool, otherwise="no row was written")
    assert row is not None
    return row


def store_rows(tenant: Tenant, *rows: dict[str, Any]) -> None:
    shared = {"account_id": tenant.project.account_id, "project": tenant.project, "method": "POST"}
    plain = {"endpoint": "search/memory", "code": 0, "http_status": 200, "milliseconds": 12.0}
    with tenant_scope(tenant.project):
        RequestLog.objects.bulk_create(RequestLog(**shared | plain | row) for row in rows)


def listed_requests(client: Client, tenant: Tenant, query: str) -> list[str]:
    """Request ids in the order of the list."""
    page = client.get(f"/p/{tenant.project_id}/logs/?{query}").content.decode()
    return re.findall(r'class="row-link mono" href="/p/[^/]+/logs/([^/"]+)/"', page)
