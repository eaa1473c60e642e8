"""Operators' pages in a real browser: in both themes and languages, at every width, under the page's policy."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from playwright.sync_api import Page, expect

from tenancy.models import User
from tests.support.accounts.people import PASSWORD, make_code, sign_in
from tests.support.api_client import Api, Tenant
from tests.support.console.layout import THEMES, look_at_all
from tests.support.console.operators import failed_task, new_operator, superuser

PAGES = [
    "",
    "tenancy/account/",
    "queues/",
    "slow/?range=24h",
    "storage/",
    "health/",
    "tenancy/operatorvisit/",
]
# Django's own lists and forms: in Chinese, which is narrower, one of each.
LIST_AND_FORM = ["tenancy/user/", "tenancy/plan/free/change/"]
RECORDS = [
    "tenancy/project/",
    "tenancy/apikey/",
    "tenancy/plan/",
    "tenancy/plan/add/",
    "memories/task/?state__exact=dead",
    "mfa/authenticator/",
    "auth/group/",
    "auth/group/add/",
]
ACCOUNT = ["change", "grant", "plan", "visit"]


def come_in(page: Page, operator: User) -> None:
    """With a session that began elsewhere."""
    session = sign_in(operator).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": session.key, "value": session.value, "domain": "localhost", "path": "/"}]
    )
    page.goto("/admin/")


def come_in_by_form(page: Page, operator: User) -> None:
    page.goto("/accounts/login/?next=/admin/")
    page.locator("input[name=login]").fill(operator.email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("button.button-primary").click()
    page.locator("input[name=code]").fill(make_code(Authenticator.objects.get(user=operator)))
    page.locator("button.button-primary").click()
    page.wait_for_url("**/admin/")


def test_operators_pages_stand_full(page: Page, tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    api.search("kim", "Where do I live?")
    task = failed_task(tenant.project)
    operator = superuser()
    come_in(page, operator)

    place = f"tenancy/account/{tenant.project.account_id}"
    paths = [*PAGES, *LIST_AND_FORM, *(f"{place}/{part}/" for part in ACCOUNT)]
    paths += [f"memories/task/{task}/change/", f"slow/?account={tenant.project.account_id}&range=7d"]
    for language in THEMES:
        look_at_all(page, language, [f"/admin/{path}" for path in paths])
    records = [*RECORDS, f"tenancy/user/{operator.pk}/change/", f"tenancy/user/{operator.pk}/history/"]
    look_at_all(page, "en", [f"/admin/{path}" for path in records])


def test_an_operator_finds_a_failed_task_and_runs_it_again(page: Page, tenant: Tenant) -> None:
    task = failed_task(tenant.project, error_code="KeyError")
    come_in_by_form(page, new_operator())

    page.get_by_role("link", name="Queues").first.click()
    row = page.get_by_role("row").filter(has_text=str(task)[-4:]).filter(has_text="KeyError").first
    row.get_by_role("checkbox").check()
    page.get_by_role("button", name="Run the chosen ones again").click()

    expect(page.get_by_text("1 task runs again.")).to_be_visible()


def test_an_operator_visits_a_console_and_leaves_it(page: Page, tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    come_in(page, new_operator())
    page.goto(f"/admin/tenancy/account/{tenant.project.account_id}/change/")

    page.get_by_role("link", name="See their console").click()
    page.get_by_label("Reason").fill("A ticket about quotas")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("as an operator, read only")).to_be_visible()
    page.get_by_role("link", name="Memories").click()

    expect(page.get_by_text("as an operator, read only")).to_be_visible()
    expect(page.get_by_role("heading", name="Memories")).to_be_visible()
    expect(page.get_by_text("Lisbon")).to_have_count(0)
    expect(page.locator("live-dot")).to_have_count(0)

    page.get_by_role("button", name="Stop").click()

    expect(page.get_by_text("You have left the console of")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Operator visit ended")).to_be_visible()
