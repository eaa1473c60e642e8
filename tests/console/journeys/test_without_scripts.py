"""J12: with JavaScript off somebody signs in, reads and filters the memories, and deletes one."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.journeys import visit
from tests.support.console.sign_in_forms import fill_in_login
from tests.support.tasks.bulk import list_jobs, wait_for_job
from tests.support.tasks.many_memories import hold_facts


def test_without_scripts_somebody_signs_in_filters_and_deletes(
    chromium_browser: Browser, console_url: str, tenant: Tenant, api: Api
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    with visit(chromium_browser, console_url, java_script_enabled=False) as page:
        page.goto(f"/p/{tenant.project_id}/memories/")
        fill_in_login(page, tenant.email, tenant.password)
        table = page.get_by_role("table")
        expect(table).to_contain_text("Oslo")

        page.get_by_placeholder("Subject ID").fill("kim")
        page.get_by_role("button", name="Apply").first.click()
        expect(table).not_to_contain_text("Oslo")
        expect(page).to_have_url(re.compile("subject=kim"))
        table.get_by_role("link").filter(has_text="Lisbon").click()
        expect(page.get_by_role("dialog")).to_contain_text("The user lives in Lisbon.")

        page.go_back()
        table.get_by_role("row").filter(has_text="Lisbon").get_by_role("checkbox").check()
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("button", name="Delete 1 memory").click()
        expect(page.get_by_role("heading", name=re.compile("1 memory"))).to_be_visible()
        wait_for_job(tenant, list_jobs(tenant)[0].pk)

    assert api.listed("kim")["total"] == 0
    assert api.listed("lou")["total"] == 1
