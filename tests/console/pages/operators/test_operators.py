"""Operators: who gets in, and what they see and change of accounts."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.test import Client

from console.pages.operators.urls import PAGES as ADDRESSES
from tenancy.metering.meters import Meter
from tenancy.people.operator_grants import list_months_ahead
from tests.support.accounts.people import get_owner, sign_in, sign_in_owner
from tests.support.accounts.plans import give_plan, standing
from tests.support.api_client import Api, Tenant
from tests.support.console.operators import (
    done_by_operators,
    new_operator,
    operator_client,
    signed_in_long_ago,
    superuser,
)
from tests.support.waiting import look_until

PAGES = ["", "tenancy/account/", "queues/", "slow/", "storage/", "health/", "tenancy/operatorvisit/"]


def account_page(tenant: Tenant, part: str = "change") -> str:
    return f"/admin/tenancy/account/{tenant.project.account_id}/{part}/"


# Who gets in.


def test_to_everybody_else_there_are_no_operators_pages(tenant: Tenant) -> None:
    nobody, owner = Client(HTTP_HOST="localhost"), sign_in_owner(tenant)

    for page in PAGES:
        assert owner.get(f"/admin/{page}").status_code == 404, page
        assert nobody.get(f"/admin/{page}").headers["Location"].startswith("/admin/login/"), page


def test_operators_sign_in_where_all_users_do() -> None:
    nobody = Client(HTTP_HOST="localhost")
    operator = operator_client()

    shown = nobody.get("/admin/login/?next=/admin/queues/")
    tried = nobody.post("/admin/login/", {"username": "x", "password": "y"})
    again = operator.post("/admin/login/", {"username": "x", "password": "y"})

    assert shown.headers["Location"].startswith("/accounts/login/?next=")
    assert tried.headers["Location"].startswith("/accounts/login/")
    assert again.headers["Location"] == "/admin/"
    assert operator.get("/admin/password_change/").headers["Location"] == "/accounts/password/change/"


def test_each_page_asks_for_its_permission_and_has_the_policy_of_all_pages() -> None:
    without, operator = operator_client("tenancy.view_plan"), operator_client()
    home, policy = without.get("/admin/").content.decode(), "Content-Security-Policy"
    policies = {operator.get("/pricing/").headers[policy]}

    for page in PAGES[1:]:
        assert without.get(f"/admin/{page}").status_code == 403, page
        assert f'href="/admin/{page}"' not in home
        answer = operator.get(f"/admin/{page}")
        assert answer.status_code == 200, page
        policies.add(answer.headers[policy])

    policies.add(operator.get("/admin/").headers[policy])
    assert len(policies) == 1
    assert "unsafe" not in "".join(policies)


def test_looking_is_not_changing(tenant: Tenant) -> None:
    looking = operator_client("tenancy.view_account", "memories.view_task")

    page = looking.get(account_page(tenant)).content.decode()
    answers = [looking.post(account_page(tenant, part), {}) for part in ("grant", "plan", "visit")]
    answers.append(looking.post("/admin/queues/run-again/", {}))

    assert [answer.status_code for answer in answers] == [403] * 4
    assert "/grant/" not in page
    assert done_by_operators(tenant.project.account) == []


def test_every_address_of_operators_is_guarded() -> None:
    """Whatever is added to the admin site has a permission of its own, or is Django's."""
    unguarded = {name for _, view, name in ADDRESSES if not getattr(view, "permission", "")}

    assert unguarded == {"visit_end"}
    assert site.__class__.__name__ == "OperatorSite"


# Accounts.


def test_an_account_is_found_by_what_an_operator_is_told(tenant: Tenant, stranger: Tenant) -> None:
    operator = operator_client()
    name = tenant.project.account.name
    terms = [name, get_owner(tenant).email, str(tenant.project.account_id), tenant.project_id, tenant.key[:8]]

    for words in terms:
        page = operator.get("/admin/tenancy/account/", {"q": words}).content.decode()
        assert account_page(tenant) in page, words
    assert (
        account_page(stranger)
        not in operator.get("/admin/tenancy/account/", {"q": tenant.project_id}).content.decode()
    )


