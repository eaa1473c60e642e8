"""Memories that are moved to the trash, and the page that lists them."""

from __future__ import annotations

import json
from datetime import timedelta

from django.test import Client

from memories.lifecycle.trash import select_trashed_memories
from memories.models import Memory
from memories.models.trash_visibility import seeing_trash
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.tasks.bulk import run_job


def page(tenant: Tenant, path: str) -> str:
    return f"/p/{tenant.project_id}/memories/{path}"


def delete_into_trash(owner: Client, tenant: Tenant, *ids: str) -> str:
    """Deletes one in the console as htmx does, or several by a job; what is offered to undo it."""
    if len(ids) > 1:
        return page(tenant, f"jobs/{run_job(owner, tenant, 'delete', ids=ids).pk}/undo/")
    answer = owner.post(
        page(tenant, f"{ids[0]}/delete/"), {"confirmed": "yes"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 200, answer.content
    return str(json.loads(answer["HX-Trigger"])["toast"].get("undo", ""))


def in_trash(tenant: Tenant) -> list[Memory]:
    with tenant_scope(tenant.project), seeing_trash():
        return list(select_trashed_memories(tenant.project).order_by("pk"))


def wait_out(tenant: Tenant, days: int) -> None:
    """As if this many days had passed since everything in the trash was deleted."""
    with tenant_scope(tenant.project), seeing_trash():
        for memory in select_trashed_memories(tenant.project):
            memory.purge_at -= timedelta(days=days)
            memory.save(update_fields=["purge_at"])
