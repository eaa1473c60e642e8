"""What is not there and what a role does not allow leave the member inside the console."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tenancy.models import Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Tenant

SIDE_BAR = 'aria-label="Main"'


@pytest.mark.parametrize("path", ["memories/{}/", "skills/{}/", "knowledge/{}/", "logs/{}/", "sessions/{}/"])
def test_what_was_deleted_leads_on_from_inside_the_project(tenant: Tenant, path: str) -> None:
    answer = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/{path.format(uuid4())}")

    assert answer.status_code == 404
    page = answer.content.decode()
    assert "Page not found" in page
    assert SIDE_BAR in page
    assert tenant.project.name in page


def test_a_page_that_a_role_may_not_open_says_who_may_inside_the_account(tenant: Tenant) -> None:
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    answer = viewer.get(f"/a/{tenant.project.account_id}/projects/new/")

    assert answer.status_code == 403
    assert "Only owners and admins can do that." in answer.content.decode()
    assert SIDE_BAR in answer.content.decode()


def test_a_strangers_project_shows_nothing_of_it(tenant: Tenant, stranger: Tenant) -> None:
    answer = sign_in_owner(tenant).get(f"/p/{stranger.project_id}/memories/")

    assert answer.status_code == 404
    assert SIDE_BAR not in answer.content.decode()


def test_a_fragment_that_is_gone_brings_no_second_side_bar(tenant: Tenant) -> None:
    address = f"/p/{tenant.project_id}/memories/{uuid4()}/"

    answer = sign_in_owner(tenant).get(address, headers={"HX-Request": "true"})

    assert answer.status_code == 409
    assert SIDE_BAR not in answer.content.decode()
