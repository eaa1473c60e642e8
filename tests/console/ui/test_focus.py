"""People who work by keyboard go on where they were, not at the top of the page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant


def test_a_drawer_gives_the_focus_to_its_row_and_a_job_on_chosen_memories_to_the_page(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    rows = signed_in.get_by_role("table").locator("tbody tr")
    rows.first.get_by_role("link").first.press("Enter")
    drawer = signed_in.locator("#drawer .drawer")
    expect(drawer).to_be_focused()
    second = rows.nth(1).get_attribute("data-id")
    signed_in.keyboard.press("]")
    expect(signed_in.locator("side-drawer")).to_have_attribute("data-id", str(second))

    signed_in.keyboard.press("Escape")

    expect(drawer).to_have_count(0)
    expect(rows.nth(1).get_by_role("link").first).to_be_focused()
    signed_in.get_by_label("Select this page").check()
    signed_in.get_by_role("button", name="Archive…").press("Enter")

    signed_in.get_by_role("dialog").get_by_role("button", name="Archive 2 memories").press("Enter")

    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text("Job started")
    expect(signed_in.get_by_role("main")).to_be_focused()


def test_after_settings_are_saved_the_focus_is_in_the_page(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/settings/")
    signed_in.get_by_label("Relativity").fill("0.6")

    signed_in.get_by_role("button", name="Save changes").press("Enter")

    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text(re.compile("Saved"))
    expect(signed_in.get_by_role("main")).to_be_focused()
