"""A developer reads what a memory went through, freezes, archives and restores it, and says what time may do."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.console.browser import new_profile, sign_in
from tests.support.tasks.many_memories import hold_facts


def said(text: str, when: str) -> dict[str, str]:
    return message("user", text, chat_time=when)


def open_memory(page: Page, tenant: Tenant, word: str, query: str = "") -> Locator:
    page.goto(f"/p/{tenant.project_id}/memories/{query}")
    page.get_by_role("row").filter(has_text=word).get_by_role("link").first.click()
    drawer = page.locator("#drawer .drawer")
    expect(drawer).to_contain_text(word)
    return drawer


def do(page: Page, drawer: Locator, verb: str) -> None:
    drawer.get_by_role("button", name=verb, exact=True).click()


def test_the_history_marks_what_each_change_took_out_and_put_in(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I have a dog.")
    api.add("kim", "I have a dog called Rex.")
    drawer = open_memory(signed_in, tenant, "Rex")

    drawer.get_by_role("link", name=re.compile("^History")).click()

    expect(drawer.locator(".step-text ins")).to_have_text(" called Rex")
    expect(drawer).to_contain_text("Automation")
    expect(drawer).to_contain_text("Said again with more detail")
    expect(drawer.get_by_role("listitem")).to_have_count(2)


def test_the_day_that_somebody_told_is_the_same_in_every_zone(
    chromium_browser: Browser, console_url: str, tenant: Tenant, api: Api
) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"))

    with new_profile(chromium_browser, console_url, timezone_id="America/Los_Angeles") as profile:
        page = profile.new_page()
        sign_in(page, tenant)
        drawer = open_memory(page, tenant, "Beijing")

        expect(drawer.locator("dl")).to_contain_text(re.compile(r"Valid\s+Jan. 10, 2025\s+–\s+present"))


def test_what_was_replaced_shows_its_time_and_leads_to_what_holds(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"), said("I moved to Shanghai.", "2025-06-01"))
    drawer = open_memory(signed_in, tenant, "Beijing", "?standing=replaced")
    expect(drawer).to_contain_text("Replaced")

    drawer.get_by_role("link", name=re.compile("Shanghai")).first.click()

    opened = signed_in.locator("#drawer .drawer")
    expect(opened.locator(".statement")).to_contain_text("Shanghai")
    expect(opened).to_contain_text("Replaces")
    expect(opened).to_contain_text("Beijing")


def test_a_memory_is_frozen_unfrozen_archived_and_comes_back(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.")
    drawer = open_memory(signed_in, tenant, "Lisbon")

    do(signed_in, drawer, "Freeze")
    expect(drawer.locator(".drawer-head")).to_contain_text("Frozen")
    expect(signed_in.get_by_role("table")).to_contain_text("Frozen")
    expect(drawer.get_by_role("button", name="Archive", exact=True)).to_have_count(0)
    do(signed_in, drawer, "Unfreeze")

    expect(drawer.locator(".drawer-head")).to_contain_text("Activated")
    drawer.get_by_role("link", name=re.compile("^History")).click()
    expect(drawer).to_contain_text(tenant.email)
    expect(drawer.get_by_role("listitem")).to_have_count(3)

    do(signed_in, drawer, "Archive")
    expect(signed_in.get_by_role("table")).not_to_contain_text("Lisbon")
    assert not any("Lisbon" in text for text in api.facts("kim", "Where do I live?", relativity=0))

    drawer = open_memory(signed_in, tenant, "Lisbon", "?standing=archived")
    do(signed_in, drawer, "Restore")
    expect(drawer.locator(".drawer-head")).to_contain_text("Activated")
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))


def test_what_cannot_come_back_says_why(tenant: Tenant) -> None:
    key = hold_facts(tenant, "kim", "The user has two cats.")[0].pk
    owner, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/memories/{key}/status"
    owner.post(f"{place}/archive/")
    hold_facts(tenant, "kim", "The user has two cats.")

    answer = owner.post(f"{place}/restore/", headers={"HX-Request": "true"})

    assert "says the same" in answer.headers["HX-Trigger"]


def test_without_scripts_a_memory_is_frozen_too(
    chromium_browser: Browser, console_url: str, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    context = new_profile(chromium_browser, console_url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, tenant)
    drawer = open_memory(page, tenant, "Lisbon")

    drawer.get_by_role("button", name="Freeze", exact=True).click()

    expect(page.locator(".drawer-head")).to_contain_text("Frozen")
    context.close()


def test_policies_are_saved_and_refused_where_they_make_no_sense(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/settings/#lifecycle")
    doubtful = signed_in.get_by_label("Archive low-confidence memories after")
    expect(signed_in.get_by_label("Expire working memory after")).to_have_value("30")

    doubtful.fill("90")
    signed_in.get_by_role("button", name="Save changes").click()
    expect(signed_in.get_by_text("Saved.")).to_be_visible()
    doubtful.evaluate("field => field.removeAttribute('max')")
    doubtful.fill("90000")
    signed_in.get_by_role("button", name="Save changes").click()
    expect(signed_in.get_by_role("alert")).to_contain_text("Archive low-confidence memories after")

    signed_in.reload()
    expect(doubtful).to_have_value("90")
    assert tenant.project.settings["lifecycle"]["archive_doubtful_days"] == 90


def test_a_stranger_can_neither_see_nor_change_anything_of_it(tenant: Tenant, stranger: Tenant) -> None:
    key = hold_facts(tenant, "kim", "The user lives in Lisbon.")[0].pk
    client = sign_in_owner(stranger)

    for path in (f"memories/{key}/", f"memories/{key}/status/freeze/", "settings/"):
        address = f"/p/{tenant.project_id}/{path}"
        assert (client.get(address).status_code, client.post(address).status_code) == (404, 404)
