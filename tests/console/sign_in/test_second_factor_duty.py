"""An account asks everybody in it for a second factor: who has none is led to set one up, and nothing else happens."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from console.realtime.socket import NOT_A_MEMBER
from console.sign_in.second_factor import ask_everybody
from tenancy.models import Account, AuditEvent, Membership, Role, User
from tenancy.people.invitations import invite
from tenancy.people.permissions import may
from tests.support.api_client import Tenant
from tests.support.console.addresses import addresses
from tests.support.console.operators import entries as entries_of
from tests.support.console.operators import operator_client, signed_in_long_ago
from tests.support.console.sign_in_forms import code_of as code_of_app
from tests.support.console.sign_in_forms import confirm_password, fill_in_login
from tests.support.console.sockets import code_of, feed
from tests.support.people import (
    PASSWORD,
    browser,
    give_factor,
    member_of,
    new_person,
    owner_of,
    sign_in,
    sign_in_owner,
)

ASKING = "account.second_factor_asked"
HTMX = {"HX-Request": "true"}


def asking(tenant: Tenant) -> Account:
    """The tenant's account, whose owner has a factor and asks everybody for one."""
    give_factor(owner_of(tenant))
    ask_everybody(tenant.project.account, owner_of(tenant), asks=True)
    tenant.project.account.refresh_from_db()
    return tenant.project.account


def without_factor(account: Account, role: Role = Role.DEVELOPER) -> Client:
    return sign_in(member_of(account, role))


def explained(account: Account, onward: str = "") -> str:
    page = f"/a/{account.pk}/second-factor/"
    return f"{page}?next={onward.replace('/', '%2F')}" if onward else page


def asked(account: Account) -> list[AuditEvent]:
    return [one for one in entries_of(account) if one.action == ASKING]


# Asking for it.


def test_an_owner_with_a_factor_asks_everybody_and_the_log_says_it_once(tenant: Tenant) -> None:
    account, client = tenant.project.account, sign_in_owner(tenant)
    give_factor(owner_of(tenant))
    page = f"/a/{account.pk}/members/second-factor/"

    mistyped = client.post(page, {"typed": "something else"})
    for _ in range(2):
        client.post(page, {"typed": account.name})

    account.refresh_from_db()
    (entry,) = asked(account)
    assert (mistyped.status_code, account.asks_second_factor) == (422, True)
    assert entry.detail == {"before": {"asks_second_factor": False}, "after": {"asks_second_factor": True}}


def test_an_owner_stops_asking_and_the_log_says_that_too(tenant: Tenant) -> None:
    account, client = tenant.project.account, sign_in_owner(tenant)
    asking(tenant)

    client.post(f"/a/{account.pk}/members/second-factor/stop/", {"typed": account.name})

    account.refresh_from_db()
    assert not account.asks_second_factor
    assert asked(account)[-1].detail["after"] == {"asks_second_factor": False}


def test_an_owner_without_a_factor_is_told_to_set_up_their_own_first(tenant: Tenant) -> None:
    account, client = tenant.project.account, sign_in_owner(tenant)
    page = f"/a/{account.pk}/members/second-factor/"

    dialog = client.get(page, headers=HTMX).content.decode()
    answer = client.post(page, {"typed": account.name})

    account.refresh_from_db()
    assert "You do not use two-factor yourself" in dialog
    assert explained(account, f"/a/{account.pk}/members/").replace("%2F", "/") in dialog
    assert 'name="typed"' not in dialog
    assert (answer.status_code, account.asks_second_factor, asked(account)) == (422, False, [])


@pytest.mark.parametrize("turn", ["", "stop/"])
def test_asking_and_stopping_want_the_password_again(tenant: Tenant, turn: str) -> None:
    client = sign_in_owner(tenant)
    account = asking(tenant)
    signed_in_long_ago(client)

    answer = client.post(f"/a/{account.pk}/members/second-factor/{turn}", {"typed": account.name})

    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert len(asked(account)) == 1


