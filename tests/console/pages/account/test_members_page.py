"""The people of an account, as its owner and they themselves see them."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import Page, expect

from console.ui.lists.paging import PAGE_SIZE
from tenancy.models import Membership, Role, User
from tests.support.accounts.people import add_member, get_owner, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until


def members_page(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/members/"


def choose_action(page: Page, name: str, action: str) -> None:
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.locator(".row-menu:popover-open").get_by_text(action, exact=True).click()


def test_an_owner_changes_roles_removes_a_member_and_hands_the_account_over(
    signed_in: Page, tenant: Tenant
) -> None:
    """But does not leave it before, and reads why."""
    member, leaving = (add_member(tenant.project.account, Role.DEVELOPER) for _ in range(2))
    signed_in.goto(members_page(tenant))
    choose_action(signed_in, get_owner(tenant).name, "Leave")
    signed_in.get_by_role("dialog").get_by_role("button", name="Leave account").click()
    expect(signed_in.get_by_text("An account needs an owner.")).to_be_visible()
    assert Membership.objects.filter(user=get_owner(tenant)).exists()
    signed_in.goto(members_page(tenant))

    choose_action(signed_in, member.name, "Roles")
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Role in the account").select_option("viewer")
    dialog.get_by_label(tenant.project.name, exact=True).select_option("admin")
    dialog.get_by_role("button", name="Save").click()

    row = signed_in.get_by_role("row").filter(has_text=member.email)
    expect(row).to_contain_text("Viewer")
    expect(row).to_contain_text(f"Admin in {tenant.project.name}")

    choose_action(signed_in, leaving.name, "Remove")
    dialog.get_by_role("button", name="Remove member").click()

    expect(signed_in.get_by_text(f"{leaving.name} is removed.")).to_be_visible()
    expect(signed_in.get_by_role("row").filter(has_text=leaving.email)).to_have_count(0)
    assert not Membership.objects.filter(user=leaving).exists()

    choose_action(signed_in, member.name, "Make owner")
    dialog.get_by_label("to confirm").fill(tenant.project.account.name)
    dialog.get_by_role("button", name="Transfer ownership").click()

    expect(signed_in.get_by_role("row").filter(has_text=member.email)).to_contain_text("Owner")
    assert Membership.objects.get(user=get_owner(tenant)).role == Role.ADMIN


def test_an_account_is_deleted_with_all_it_holds_but_its_log(signed_in: Page, tenant: Tenant) -> None:
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
    account = tenant.project.account
    signed_in.goto(f"/a/{account.pk}/settings/")

    signed_in.get_by_role("link", name="Delete this account").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("to confirm").fill(account.name)
    dialog.get_by_role("button", name="Delete account and 1 project").click()

    expect(signed_in.get_by_role("heading", name="Your login")).to_be_visible()
    expect(signed_in.get_by_text(f"“{account.name}” is being deleted.")).to_be_visible()
    wait_until(lambda: not type(account).objects.filter(pk=account.pk).exists())
    with tenant.api() as api:
        assert api.call("get/memory", {"user_id": "kim"}).status_code == 401


def test_more_members_than_fit_on_a_page_come_page_by_page(tenant: Tenant) -> None:
    account = tenant.project.account
    people = User.objects.bulk_create(User(email=f"{uuid4().hex}@example.org") for _ in range(PAGE_SIZE))
    Membership.objects.bulk_create(
        Membership(account=account, user=person, role=Role.VIEWER) for person in people
    )
    everybody = [get_owner(tenant), *people]
    client = sign_in_owner(tenant)

    first = client.get(members_page(tenant)).content.decode()
    (following,) = re.findall(r'href="([^"]+after=[^"]+)" rel="next"', first)
    second = client.get(following).content.decode()

    assert [person.email in first for person in everybody] == [True] * PAGE_SIZE + [False]
    assert [person.email in second for person in everybody[1:]] == [False] * (PAGE_SIZE - 1) + [True]
    assert f"{PAGE_SIZE + 1} members" in first
    Membership.objects.filter(user=everybody[-1]).delete()
    for address in (following, f"{members_page(tenant)}?after=nonsense"):
        assert everybody[0].email in client.get(address).content.decode()
