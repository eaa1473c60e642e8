"""An account's settings: its name, and where it is deleted."""

from __future__ import annotations

import pytest

from tenancy.models import Account, Role
from tests.support.accounts.people import member_of, sign_in, sign_in_owner
from tests.support.api_client import Tenant


def page_of(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/settings/"


def name_of(tenant: Tenant) -> str:
    return Account.objects.get(pk=tenant.project.account_id).name


@pytest.mark.parametrize("name", ["Acme Labs", "山东实验室", "Ünï & <b>Söhne</b>", "مختبر", "x" * 100])
def test_owners_rename_the_account(tenant: Tenant, name: str) -> None:
    client = sign_in_owner(tenant)

    answer = client.post(page_of(tenant), {"name": f"  {name} "}, follow=True)

    assert answer.status_code == 200
    assert "Saved." in answer.content.decode()
    assert name_of(tenant) == name


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\0b"])
def test_a_name_that_cannot_be_one_is_refused_beside_its_field(tenant: Tenant, name: str) -> None:
    before = name_of(tenant)

    answer = sign_in_owner(tenant).post(page_of(tenant), {"name": name})

    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.content.decode()
    assert name_of(tenant) == before


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_others_see_the_settings_and_change_nothing(tenant: Tenant, role: Role) -> None:
    client = sign_in(member_of(tenant.project.account, role))
    before = name_of(tenant)

    assert "Only owners can do that." in client.get(page_of(tenant)).content.decode()
    assert client.post(page_of(tenant), {"name": "Mine"}).status_code == 403
    assert name_of(tenant) == before


def test_another_account_is_not_found(tenant: Tenant, stranger: Tenant) -> None:
    assert sign_in_owner(stranger).get(page_of(tenant)).status_code == 404