@pytest.mark.parametrize("role", [role for role in Role if not may((role,), "ask_second_factors")])
def test_only_owners_ask_and_stop(tenant: Tenant, role: Role) -> None:
    account, member = tenant.project.account, member_of(tenant.project.account, role)
    client = sign_in(member)
    give_factor(member)

    for turn in ("", "stop/"):
        page = f"/a/{account.pk}/members/second-factor/{turn}"
        assert client.post(page, {"typed": account.name}).status_code == 403
    assert "Only owners can change this." in client.get(f"/a/{account.pk}/members/").content.decode()


# Who has none.

GUARDED = [one for one in addresses() if one.needs and one.needs[0] in {"project", "account"}]
OPEN = {"second_factor", "member_leave"}


def test_every_page_of_the_account_and_its_projects_leads_to_the_one_that_explains(tenant: Tenant) -> None:
    account = asking(tenant)
    client = without_factor(account, Role.OWNER)

    for address in GUARDED:
        path = address.path(project_id=tenant.project_id, account_id=account.pk)
        if address.name not in OPEN:
            assert client.get(path).headers["Location"] == explained(account, path), path
            assert client.post(path, {"confirmed": "yes"}).headers["Location"] == explained(account), path


def test_what_they_would_change_stays_as_it_is(tenant: Tenant) -> None:
    account = asking(tenant)
    client = without_factor(account, Role.OWNER)
    before = len(entries_of(account))

    client.post(f"/a/{account.pk}/delete/", {"typed": account.name})
    client.post(f"/a/{account.pk}/projects/new/", {"name": "staging"})
    client.post(f"/a/{account.pk}/members/second-factor/stop/", {"typed": account.name})

    account.refresh_from_db()
    assert account.asks_second_factor
    assert list(account.projects.values_list("name", flat=True)) == [tenant.project.name]
    assert len(entries_of(account)) == before


def test_a_fragment_sends_the_whole_page_there_and_back(tenant: Tenant) -> None:
    account = asking(tenant)
    client = without_factor(account)
    seen = f"/p/{tenant.project_id}/memories/?q=tea"

    for answer in (
        client.get(seen, headers={**HTMX, "HX-Current-URL": f"http://localhost{seen}"}),
        client.post(
            f"/p/{tenant.project_id}/memories/delete/",
            headers={**HTMX, "HX-Current-URL": f"http://localhost{seen}"},
        ),
    ):
        door = urlsplit(answer.headers["HX-Redirect"])
        assert (answer.status_code, door.path) == (403, explained(account))
        assert parse_qs(door.query)["next"] == [seen]


def test_downloads_are_closed(tenant: Tenant) -> None:
    account = asking(tenant)
    client = without_factor(account, Role.ADMIN)

    for path in (f"/a/{account.pk}/usage/?format=csv", f"/a/{account.pk}/audit/export/"):
        answer = client.get(path)
        assert (answer.status_code, "Content-Disposition" in answer.headers) == (302, False)


def test_their_socket_is_refused_and_opens_with_a_factor(stack: Stack, tenant: Tenant) -> None:
    account = asking(tenant)
    member = member_of(account, Role.DEVELOPER)
    client = sign_in(member)

    with feed(stack, tenant, client) as refused:
        assert code_of(refused) == NOT_A_MEMBER
    give_factor(member)
    with feed(stack, tenant, client) as opened:
        assert "hello" in str(opened.recv(5))


def test_recovery_codes_alone_are_no_factor(tenant: Tenant) -> None:
    account = asking(tenant)
    member = member_of(account, Role.DEVELOPER)
    client = sign_in(member)
    RecoveryCodes.activate(member)
    page = f"/a/{account.pk}/members/"

    assert client.get(page).status_code == 302
    give_factor(member)
    assert client.get(page).status_code == 200


def test_a_stranger_finds_no_account_there(tenant: Tenant, stranger: Tenant) -> None:
    account = asking(tenant)

    assert sign_in_owner(stranger).get(explained(account)).status_code == 404


