"""An operator without a second factor sees nothing of any account, and is led to set one up."""

from __future__ import annotations

import re

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt
from django.test import Client

from tests.support.accounts.people import PASSWORD, give_factor, make_code, sign_in
from tests.support.api_client import Tenant
from tests.support.console.operators import new_operator, operator_client

PAGES = ["", "tenancy/account/", "queues/", "slow/", "storage/", "health/", "tenancy/user/", "memories/task/"]


def accounts_page(tenant: Tenant) -> str:
    return f"/admin/tenancy/account/{tenant.project.account_id}/change/"


def test_without_a_second_factor_every_page_leads_to_its_set_up() -> None:
    client = sign_in(new_operator(has_factor=False))

    for page in PAGES:
        answer = client.get(f"/admin/{page}")
        shown = answer.content.decode()
        assert (answer.status_code, "Operators need two-factor" in shown) == (403, True), page
        assert 'href="/accounts/2fa/totp/activate/"' in shown
        assert 'href="/accounts/2fa/webauthn/add/"' in shown


def test_nothing_of_an_account_is_shown_or_changed_before(tenant: Tenant) -> None:
    client = sign_in(new_operator(has_factor=False))
    place = f"/admin/tenancy/account/{tenant.project.account_id}"

    shown = client.get(accounts_page(tenant)).content.decode()
    changed = client.post(f"{place}/plan/", {"plan": "pro", "reason": "because"})
    begun = client.post(f"{place}/visit/", {"reason": "because"})

    assert tenant.email not in shown
    assert {changed.status_code, begun.status_code} == {403}
    assert tenant.project.account.plan_id != "pro"
    assert client.get(f"/p/{tenant.project_id}/memories/").status_code == 404


def test_a_session_that_was_begun_without_the_factor_is_asked_for_it(tenant: Tenant) -> None:
    operator = new_operator(has_factor=False)
    client = sign_in(operator)
    factor = give_factor(operator)  # on another device

    asked = client.get(accounts_page(tenant))
    onward = accounts_page(tenant).replace("/", "%2F")
    assert asked.headers["Location"] == f"/accounts/2fa/reauthenticate/?next={onward}"
    answer = client.post(
        asked.headers["Location"], {"code": make_code(factor), "next": accounts_page(tenant)}
    )

    assert answer.headers["Location"] == accounts_page(tenant)
    assert client.get(accounts_page(tenant)).status_code == 200


def test_a_wrong_code_opens_nothing(tenant: Tenant) -> None:
    operator = new_operator(has_factor=False)
    client = sign_in(operator)
    factor = give_factor(operator)
    wrong = f"{(int(make_code(factor)) + 1) % 1_000_000:06}"

    client.post("/accounts/2fa/reauthenticate/", {"code": wrong})

    assert client.get(accounts_page(tenant)).status_code == 302


def test_anyone_who_sets_one_up_goes_on_to_where_they_wanted_to_go(tenant: Tenant) -> None:
    operator = new_operator(has_factor=False)
    client = sign_in(operator)
    client.get(accounts_page(tenant))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})

    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    secret = re.search(r"\b([A-Z2-7]{32})\b", page)
    assert secret
    codes = client.post("/accounts/2fa/totp/activate/", {"code": code_from(secret[1])}, follow=True)

    assert f'href="{accounts_page(tenant)}"' in codes.content.decode()
    assert client.get(accounts_page(tenant)).status_code == 200


def code_from(secret: str) -> str:
    return make_code(Authenticator(data={"secret": encrypt(secret)}))


def visiting(tenant: Tenant) -> tuple[Client, str]:
    client = operator_client()
    place = f"/admin/tenancy/account/{tenant.project.account_id}/visit/"
    client.post(place, {"reason": "a question of theirs"})
    return client, f"/p/{tenant.project_id}/memories/"


def test_a_visit_is_over_when_the_factor_is_gone(tenant: Tenant) -> None:
    client, page = visiting(tenant)
    assert client.get(page).status_code == 200

    Authenticator.objects.filter(user=client.session["_auth_user_id"]).delete()

    assert client.get(page).status_code == 404


def test_leaving_is_always_possible() -> None:
    answer = sign_in(new_operator(has_factor=False)).post("/admin/logout/")

    assert answer.status_code in {200, 302}
