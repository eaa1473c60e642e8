"""An account's settings: its name, and where it is deleted."""

from __future__ import annotations

import pytest

from tenancy.models import Account, Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Tenant


def get_page_path(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/settings/"


def load_name(tenant: Tenant) -> str:
    return Account.objects.get(pk=tenant.project.account_id).name


def test_owners_rename_the_account(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for name in ("Acme Labs", "山东实验室", "Ünï & <b>Söhne</b>", "مختبر", "x" * 100):
        answer = client.post(get_page_path(tenant), {"name": f"  {name} "}, follow=True)
        assert answer.status_code == 200
        assert "Saved." in answer.content.decode()
        assert load_name(tenant) == name


def test_a_name_that_cannot_be_one_is_refused_beside_its_field(tenant: Tenant) -> None:
    before, client = load_name(tenant), sign_in_owner(tenant)

    for name in ("", "   ", "x" * 101, "a\0b"):
        answer = client.post(get_page_path(tenant), {"name": name})
        assert answer.status_code == 422, name
        assert 'id="id_name_error"' in answer.content.decode()
        assert load_name(tenant) == before


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_others_see_the_settings_and_change_nothing(tenant: Tenant, role: Role) -> None:
    client = sign_in(add_member(tenant.project.account, role))
    before = load_name(tenant)

    assert "Only owners can do that." in client.get(get_page_path(tenant)).content.decode()
    assert client.post(get_page_path(tenant), {"name": "Mine"}).status_code == 403
    assert load_name(tenant) == before


def test_another_account_is_not_found(tenant: Tenant, stranger: Tenant) -> None:
    assert sign_in_owner(stranger).get(get_page_path(tenant)).status_code == 404