def test_the_page_that_explains_leads_nowhere_outside(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    account = asking(tenant)

    answer = client.get(f"{explained(account)}?next=https://elsewhere.example.org/")

    assert answer.headers["Location"] == f"/a/{account.pk}/"


# What stays open.


def test_their_own_pages_stay_open(tenant: Tenant) -> None:
    client = without_factor(asking(tenant))

    for path in ("/me/", "/accounts/sessions/", "/accounts/email/", "/accounts/2fa/", "/me/delete/"):
        assert client.get(path).status_code == 200, path
    assert client.post("/language/", {"language": "zh-hans", "next": "/me/"}).headers["Location"] == "/me/"
    assert client.post("/accounts/logout/").headers["Location"] == "/"


def test_another_account_of_theirs_stays_open(tenant: Tenant, stranger: Tenant) -> None:
    account, other = asking(tenant), stranger.project.account
    member = member_of(account, Role.DEVELOPER)
    Membership.objects.create(account=other, user=member, role=Role.DEVELOPER)
    client = sign_in(member)

    page = client.get(explained(account)).content.decode()

    assert f'href="/a/{other.pk}/"' in page
    assert client.get(f"/a/{other.pk}/").status_code == 200
    assert client.get(f"/p/{stranger.project_id}/memories/").status_code == 200


def test_they_can_leave_the_account_without_seeing_it(tenant: Tenant) -> None:
    account = asking(tenant)
    account.projects.create(name="a secret plan")
    client = without_factor(account)

    page = client.get(f"/a/{account.pk}/members/leave/").content.decode()
    client.post(f"/a/{account.pk}/members/leave/", {"confirmed": "yes"})

    assert "Leave account" in page
    assert "a secret plan" not in page
    assert account.memberships.count() == 1


def test_an_invitation_is_accepted_and_leads_to_the_set_up(tenant: Tenant) -> None:
    account, person = asking(tenant), new_person()
    sent = invite(account, person.email, Role.VIEWER, owner_of(tenant))
    client = sign_in(person)

    joined = client.post(f"/invite/{sent.token}/")
    led = client.get(joined.headers["Location"])

    assert account.memberships.filter(user=person).exists()
    assert led.headers["Location"] == explained(account, f"/a/{account.pk}/")


def test_keys_go_on_working(tenant: Tenant) -> None:
    asking(tenant)

    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
        assert api.search("kim", "Where do I live?")["memory_detail_list"]


def test_an_operator_visits_without_a_factor(tenant: Tenant) -> None:
    account = asking(tenant)
    client = operator_client()
    client.post(f"/admin/tenancy/account/{account.pk}/visit/", {"reason": "A ticket about quotas"})

    assert client.get(f"/a/{account.pk}/members/").status_code == 200
    assert client.get(f"/p/{tenant.project_id}/logs/").status_code == 200


def test_who_is_kept_out_lands_in_the_account_that_lets_them_in(tenant: Tenant, stranger: Tenant) -> None:
    member = member_of(stranger.project.account, Role.DEVELOPER)
    account = asking(tenant)
    Membership.objects.create(account=account, user=member, role=Role.DEVELOPER)
    client = sign_in(member)
    client.get(f"/p/{stranger.project_id}/memories/")
    client.get(explained(account))

    assert client.get("/home/").headers["Location"] == f"/p/{stranger.project_id}/quickstart/"


# The last one.


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
    member = member_of(account, Role.DEVELOPER)
    client = proven(member)
    factor = give(member)  # type: ignore[operator]

    seen, posted = client.get(removal(factor)), client.post(removal(factor))

    assert (seen.status_code, posted.status_code) == (403, 403)
    assert "Rosewood" in posted.content.decode()
    assert Authenticator.objects.filter(pk=factor.pk).exists()


def test_one_of_two_factors_is_removed(tenant: Tenant) -> None:
    member = member_of(asking(tenant), Role.DEVELOPER)
    client = proven(member)
    app, passkey = give_factor(member), give_passkey(member)

    client.post(removal(passkey))
    client.post(removal(app))

    assert list(Authenticator.objects.filter(user=member)) == [app]


@pytest.mark.parametrize("give", [give_factor, give_passkey])
def test_where_no_account_asks_the_last_one_is_removed(tenant: Tenant, give: object) -> None:
    member = member_of(tenant.project.account, Role.DEVELOPER)
    client = proven(member)
    factor = give(member)  # type: ignore[operator]

    client.post(removal(factor))

    assert not Authenticator.objects.filter(user=member).exists()


def test_nobody_removes_a_factor_of_somebody_else(tenant: Tenant) -> None:
    factor = give_passkey(member_of(tenant.project.account, Role.DEVELOPER))
    client = proven(member_of(tenant.project.account, Role.OWNER))

    assert client.post(removal(factor)).status_code == 404
    assert browser().post(removal(factor)).status_code == 302
    assert Authenticator.objects.filter(pk=factor.pk).exists()


# The list of members.


def members_rows(client: Client, account: Account) -> tuple[str, int]:
    with CaptureQueriesContext(connection) as queries:
        page = client.get(f"/a/{account.pk}/members/").content.decode()
    return page, len(queries)


def test_the_list_shows_who_has_none_in_as_many_queries_for_many(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    account = asking(tenant)
    members_rows(client, account)
    _, few = members_rows(client, account)
    members = [member_of(account, Role.VIEWER) for _ in range(6)]
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
        return [one["sql"] for one in queries if "mfa_authenticator" in one["sql"]]

    assert factors_read() == []
    asking(tenant)
    assert len(factors_read()) == 1
    assert account.memberships.count() == 1


# In a browser.


def be(page: Page, client: Client) -> None:
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "domain": "localhost", "path": "/"}]
    )


