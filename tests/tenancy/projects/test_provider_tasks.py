"""What asks a project's own model is marked as long, so that a slow one never takes all workers from other accounts."""

from __future__ import annotations

from uuid import uuid4

from memories.engine.provider_settings import delete_own_model
from memories.models import Task
from memories.values import TaskKind, TaskState
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import get_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.servers.model_server import ModelServer
from tests.support.servers.own_provider import lend_model
from tests.support.tasks.long_tasks import is_long


def test_a_request_to_a_project_with_its_own_model_is_long(
    tenant: Tenant, api: Api, provider: ModelServer
) -> None:
    lend_model(tenant, provider)

    assert is_long(tenant, api.add("kim", message("user", "I play the cello."))["task_id"])

    delete_own_model(tenant.project, get_owner(tenant))


def test_what_waits_when_a_project_gets_its_own_model_is_long_from_then_on(
    tenant: Tenant, stranger: Tenant, provider: ModelServer
) -> None:
    waiting = {}
    for owner in (tenant, stranger):
        with tenant_scope(owner.project):
            waiting[owner.project_id] = Task.objects.create(
                account_id=owner.project.account_id,
                project_id=owner.project.pk,
                kind=TaskKind.REFINE,
                subject=uuid4(),
                dedupe_key=uuid4().hex,
                is_held_back=True,
            )

    lend_model(tenant, provider)

    assert is_long(tenant, str(waiting[tenant.project_id].pk))
    assert not is_long(stranger, str(waiting[stranger.project_id].pk))
    for owner in (tenant, stranger):
        with tenant_scope(owner.project):
            Task.objects.within(owner.project).update(state=TaskState.DEAD)
    delete_own_model(tenant.project, get_owner(tenant))
