"""Views of the list of memories that members save under a name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.test import Client

from memories.models import SavedView
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant

AT_ONCE = 8


@pytest.mark.parametrize("shared", ["yes", ""])
def test_a_view_that_is_saved_several_times_at_once_is_one_view(tenant: Tenant, shared: str) -> None:
    def save(client: Client) -> int:
        try:
            sent = {"name": "Kim", "filter": "subject=kim", "shared": shared}
            return client.post(f"/p/{tenant.project_id}/memories/views/", sent).status_code
        finally:
            connections.close_all()

    tabs = [sign_in_owner(tenant) for _ in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as at_once:
        statuses = list(at_once.map(save, tabs))

    assert statuses == [302] * AT_ONCE
    with tenant_scope(tenant.project):
        (view,) = SavedView.objects.within(tenant.project)
    assert view.name == "Kim"
