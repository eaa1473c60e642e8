"""Jobs on many memories, as members order them in the console."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.test import Client

from memories.models import BulkJob
from memories.values import BulkState
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until

RUNNING = (BulkState.OPEN, BulkState.UNDOING)


def list_jobs(tenant: Tenant) -> list[BulkJob]:
    """The newest first."""
    with tenant_scope(tenant.project):
        return list(BulkJob.objects.within(tenant.project).order_by("-created_at", "-pk"))


def get_job(tenant: Tenant, key: UUID) -> BulkJob:
    with tenant_scope(tenant.project):
        job: BulkJob = BulkJob.objects.within(tenant.project).get(pk=key)
        return job


def wait_for_job(tenant: Tenant, key: UUID) -> BulkJob:
    wait_until(lambda: get_job(tenant, key).state not in RUNNING)
    return get_job(tenant, key)


def order_job(client: Client, tenant: Tenant, action: str, **body: Any) -> Any:
    path = f"/p/{tenant.project_id}/memories/bulk/{action}/"
    return client.post(path, {"confirmed": "yes", **body}, headers={"HX-Request": "true"})


def run_job(client: Client, tenant: Tenant, action: str, **body: Any) -> BulkJob:
    """Orders a job and waits until a worker has done it."""
    answer = order_job(client, tenant, action, **body)
    assert answer.status_code == 200, answer.content
    assert "bulk-started" in answer.headers.get("HX-Trigger", ""), answer.content
    return wait_for_job(tenant, list_jobs(tenant)[0].pk)
