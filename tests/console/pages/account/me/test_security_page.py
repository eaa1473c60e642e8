"""One's own login: second factors, sessions, asking again, the end of it; and what stops guessing."""

from __future__ import annotations

import re
import time

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from playwright.sync_api import Page, expect

from tenancy.models import Membership, Role, User
from tests.support.accounts.people import PASSWORD, add_member, browser, get_owner, new_person, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.sign_in_forms import make_code


def test_secrets_of_second_factors_are_encrypted_at_rest(tenant: Tenant) -> None:
    from allauth.mfa.models import Authenticator

    client, address = sign_in_owner(tenant), "/accounts/2fa/totp/activate/"
    client.post("/accounts/reauthenticate/", {"password": tenant.password})
    shown = re.search(r"\b([A-Z2-7]{32})\b", client.get(address).content.decode())
    assert shown
    secret = shown[1]
    assert client.post(address, {"code": make_code(secret)}).status_code == 302

    stored = Authenticator.objects.get(user=get_owner(tenant), type="totp")
    assert secret not in str(stored.data)


def test_nobody_ends_another_persons_session(tenant: Tenant, stranger: Tenant) -> None:
    from allauth.usersessions.models import UserSession

    theirs, mine = sign_in_owner(stranger), sign_in_owner(tenant)
    theirs.get("/me/")
    session = UserSession.objects.get(user=get_owner(stranger))

    assert mine.post(f"/me/sessions/{session.pk}/end/").status_code == 404
    assert theirs.get("/me/").status_code == 200


def test_a_session_ends_after_its_time_and_when_nobody_is_there(tenant: Tenant) -> None:
    for stamps in ({"signed_in_at": time.time() - 13 * 3600}, {"seen_at": time.time() - 4 * 3600}):
        client = sign_in_owner(tenant)
        assert client.get("/me/").status_code == 200
        session = client.session
        session.update(stamps)
        session.save()

        assert client.get("/me/").status_code == 302


def test_what_cannot_be_undone_asks_for_the_password_again(tenant: Tenant) -> None:
    client, account = sign_in_owner(tenant), tenant.project.account_id
    session = client.session
    for proof in session["account_authentication_methods"]:
        proof["at"] -= 16 * 60
    session["account_authentication_methods"] = session["account_authentication_methods"]
    session.save()

    asked = client.get(f"/a/{account}/delete/")
    asked_in_dialog = client.get(f"/a/{account}/delete/", headers={"HX-Request": "true"})
    client.post(asked.headers["Location"], {"password": tenant.password})

    assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    assert asked_in_dialog.headers["HX-Redirect"] == asked.headers["Location"]
    assert client.get(f"/a/{account}/delete/").status_code == 200


def test_who_confirms_stays_signed_in_though_passwords_are_hashed_harder_since(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, before = sign_in_owner(tenant), get_owner(tenant).password
    monkeypatch.setattr(Argon2PasswordHasher, "time_cost", Argon2PasswordHasher.time_cost + 1)

    client.post("/accounts/reauthenticate/", {"password": tenant.password})

    assert get_owner(tenant).password != before
    assert client.get("/me/").status_code == 200


def test_wrong_passwords_are_counted_by_person_and_the_right_one_waits_too(tenant: Tenant) -> None:
    clients = [browser() for _ in range(11)]  # each from an address of its own
    for client in clients[:10]:
        client.post("/accounts/login/", {"login": tenant.email, "password": "wrong"})

    answer = clients[10].post("/accounts/login/", {"login": tenant.email, "password": tenant.password})

    assert answer.status_code != 302
    assert b"Too many failed" in answer.content


def test_wrong_passwords_are_counted_by_address(tenant: Tenant) -> None:
    client = browser()
    for number in range(10):
        client.post("/accounts/login/", {"login": f"nobody{number}@example.org", "password": "wrong"})

    answer = client.post("/accounts/login/", {"login": tenant.email, "password": tenant.password})

    assert answer.status_code != 302


def test_unknown_and_wrong_are_answered_alike(tenant: Tenant) -> None:
    wrong = browser().post("/accounts/login/", {"login": tenant.email, "password": "wrong"})
    unknown = browser().post("/accounts/login/", {"login": "nobody@example.org", "password": "wrong"})

    pattern = re.compile(rb"callout-bad.*?</div>", re.DOTALL)
    assert b"not correct" in pattern.search(wrong.content)[0]  # type: ignore[index]
    assert pattern.search(wrong.content)[0] == pattern.search(unknown.content)[0]  # type: ignore[index]


def test_a_login_is_not_deleted_while_an_account_needs_it(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    page = client.get("/me/delete/").content.decode()
    answer = client.post("/me/delete/", {"typed": tenant.email})

    assert tenant.project.account.name.replace("'", "&#x27;") in page
    assert f"/a/{tenant.project.account_id}/members/" in page
    assert answer.status_code == 422
    assert User.objects.filter(email=tenant.email).exists()


def test_a_member_deletes_their_login_on_a_phone(tenant: Tenant, page: Page) -> None:
    member = add_member(tenant.project.account, Role.DEVELOPER)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(member.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/quickstart/")
    page.goto("/me/")
    expect(page.get_by_role("heading", name="Your login")).to_be_visible()
    expect(page.get_by_role("link", name="Manage Passkeys")).to_be_visible()
    page.get_by_role("link", name="Delete your login").click()
    page.get_by_label("to confirm").fill(member.email)
    page.get_by_role("button", name="Delete my login").click()

    page.wait_for_url(re.compile("/$"))
    assert not User.objects.filter(pk=member.pk).exists()
    assert not Membership.objects.filter(user_id=member.pk).exists()


def test_a_reset_link_works_once() -> None:
    """Mails are printed here: the link is made as the mail would carry it."""
    from allauth.account.forms import default_token_generator
    from allauth.account.utils import user_pk_to_url_str

    user = new_person()
    key = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    client = browser()
    form = client.get(f"/accounts/password/reset/key/{key}/").headers["Location"]
    client.post(form, {"password1": "another long passphrase", "password2": "another long passphrase"})

    again = browser().get(f"/accounts/password/reset/key/{key}/")

    assert b"no longer works" in again.content
    given = {"login": user.email, "password": "another long passphrase"}
    assert client.post("/accounts/login/", given).status_code == 302
    assert client.get("/me/").status_code == 200


@pytest.mark.parametrize("provider", ["github", "google"])
def test_without_credentials_no_provider_is_shown_or_served(provider: str) -> None:
    page = browser().get("/accounts/login/").content.decode().lower()

    assert provider not in page
    assert browser().post(f"/accounts/{provider}/login/").status_code == 404


def test_the_page_that_asks_for_the_password_says_for_what_and_leads_back(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    account = tenant.project.account_id
    asked = {
        "/me/delete/": ("To delete your login", "/me/"),
        f"/a/{account}/members/second-factor/": (
            "To require two-factor for all members",
            f"/a/{account}/members/",
        ),
        f"/p/{tenant.project_id}/api-keys/revoke-all/": (
            "To revoke all API keys",
            f"/p/{tenant.project_id}/api-keys/",
        ),
        "/accounts/2fa/totp/activate/": ("To turn on an authenticator app", "/accounts/2fa/"),
        "https://elsewhere.example/me/": ("This change needs", "/home/"),
        "/no/such/page": ("This change needs", "/home/"),
    }
    for address, (text, back) in asked.items():
        page = client.get("/accounts/reauthenticate/", {"next": address}).content.decode()
        assert text in page, address
        assert f'<a href="{back}">Cancel</a>' in page, address
