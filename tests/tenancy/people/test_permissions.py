"""Who may do what: one table, kept on every page; and an account always keeps an owner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.http import HttpResponseBase
from django.utils import timezone

from tenancy.errors import InvalidParameters, LastOwner
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.lifetime import is_live
from tenancy.models import Account, ApiKey, LogShare, Membership, Plan, ProjectDeletion, Role, User
from tenancy.people.members import (
    Roles,
    change_roles,
    delete_login,
    list_accounts_owned_alone,
    remove_member,
    transfer_ownership,
)
from tenancy.people.permissions import TABLE, is_allowed
from tests.support.accounts.people import add_member, get_owner, sign_in
from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT, wait_until_somebody_waits

# The roles of the table, written down a second time on purpose: anyone who changes one must mean it.
EXPECTED = {
    "see": "owner admin developer viewer",
    "listen": "owner admin developer viewer",
    "change_memories": "owner admin developer",
    "create_key": "owner admin developer",
    "revoke_any_key": "owner admin",
    "edit_project": "owner admin",
    "archive_project": "owner admin",
    "delete_project": "owner",
    "change_provider": "owner admin",
    "manage_members": "owner admin",
    "manage_owners": "owner",
    "see_audit": "owner admin",
    "transfer_account": "owner",
    "delete_account": "owner",
    "leave": "owner admin developer viewer",
}


@pytest.mark.parametrize("action", EXPECTED)
def test_the_table_says_who_may(action: str) -> None:
    allowed = {role for role in Role.values if is_allowed((role,), action)}

    assert allowed == set(EXPECTED[action].split())


def test_a_viewer_may_nothing_that_changes() -> None:
    granted = {action for action, who in TABLE.items() if Role.VIEWER in who}

    assert granted == {"see", "listen", "read_words", "see_members", "leave"}


def test_an_action_that_nobody_wrote_down_is_a_mistake_and_no_permission() -> None:
    with pytest.raises(KeyError):
        is_allowed(Role.values, "fly")


def test_a_role_in_one_project_differs_from_the_accounts(tenant: Tenant) -> None:
    account = tenant.project.account
    other = account.projects.create(name="staging")
    viewer, admin = add_member(account, Role.VIEWER), add_member(account, Role.ADMIN)
    raised = Roles("viewer", {str(other.pk): "developer"})
    lowered = Roles("admin", {str(other.pk): "viewer"})

    change_roles(account, viewer, raised, get_owner(tenant))
    change_roles(account, admin, lowered, get_owner(tenant))
    viewers, admins = sign_in(viewer), sign_in(admin)

    assert viewers.get(f"/p/{tenant.project_id}/api-keys/new/").status_code == 403
    assert viewers.get(f"/p/{other.pk}/api-keys/new/").status_code == 200
    assert admins.get(f"/p/{tenant.project_id}/api-keys/new/").status_code == 200
    assert admins.get(f"/p/{other.pk}/api-keys/new/").status_code == 403


def test_owners_are_owners_everywhere(tenant: Tenant) -> None:
    account, owner = tenant.project.account, get_owner(tenant)

    change_roles(account, owner, Roles("owner", {tenant.project_id: "viewer"}), owner)

    assert Roles.of(Membership.objects.get(user=owner)) == Roles("owner")
    developer = add_member(account, Role.DEVELOPER)
    with pytest.raises(InvalidParameters):
        change_roles(account, developer, Roles("developer", {tenant.project_id: "owner"}), owner)


def test_a_role_in_another_accounts_project_is_never_kept(tenant: Tenant, stranger: Tenant) -> None:
    account = tenant.project.account
    member = add_member(account, Role.VIEWER)

    change_roles(account, member, Roles("viewer", {stranger.project_id: "admin"}), get_owner(tenant))

    assert Roles.of(Membership.objects.get(user=member)).in_projects == {}
    assert sign_in(member).get(f"/p/{stranger.project_id}/memories/").status_code == 404


@pytest.mark.parametrize("way", ["be lowered", "leave", "delete the login"])
def test_the_last_owner_stays(tenant: Tenant, way: str) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    add_member(account, Role.ADMIN)

    assert not go(account, owner, owner, way)

    assert Membership.objects.get(user=owner).role == Role.OWNER


@pytest.mark.parametrize("way", ["leave", "be lowered", "be removed by each other"])
def test_of_two_owners_who_go_at_once_one_stays(tenant: Tenant, way: str) -> None:
    for _ in range(5):
        account = Account.objects.create(name="shared", plan=Plan.objects.get(code="free"))
        pair = [add_member(account, Role.OWNER) for _ in range(2)]

        with ThreadPoolExecutor(2) as threads:
            went = list(threads.map(go, [account] * 2, pair, reversed(pair), [way] * 2))

        assert sorted(went) == [False, True]
        assert Membership.objects.filter(account=account, role=Role.OWNER).count() == 1


def go(account: Account, leaving: User, other: User, way: str) -> bool:
    try:
        if way == "leave":
            remove_member(account, leaving, leaving)
        elif way == "be lowered":
            change_roles(account, leaving, Roles("viewer"), leaving)
        elif way == "delete the login":
            delete_login(leaving)
        else:
            remove_member(account, leaving, other)
    except LastOwner:
        return False
    finally:
        connections.close_all()
    return True


def test_ownership_is_handed_over_in_one_step(tenant: Tenant) -> None:
    account, giving = tenant.project.account, get_owner(tenant)
    taking = add_member(account, Role.DEVELOPER)

    transfer_ownership(account, taking, giving)

    roles = dict(Membership.objects.filter(account=account).values_list("user_id", "role"))
    assert roles == {giving.pk: Role.ADMIN, taking.pk: Role.OWNER}
    with pytest.raises(InvalidParameters):
        transfer_ownership(account, giving, giving)


def test_anyone_who_is_removed_loses_pages_at_once_and_keys_if_asked(tenant: Tenant) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    leaving = add_member(account, Role.DEVELOPER)
    theirs = sign_in(leaving)
    theirs.post(f"/p/{tenant.project_id}/api-keys/new/", {"name": "laptop", "scope": "all", "expiry": ""})
    key = ApiKey.objects.get(created_by=leaving)

    revoked = remove_member(account, leaving, owner, revokes_keys=True)

    key.refresh_from_db()
    assert (revoked, is_live(key)) == (1, False)
    assert theirs.get(f"/p/{tenant.project_id}/memories/").status_code == 404
    assert theirs.get(f"/a/{account.pk}/").status_code == 404


def test_a_deleted_login_leaves_its_accounts_and_their_keys_running(tenant: Tenant) -> None:
    account = tenant.project.account
    leaving = add_member(account, Role.DEVELOPER)
    pk = leaving.pk

    delete_login(leaving)

    assert not User.objects.filter(pk=pk).exists()
    assert not Membership.objects.filter(user_id=pk).exists()
    with tenant.api() as api:
        assert api.call("get/memory", {"user_id": "kim"}).status_code == 200


def test_a_second_click_on_deleting_a_login_finds_nothing_left_to_do(
    tenant: Tenant, stranger: Tenant
) -> None:
    leaving = add_member(tenant.project.account, Role.DEVELOPER)
    Membership.objects.create(account=stranger.project.account, user=leaving, role=Role.VIEWER)

    twice = [User.objects.get(pk=leaving.pk) for _ in range(2)]
    with ThreadPoolExecutor(2) as hands:
        for clicked in [hands.submit(_delete_and_close, user) for user in twice]:
            clicked.result(LIMIT)

    assert not User.objects.filter(pk=leaving.pk).exists()


def test_who_is_removed_while_they_delete_their_login_is_gone_all_the_same(
    tenant: Tenant, stranger: Tenant
) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    leaving = add_member(account, Role.DEVELOPER)
    Membership.objects.create(account=stranger.project.account, user=leaving, role=Role.VIEWER)

    with ThreadPoolExecutor(1) as hands:
        with transaction.atomic():
            remove_member(account, leaving, owner)
            going = hands.submit(_delete_and_close, leaving)
            wait_until_somebody_waits()
        going.result(LIMIT)

    assert not User.objects.filter(pk=leaving.pk).exists()


@pytest.mark.parametrize("way", ["roles", "remove"])
@pytest.mark.parametrize("changed", ["member", "admin"])
def test_an_admin_does_not_change_a_member_by_roles_that_have_just_changed(
    tenant: Tenant, way: str, changed: str
) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    member, admin = add_member(account, Role.DEVELOPER), add_member(account, Role.ADMIN)
    client = sign_in(admin)
    path = f"/a/{account.pk}/members/{member.pk}/{way}/"

    def ask() -> HttpResponseBase:
        try:
            return client.post(path, {"role": "viewer"})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as hands:
        with transaction.atomic():
            if changed == "member":
                change_roles(account, member, Roles("owner"), owner)
            else:
                change_roles(account, admin, Roles("viewer"), owner)
            asked = hands.submit(ask)
            wait_until_somebody_waits()
        answer = asked.result(LIMIT)

    assert answer.status_code == 422
    assert "our role in the account does not allow this" in answer.content.decode()
    role = Role.OWNER if changed == "member" else Role.DEVELOPER
    assert Membership.objects.get(account=account, user=member).role == role


def _delete_and_close(leaving: User) -> None:
    try:
        delete_login(leaving)
    finally:
        connections.close_all()


def test_a_login_is_deleted_that_left_links_and_receipts(tenant: Tenant) -> None:
    account, leaving = tenant.project.account, add_member(tenant.project.account, Role.ADMIN)
    owned = {"account_id": account.pk, "project": tenant.project}
    with tenant_scope(tenant.project):
        share = LogShare.objects.create(
            **owned, request_id="one", created_by=leaving, expires_at=timezone.now() + timedelta(days=1)
        )
        deletion = ProjectDeletion.objects.create(**owned, name="gone", actor=leaving)

    delete_login(leaving)

    with tenant_scope(tenant.project):
        assert LogShare.objects.within(tenant.project).get(pk=share.pk).created_by_id is None
        assert ProjectDeletion.objects.within(account).get(pk=deletion.pk).actor_id is None


def test_accounts_that_a_person_owns_alone_are_named(tenant: Tenant) -> None:
    owner = get_owner(tenant)
    assert list_accounts_owned_alone(owner) == [tenant.project.account]

    add_member(tenant.project.account, Role.OWNER)

    assert list_accounts_owned_alone(owner) == []


def test_a_person_lands_in_the_account_where_they_were_last(tenant: Tenant, stranger: Tenant) -> None:
    person = add_member(tenant.project.account, Role.DEVELOPER)
    Membership.objects.create(account=stranger.project.account, user=person, role=Role.VIEWER)
    theirs = sign_in(person)

    theirs.get(f"/p/{stranger.project_id}/memories/")
    landed = theirs.get("/home/").headers["Location"]

    assert landed == f"/p/{stranger.project_id}/quickstart/"
    page = theirs.get(landed).content.decode()
    for account in (tenant.project.account, stranger.project.account):
        assert f"/a/{account.pk}/" in page


def test_a_member_without_a_project_makes_none_by_signing_in(tenant: Tenant) -> None:
    viewer = add_member(tenant.project.account, Role.VIEWER)
    tenant.project.account.projects.create(name="another")

    sign_in(viewer).get("/home/")

    assert tenant.project.account.projects.count() == 2


def list_api_scopes() -> set[str]:
    from django.urls import get_resolver

    return {scope for pattern in every_view(get_resolver().url_patterns) if (scope := get_scope(pattern))}


def get_scope(view: Any) -> str:
    return getattr(getattr(view, "view_class", None) or getattr(view, "cls", None), "scope", "")


def every_view(patterns: Any) -> list[Any]:
    views = []
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            views += every_view(pattern.url_patterns)
        else:
            views.append(pattern.callback)
    return views


def test_every_scope_that_the_api_asks_for_is_in_the_table() -> None:
    scopes = list_api_scopes()

    assert {"read", "write", "delete"} <= scopes
    assert {f"api.{scope}" for scope in scopes} <= TABLE.keys()