def set_up_app(page: Page) -> None:
    page.get_by_role("link", name="Set up Authenticator app").click()
    page.wait_for_url("**/reauthenticate/**")
    confirm_password(page, PASSWORD)
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill(code_of_app(secret))
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_role("heading", name="Recovery Codes")).to_be_visible()


def test_a_link_that_a_colleague_sent_opens_after_the_set_up(page: Page, tenant: Tenant) -> None:
    account = asking(tenant)
    page.goto(f"/p/{tenant.project_id}/memories/?q=green+tea")
    fill_in_login(page, member_of(account, Role.DEVELOPER).email)
    expect(page.get_by_role("heading", name="Set up two-factor")).to_be_visible()

    set_up_app(page)
    page.get_by_role("link", name="Continue to").click()

    page.wait_for_url(f"**/p/{tenant.project_id}/memories/?q=green+tea")
    expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
    page.goto("/accounts/2fa/")
    expect(page.get_by_role("link", name="Continue to")).to_have_count(0)


@pytest.mark.usefixtures("passkey")
def test_a_passkey_does_as_well(page: Page, tenant: Tenant) -> None:
    account = asking(tenant)
    page.goto(f"/p/{tenant.project_id}/logs/")
    fill_in_login(page, member_of(account, Role.VIEWER).email)
    page.get_by_role("link", name="Add Passkey").click()
    page.wait_for_url("**/reauthenticate/**")
    confirm_password(page, PASSWORD)
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="Continue to").click()

    page.wait_for_url(f"**/p/{tenant.project_id}/logs/")


def test_an_open_page_leaves_for_the_set_up_when_the_account_begins_to_ask(
    page: Page, tenant: Tenant
) -> None:
    member = member_of(tenant.project.account, Role.ADMIN)
    be(page, sign_in(member))
    page.goto(f"/a/{tenant.project.account_id}/members/")
    asking(tenant)

    page.get_by_role("link", name="Invite people").click()

    page.wait_for_url(re.compile("/second-factor/"))
    expect(page.get_by_role("heading", name="Set up two-factor")).to_be_visible()


def test_an_owner_sets_up_their_own_and_asks_everybody(page: Page, tenant: Tenant) -> None:
    account, owner = tenant.project.account, member_of(tenant.project.account, Role.OWNER)
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