def test_an_accounts_page_tells_who_how_much_and_how_fast(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    api.search("kim", "Where do I live?")
    operator = operator_client()

    page = look_until(  # a log row comes a moment after its answer
        lambda: operator.get(account_page(tenant)).content.decode(), lambda page: "/search/memory" in page
    )

    assert get_owner(tenant).email in page
    assert tenant.project_id in page
    assert "Lisbon" not in page
    assert tenant.key not in page


def test_more_of_a_quota_is_given_until_a_month_and_written_down_once(tenant: Tenant) -> None:
    account = tenant.project.account
    operator = new_operator()
    client = sign_in(operator)
    give_plan(tenant, monthly_searches=100)
    body = {"meter": "search/memory", "amount": "50", "reason": "A trade fair"}

    answer = client.post(
        account_page(tenant, "grant"), {**body, "through": list_months_ahead()[2].isoformat()}
    )

    (entry,) = done_by_operators(account)
    months = [month.isoformat() for month in list_months_ahead()[:3]]
    assert answer.status_code == 302
    assert standing(tenant, Meter.SEARCH).allowed == 150
    assert (entry.action, entry.actor_label) == ("quota.granted", str(operator.pk))
    assert entry.detail["reason"] == "A trade fair"
    assert entry.detail["before"] == dict.fromkeys(months, 0)
    assert entry.detail["after"] == dict.fromkeys(months, 50)
    assert "A trade fair" in client.get(account_page(tenant)).content.decode()


@pytest.mark.parametrize("part", ["grant", "plan"])
def test_who_signed_in_long_ago_says_again_who_they_are_before_a_change(tenant: Tenant, part: str) -> None:
    client = signed_in_long_ago(operator_client())
    body = {"meter": "chat", "amount": "5", "through": list_months_ahead()[0].isoformat(), "plan": "starter"}

    answer = client.post(account_page(tenant, part), {**body, "reason": "x"})

    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert done_by_operators(tenant.project.account) == []


def test_no_form_but_the_operators_own_changes_an_account(tenant: Tenant) -> None:
    """However its id is written: in upper case, or without hyphens."""
    account = tenant.project.account
    client = sign_in(superuser())
    body = {"name": "taken", "plan": "starter", "created_at_0": "2020-01-01", "created_at_1": "00:00"}

    for key in (account.pk.hex, str(account.pk).upper(), str(account.pk)):
        assert client.post(f"/admin/tenancy/account/{key}/change/", body).status_code in {403, 404, 405}, key

    before = (account.name, account.plan_id, account.created_at)
    account.refresh_from_db()
    assert (account.name, account.plan_id, account.created_at) == before


def test_no_more_is_refunded_than_was_given(tenant: Tenant) -> None:
    client = operator_client()
    body = {"meter": "chat", "through": list_months_ahead()[0].isoformat(), "reason": "a mistake"}

    client.post(account_page(tenant, "grant"), {**body, "amount": "5"})
    refused = client.post(account_page(tenant, "grant"), {**body, "amount": "-6"})
    taken = client.post(account_page(tenant, "grant"), {**body, "amount": "-5"})

    assert (refused.status_code, taken.status_code) == (422, 302)
    assert "only 5 more" in refused.content.decode().lower()
    assert [entry.detail["amount"] for entry in done_by_operators(tenant.project.account)] == [5, -5]


@pytest.mark.parametrize("amount", ["0", "", "many", "1e9", str(10**30)])
def test_an_amount_that_is_none_is_explained(tenant: Tenant, amount: str) -> None:
    client = operator_client()
    body = {"meter": "chat", "amount": amount, "through": list_months_ahead()[0].isoformat(), "reason": "x"}

    answer = client.post(account_page(tenant, "grant"), body)

    assert answer.status_code == 422
    assert done_by_operators(tenant.project.account) == []


def test_a_plan_is_changed_with_a_reason(tenant: Tenant) -> None:
    account = tenant.project.account
    client = operator_client()

    silent = client.post(account_page(tenant, "plan"), {"plan": "starter", "reason": ""})
    changed = client.post(account_page(tenant, "plan"), {"plan": "starter", "reason": "They asked for it"})
    same = client.post(account_page(tenant, "plan"), {"plan": "starter", "reason": "Again"})

    (entry,) = done_by_operators(account)
    account.refresh_from_db()
    assert (silent.status_code, changed.status_code, same.status_code) == (422, 302, 422)
    assert account.plan_id == "starter"
    assert entry.action == "account.plan_changed"
    assert (entry.detail["before"], entry.detail["after"]) == ({"plan": "enterprise"}, {"plan": "starter"})


def test_an_account_that_is_not_there_is_not_found() -> None:
    client = operator_client()

    for part in ("change", "grant", "plan", "visit"):
        assert (
            client.get(f"/admin/tenancy/account/00000000-0000-7000-8000-000000000000/{part}/").status_code
            == 404
        )
