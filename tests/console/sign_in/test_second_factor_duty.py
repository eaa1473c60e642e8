"""An account asks everybody in it for a second factor: who has none is led to set one up, and nothing else happens."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.http import HttpResponse
from django.test import Client

from console.embedded.stack import Stack
from console.http.realtime.socket import NOT_A_MEMBER
from tenancy.models import Account, AuditEvent, Membership, OAuthGrant, Role
from tenancy.people.invitations import invite_member
from tenancy.people.permissions import is_allowed
from tests.support.accounts.oauth import Application
from tests.support.accounts.people import (
    add_member,
    get_owner,
    give_factor,
    new_person,
    sign_in,
    sign_in_owner,
)
from tests.support.api_client import Tenant
from tests.support.console.addresses import addresses
from tests.support.console.operators import entries as entries_of
from tests.support.console.operators import operator_client, signed_in_long_ago
from tests.support.console.second_factors import asking
from tests.support.console.sockets import feed, read_close_code
from tests.support.waiting import LIMIT

ASKING = "account.second_factor_asked"
HTMX = {"HX-Request": "true"}


def without_factor(account: Account, role: Role = Role.DEVELOPER) -> Client:
    return sign_in(add_member(account, role))


def explained(account: Account, onward: str = "") -> str:
    page = f"/a/{account.pk}/second-factor/"
    return f"{page}?next={onward.replace('/', '%2F')}" if onward else page


def asked(account: Account) -> list[AuditEvent]:
    return [entry for entry in entries_of(account) if entry.action == ASKING]


# Asking for it.


def test_an_owner_with_a_factor_asks_everybody_and_the_log_says_it_once(tenant: Tenant) -> None:
    account, client = tenant.project.account, sign_in_owner(tenant)
    give_factor(get_owner(tenant))
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


@pytest.mark.parametrize("role", [role for role in Role if not is_allowed((role,), "ask_second_factors")])
def test_only_owners_ask_and_stop(tenant: Tenant, role: Role) -> None:
    account, member = tenant.project.account, add_member(tenant.project.account, role)
    client = sign_in(member)
    give_factor(member)

    for turn in ("", "stop/"):
        page = f"/a/{account.pk}/members/second-factor/{turn}"
        assert client.post(page, {"typed": account.name}).status_code == 403
    assert "Only owners can change this." in client.get(f"/a/{account.pk}/members/").content.decode()


# Who has none.

GUARDED = [address for address in addresses() if address.needs and address.needs[0] in {"project", "account"}]
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
            f"/p/{tenant.project_id}/memories/bulk/delete/",
            headers={**HTMX, "HX-Current-URL": f"http://localhost{seen}"},
        ),
    ):
        address = urlsplit(answer.headers["HX-Redirect"])
        assert (answer.status_code, address.path) == (403, explained(account))
        assert parse_qs(address.query)["next"] == [seen]


def test_downloads_are_closed(tenant: Tenant) -> None:
    account = asking(tenant)
    client = without_factor(account, Role.ADMIN)

    for path in (f"/a/{account.pk}/usage/?format=csv", f"/a/{account.pk}/audit/export/"):
        answer = client.get(path)
        assert (answer.status_code, "Content-Disposition" in answer.headers) == (302, False)


def test_their_socket_is_refused_and_opens_with_a_factor(stack: Stack, tenant: Tenant) -> None:
    account = asking(tenant)
    member = add_member(account, Role.DEVELOPER)
    client = sign_in(member)

    with feed(stack, tenant, client) as refused:
        assert read_close_code(refused) == NOT_A_MEMBER
    give_factor(member)
    with feed(stack, tenant, client) as opened:
        assert "hello" in str(opened.recv(LIMIT))


def test_recovery_codes_alone_are_no_factor(tenant: Tenant) -> None:
    account = asking(tenant)
    member = add_member(account, Role.DEVELOPER)
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
    member = add_member(account, Role.DEVELOPER)
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
    sent = invite_member(account, person.email, Role.VIEWER, get_owner(tenant))
    client = sign_in(person)

    joined = client.post(f"/invite/{sent.token}/")
    led = client.get(joined.headers["Location"])

    assert account.memberships.filter(user=person).exists()
    assert led.headers["Location"] == explained(account, f"/a/{account.pk}/")


def test_they_let_no_application_and_no_machine_in(tenant: Tenant, stranger: Tenant) -> None:
    """Also not by a form of another account's project in which the project was exchanged."""
    account = asking(tenant)
    member = add_member(account, Role.DEVELOPER)
    client, application = sign_in(member), Application(tenant)
    application.register_once()

    def allow_access(project_id: str) -> HttpResponse:
        page = client.get("/identity/o/authorize", application.asked()).content.decode()
        form = {"request": html.unescape(re.findall(r'name="request" value="([^"]+)"', page)[0])}
        form |= {"project": project_id, "scopes": "read", "action": "grant"}
        return client.post("/identity/o/authorize", form)

    page = client.get("/identity/o/authorize", application.asked()).content.decode()
    assert "set one up first" in page
    assert tenant.project_id not in page

    Membership.objects.create(account=stranger.project.account, user=member, role=Role.DEVELOPER)
    assert allow_access(tenant.project_id).status_code == 200
    assert not OAuthGrant.objects.filter(user=member).exists()
    assert allow_access(stranger.project_id).status_code == 302

    give_factor(member)
    assert allow_access(tenant.project_id).status_code == 302
    application.close()


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
    member = add_member(stranger.project.account, Role.DEVELOPER)
    account = asking(tenant)
    Membership.objects.create(account=account, user=member, role=Role.DEVELOPER)
    client = sign_in(member)
    client.get(f"/p/{stranger.project_id}/memories/")
    client.get(explained(account))

    assert client.get("/home/").headers["Location"] == f"/p/{stranger.project_id}/quickstart/"
