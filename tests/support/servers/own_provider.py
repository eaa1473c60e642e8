"""A project's own model provider, as members enter it and tests look at it."""

from __future__ import annotations

from memories.engine.provider_settings import save_own_model
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import AuditEvent, ModelUsage, Project
from tenancy.models.provider import ModelProvider
from tenancy.projects.model_providers import ProviderInput
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.servers.model_server import ModelServer

KEY = "sk-a-very-secret-provider-key-0815"


def form(url: str, **more: str) -> dict[str, str]:
    values = {"base_url": url, "model": "tiny-1", "key": KEY} | more
    return {f"provider-{name}": value for name, value in values.items()}


def lend_model(tenant: Tenant, server: ModelServer) -> None:
    """From now on it works for the tenant's project, and for nobody else's: for tenants of earlier tests, whose servers
    had the same address, something may still be done."""
    server.key = f"{KEY}-{tenant.project_id}"
    save_own_model(tenant.project, ProviderInput(server.url, "scripted", key=server.key), get_owner(tenant))


def place(project: Project) -> str:
    return f"/p/{project.pk}/settings/model/"


def kept(project: Project) -> ModelProvider:
    with tenant_scope(project):
        provider: ModelProvider = ModelProvider.objects.within(project).get()
    return provider


def audited(tenant: Tenant) -> list[AuditEvent]:
    with tenant_scope(Scope.of_project(tenant.project)):
        return list(
            AuditEvent.objects.within(tenant.project.account_id)
            .filter(action__startswith="provider.")
            .order_by("number")
        )


def list_usage(tenant: Tenant) -> list[ModelUsage]:
    with tenant_scope(tenant.project):
        return list(ModelUsage.objects.within(tenant.project))
