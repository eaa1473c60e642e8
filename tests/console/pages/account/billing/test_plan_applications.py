"""Plans where no money is collected: applied for by owners, granted by operators."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connections
from django.test import Client
from playwright.sync_api import Page, expect

from tenancy.audit.request_context import OPERATOR, act_as
from tenancy.billing.applications import (
    apply_for_plan,
    grant_application,
    open_application,
    refuse_application,
)
from tenancy.errors import Conflict, InvalidParameters
from tenancy.models import Plan, User
from tests.support.accounts.paying import get_account, list_audit, look, place, words
from tests.support.accounts.people import browser, get_owner, sign_in
from tests.support.api_client import Tenant
from tests.support.console.operators import superuser

# Where no money is collected.


def test_without_stripe_an_owner_applies_and_an_operator_grants(tenant: Tenant, owner: Client) -> None:
    assert "Apply for Pro" in look(owner, tenant)
    owner.post(place(tenant, "choose/pro/month/"))
    twice = owner.post(place(tenant, "choose/starter/month/"))
    application = open_application(get_account(tenant))

    assert "Pro is applied for" in look(owner, tenant)
    assert twice.status_code == 422
    assert application
    with act_as(OPERATOR, "7"):
        grant_application(application)

    page = look(owner, tenant)
    assert "Pro is applied for" not in page
    assert get_account(tenant).plan_id == "pro"
    assert [(kind, action) for kind, _, action in list_audit(tenant)] == [
        ("member", "plan.applied_for"),
        ("operator", "account.plan_changed"),
    ]


def test_an_application_is_refused_or_cancelled_and_the_plan_stays(tenant: Tenant, owner: Client) -> None:
    owner.post(place(tenant, "choose/pro/month/"))
    owner.post(place(tenant, "application/withdraw/"))
    owner.post(place(tenant, "choose/enterprise/year/"))
    application = open_application(get_account(tenant))
    assert application

    refuse_application(application)

    with pytest.raises(Conflict):
        grant_application(application)
    assert get_account(tenant).plan_id == "free"
    actions = [action for _, _, action in list_audit(tenant)]
    assert actions == ["plan.applied_for", "plan.withdrawn", "plan.applied_for", "plan.refused"]


def test_a_refused_application_says_why(tenant: Tenant) -> None:
    account, by = get_account(tenant), get_owner(tenant)
    pro, free = (Plan.objects.get(pk=code) for code in ("pro", "free"))
    account.plan = pro
    account.save(update_fields=["plan"])

    with pytest.raises(InvalidParameters, match="has the plan Pro already"):
        apply_for_plan(account, pro, by)
    with pytest.raises(InvalidParameters, match="nobody can apply for the plan Free"):
        apply_for_plan(account, free, by)
    apply_for_plan(account, Plan.objects.get(pk="starter"), by)
    with pytest.raises(Conflict, match="another application is open"):
        apply_for_plan(account, Plan.objects.get(pk="enterprise"), by)


def test_a_fault_of_the_database_is_not_called_an_open_application(tenant: Tenant) -> None:
    nobody = User(pk=2_000_000_000, email="nobody@example.org")

    with pytest.raises(IntegrityError):
        apply_for_plan(get_account(tenant), Plan.objects.get(pk="pro"), nobody)


def test_an_operator_decides_in_the_admin(tenant: Tenant, owner: Client) -> None:
    owner.post(place(tenant, "choose/pro/month/"))
    application = open_application(get_account(tenant))
    assert application
    operator = superuser()
    desk, list_of_all = sign_in(operator), "/admin/tenancy/planapplication/"

    assert get_account(tenant).name in words(desk.get(list_of_all, {"q": get_account(tenant).name}))
    desk.post(list_of_all, {"action": "grant", "_selected_action": [str(application.pk)]})

    assert get_account(tenant).plan_id == "pro"
    assert list_audit(tenant)[-1] == ("operator", str(operator.pk), "account.plan_changed")


def test_the_command_line_grants_what_was_applied_for(tenant: Tenant, owner: Client) -> None:
    owner.post(place(tenant, "choose/pro/month/"))

    call_command("grant_plan", email=tenant.email, plan="pro")

    assert open_application(get_account(tenant)) is None
    assert get_account(tenant).plan_id == "pro"


def test_without_stripe_its_addresses_answer_404(tenant: Tenant, owner: Client) -> None:
    assert browser().post("/stripe/events", b"{}", "application/json").status_code == 404
    answer = owner.post(place(tenant, "portal/"), follow=True)
    assert "This account has no subscription" in words(answer)


def test_the_pricing_page_leads_there(tenant: Tenant, owner: Client) -> None:
    assert f'href="{place(tenant)}?per=year"' in owner.get("/pricing/?per=year").content.decode()
    assert 'href="/accounts/signup/"' in browser().get("/pricing/").content.decode()


def test_the_open_page_changes_by_itself_when_the_plan_is_granted(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(place(tenant))
    expect(signed_in.locator("live-dot")).to_have_attribute("data-state", "live")
    signed_in.get_by_role("link", name="Apply for Pro").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Apply").click()
    expect(signed_in.get_by_text("Pro is applied for")).to_be_visible()

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(grant_as_operator, tenant).result()

    expect(signed_in.get_by_text("Pro is applied for")).to_have_count(0)
    expect(signed_in.get_by_role("region", name="Pro")).to_contain_text("$99")


def grant_as_operator(tenant: Tenant) -> None:
    application = open_application(get_account(tenant))
    assert application
    with act_as(OPERATOR, "7"):
        grant_application(application)
    connections.close_all()
