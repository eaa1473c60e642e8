"""A change that cannot be written into the audit log is not made."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection

from knowledgebase.models import KnowledgeBase
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant

CHANGES = {
    "/a/{account}/projects/new/": {"name": "second"},
    "/a/{account}/projects/{project}/": {"name": "renamed"},
    "/a/{account}/settings/": {"name": "Renamed"},
    "/p/{project}/knowledge/new/": {"name": "Rules"},
}


def refuse_audit_rows(execute: Any, sql: str, *arguments: Any) -> Any:
    if sql.startswith('INSERT INTO "tenancy_auditevent"'):
        raise OperationalError("no space left on device")
    return execute(sql, *arguments)


def list_names(tenant: Tenant) -> list[str]:
    account = Account.objects.get(pk=tenant.project.account_id)
    with tenant_scope(account):
        bases = list(KnowledgeBase.objects.within(account).values_list("name", flat=True))
    return [account.name, *Project.objects.filter(account=account).values_list("name", flat=True), *bases]


@pytest.mark.parametrize("path", CHANGES)
def test_what_cannot_be_written_down_is_not_done(tenant: Tenant, path: str) -> None:
    before = list_names(tenant)
    owner = sign_in_owner(tenant)
    owner.raise_request_exception = False
    address = path.format(account=tenant.project.account_id, project=tenant.project_id)

    with connection.execute_wrapper(refuse_audit_rows):
        answer = owner.post(address, CHANGES[path])

    assert answer.status_code >= 500
    assert list_names(tenant) == before
    assert owner.post(address, CHANGES[path]).status_code < 400
    assert list_names(tenant) != before
