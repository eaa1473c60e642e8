"""Tasks that are marked as long."""

from __future__ import annotations

from memories.models import Task
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant


def is_long(tenant: Tenant, task_id: str) -> bool:
    with tenant_scope(tenant.project):
        marked: bool = Task.objects.within(tenant.project).get(pk=task_id).is_long
    return marked
