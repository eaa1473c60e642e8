"""Two projects of an account that people can open do not have the same name; other faults are not called so."""

from __future__ import annotations

import pytest
from django.db import IntegrityError

from tenancy.errors import InvalidParameters
from tenancy.models import Account
from tenancy.projects.projects import create_project, edit_project
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant


def test_a_name_that_is_taken_is_refused(tenant: Tenant) -> None:
    account, by = tenant.project.account, get_owner(tenant)
    second = create_project(account, "second", "", by)

    with pytest.raises(InvalidParameters, match="named “second” already"):
        create_project(account, "second", "", by)
    with pytest.raises(InvalidParameters, match=f"named “{tenant.project.name}” already"):
        edit_project(second, tenant.project.name, "", by)


def test_an_account_that_was_deleted_meanwhile_is_not_called_a_taken_name(tenant: Tenant) -> None:
    deleted = Account(name="gone", plan=tenant.project.account.plan)

    with pytest.raises(IntegrityError):
        create_project(deleted, "first", "", get_owner(tenant))
