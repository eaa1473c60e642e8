"""Every address of the console: what it needs is in the table, strangers find nothing, viewers change nothing."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from console.embedded.stack import Stack
from tenancy.keys.lifetime import is_live
from tenancy.models import Account, ApiKey, Invitation, Membership, Project, Role
from tenancy.people.permissions import TABLE, is_allowed
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.addresses import addresses
from tests.support.tenants import make_tenant

ALL = addresses()
GUARDED = [address for address in ALL if address.needs and address.needs[0] in {"project", "account"}]
# For people without an account, for anyone who holds a signed or secret link, or the pages for signing in.
OPEN = {
    "landing",
    "home",
    "pricing",
    "set_language",
    "styleguide",
    "docs",
    "document",
    "document_text",
    "llms",
    "download",
    "invitation",
    "log_shared",
}
# What a viewer may post: to end their own membership.
VIEWERS_OWN = {"member_leave"}


def test_every_page_says_what_it_needs_or_is_open() -> None:
    unguarded = {address.name for address in ALL if address.needs is None}

    assert unguarded <= OPEN
    assert {address.needs[0] for address in ALL if address.needs} == {"project", "account", "person"}


def test_what_pages_need_is_in_the_table() -> None:
    needed = {action for address in GUARDED if address.needs for action in address.needs[1:]}

    assert needed <= TABLE.keys()


@pytest.fixture(scope="module")
def home(stack: Stack) -> Tenant:
    """Where several hundred visits change nothing."""
    return make_tenant(stack)


def test_a_stranger_finds_nothing(home: Tenant, stranger: Tenant) -> None:
    """What belongs to somebody else answers like what was made up, no matter who asks and how."""
    theirs, known = sign_in_owner(stranger), whole(home)

    for address in GUARDED:
        path = address.path(**known)
        assert theirs.get(path).status_code == 404, path
        assert theirs.post(path, {"confirmed": "yes"}).status_code == 404, path


def whole(tenant: Tenant) -> dict[str, object]:
    return {"project_id": tenant.project_id, "account_id": tenant.project.account_id}


WITH_OBJECTS = [address for address in GUARDED if len(address.parameters) > 1]


def test_made_up_objects_are_not_found(home: Tenant) -> None:
    mine = sign_in_owner(home)

    for address in WITH_OBJECTS:
        known = whole(home)
        if "account_id" in address.parameters:
            del known["project_id"]  # which is made up, too
        path = address.path(**known)
        assert {mine.get(path).status_code, mine.post(path).status_code} <= {404, 405}, path


def test_viewers_change_nothing(home: Tenant) -> None:
    viewer = sign_in(add_member(home.project.account, Role.VIEWER))

    for address in GUARDED:
        if address.name in VIEWERS_OWN:
            continue
        needs = address.needs or ("", "", "")
        path = address.path(**whole(home))
        allowed = {405, 404} if is_allowed((Role.VIEWER,), needs[2]) else {403}
        assert viewer.post(path).status_code in allowed, path


def test_without_signing_in_every_page_leads_to_the_sign_in_page(tenant: Tenant) -> None:
    nobody = Client(HTTP_HOST="localhost")
    known = {"project_id": tenant.project_id, "account_id": tenant.project.account_id}

    for address in GUARDED:
        answer = nobody.get(address.path(**known))
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/accounts/login/")


def test_objects_of_another_project_are_not_found_through_ones_own(tenant: Tenant, stranger: Tenant) -> None:
    mine = sign_in_owner(tenant)
    account: Account = stranger.project.account
    key = ApiKey.objects.get(project=stranger.project)
    invitation = Invitation.objects.create(
        account=account,
        email="x@example.org",
        role=Role.VIEWER,
        token_digest=uuid4().bytes,
        expires_at="2099-01-01T00:00Z",
    )
    objects = {"key_id": key.pk, "invitation_id": invitation.pk, "member_id": get_owner(stranger).pk}

    for address in GUARDED:
        if objects.keys() & address.parameters.keys():
            path = address.path(project_id=tenant.project_id, account_id=tenant.project.account_id, **objects)
            assert mine.post(path, {"confirmed": "yes", "role": "viewer"}).status_code == 404, path

    assert is_live(key)
    assert Membership.objects.filter(account=account).count() == 1
    assert Project.objects.filter(pk=stranger.project_id).exists()
