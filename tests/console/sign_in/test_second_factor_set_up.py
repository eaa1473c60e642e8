"""Where an account asks for second factors: removal, the list of members, and the set-up in a browser."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from tenancy.models import Account, Role, User
from tests.support.accounts.people import (
    PASSWORD,
    add_member,
    browser,
    give_factor,
    sign_in,
    sign_in_owner,
)
from tests.support.api_client import Tenant
from tests.support.console.second_factors import asking
from tests.support.console.sign_in_forms import confirm_password, fill_in_login
from tests.support.console.sign_in_forms import make_code as code_of_app


def removal(factor: Authenticator) -> str:
    is_app = factor.type == Authenticator.Type.TOTP
    return "/accounts/2fa/totp/deactivate/" if is_app else f"/accounts/2fa/webauthn/keys/{factor.pk}/remove/"


def give_passkey(user: User) -> Authenticator:
    return Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "laptop"})


def proven(user: User) -> Client:
    """Signed in, and asked for the password a moment ago."""
    client = sign_in(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.mark.parametrize("give", [give_factor, give_passkey])
def test_the_last_factor_is_kept_and_the_page_names_the_account_that_asks(
    tenant: Tenant, give: object
) -> None:
    account = asking(tenant)
    Account.objects.filter(pk=account.pk).update(name="Rosewood")
    member = add_member(account, Role.DEVELOPER)
    client = proven(member)
    factor = give(member)  # type: ignore[operator]

    seen, posted = client.get(removal(factor)), client.post(removal(factor))

    assert (seen.status_code, posted.status_code) == (403, 403)
    assert "Rosewood" in posted.content.decode()
    assert Authenticator.objects.filter(pk=factor.pk).exists()


def test_one_of_two_factors_is_removed(tenant: Tenant) -> None:
    member = add_member(asking(tenant), Role.DEVELOPER)
    client = proven(member)
    app, passkey = give_factor(member), give_passkey(member)

    client.post(removal(passkey))
    client.post(removal(app))

    assert list(Authenticator.objects.filter(user=member)) == [app]


@pytest.mark.parametrize("give", [give_factor, give_passkey])
def test_where_no_account_asks_the_last_one_is_removed(tenant: Tenant, give: object) -> None:
    member = add_member(tenant.project.account, Role.DEVELOPER)
    client = proven(member)
    factor = give(member)  # type: ignore[operator]

    client.post(removal(factor))

    assert not Authenticator.objects.filter(user=member).exists()


def test_nobody_removes_a_factor_of_somebody_else(tenant: Tenant) -> None:
    factor = give_passkey(add_member(tenant.project.account, Role.DEVELOPER))
    client = proven(add_member(tenant.project.account, Role.OWNER))

    assert client.post(removal(factor)).status_code == 404
    assert browser().post(removal(factor)).status_code == 302
    assert Authenticator.objects.filter(pk=factor.pk).exists()


def members_rows(client: Client, account: Account) -> tuple[str, int]:
    with CaptureQueriesContext(connection) as queries:
        page = client.get(f"/a/{account.pk}/members/").content.decode()
    return page, len(queries)


def test_the_list_shows_who_has_none_in_as_many_queries_for_many(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    account = asking(tenant)
    members_rows(client, account)
    _, few = members_rows(client, account)
    members = [add_member(account, Role.VIEWER) for _ in range(6)]
    give_factor(members[0])
    RecoveryCodes.activate(members[1])

    page, many = members_rows(client, account)

    assert page.count("Missing") == 5
    assert "5 members have not set it up" in page
    assert many <= few


def test_one_small_query_more_where_it_is_asked_for_and_none_elsewhere(tenant: Tenant) -> None:
    client, account = sign_in_owner(tenant), tenant.project.account
    path = f"/p/{tenant.project_id}/memories/"
    client.get(path)

    def factors_read() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        return [query["sql"] for query in queries if "mfa_authenticator" in query["sql"]]

    assert factors_read() == []
    asking(tenant)
    assert len(factors_read()) == 1
    assert account.memberships.count() == 1


def be(page: Page, client: Client) -> None:
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "domain": "localhost", "path": "/"}]
    )


def set_up_app(page: Page) -> None:
    page.get_by_role("link", name="Set up Authenticator app").click()
    page.wait_for_url("**/reauthenticate/**")
    confirm_password(page, PASSWORD)
    secret = page.get_by_label("Setup key").input_value()
    page.get_by_label("Authenticator code").fill(code_of_app(secret))
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


@pytest.mark.usefixtures("passkey")
def test_a_link_that_a_colleague_sent_opens_after_the_set_up_of_a_passkey(page: Page, tenant: Tenant) -> None:
    account = asking(tenant)
    page.goto(f"/p/{tenant.project_id}/memories/?q=green+tea")
    fill_in_login(page, add_member(account, Role.VIEWER).email)
    expect(page.get_by_role("heading", name="Set up two-factor")).to_be_visible()
    page.get_by_role("link", name="Add Passkey").click()
    page.wait_for_url("**/reauthenticate/**")
    confirm_password(page, PASSWORD)
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="Continue to").click()

    page.wait_for_url(f"**/p/{tenant.project_id}/memories/?q=green+tea")
    expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
    page.goto("/accounts/2fa/")
    expect(page.get_by_role("link", name="Continue to")).to_have_count(0)


def test_an_open_page_leaves_for_the_set_up_when_the_account_begins_to_ask(
    page: Page, tenant: Tenant
) -> None:
    member = add_member(tenant.project.account, Role.ADMIN)
    be(page, sign_in(member))
    page.goto(f"/a/{tenant.project.account_id}/members/")
    asking(tenant)

    page.get_by_role("link", name="Invite people").click()

    page.wait_for_url(re.compile("/second-factor/"))
    expect(page.get_by_role("heading", name="Set up two-factor")).to_be_visible()


def test_an_owner_sets_up_their_own_and_asks_everybody(page: Page, tenant: Tenant) -> None:
    account, owner = tenant.project.account, add_member(tenant.project.account, Role.OWNER)
    page.goto(f"/a/{account.pk}/members/")
    fill_in_login(page, owner.email)
    page.get_by_role("link", name="Require two-factor").click()
    page.get_by_role("dialog").get_by_role("link", name="Set up two-factor").click()
    set_up_app(page)
    page.get_by_role("link", name="Continue to").click()

    page.get_by_role("link", name="Require two-factor").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 member has not set it up")
    dialog.get_by_label("to confirm").fill(account.name)
    dialog.get_by_role("button", name="Require two-factor").click()

    expect(page.get_by_text("Two-factor is now required for all members.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text=tenant.email)).to_contain_text("Missing")
    expect(page.get_by_role("link", name="Make optional")).to_be_visible()
