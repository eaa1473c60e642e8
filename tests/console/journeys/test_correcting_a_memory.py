"""J3: a developer finds a wrong memory, corrects it, goes back, protects it, and asks why it is not recalled."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant


def test_a_memory_is_found_edited_put_back_frozen_and_explained(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I work as a nurse.")
    api.add("lou", "I live in Oslo.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    table, drawer = signed_in.get_by_role("table"), signed_in.locator("#drawer")

    signed_in.get_by_role("searchbox", name="Search memories").fill("Lisbon")
    expect(table).not_to_contain_text("Oslo")
    table.get_by_role("link").filter(has_text="Lisbon").click()
    drawer.get_by_role("link", name="Edit").click()
    expect(signed_in).to_have_url(re.compile("view=edit"))
    form_address = signed_in.url
    drawer.get_by_label("Value").fill("The user lives in Porto.")
    drawer.get_by_role("button", name="Save as a new version").click()
    expect(drawer.locator(".statement")).to_have_text("The user lives in Porto.")
    assert any("Porto" in fact for fact in api.facts("kim", "Where do I live?"))

    drawer.get_by_role("link", name="History").click()
    drawer.get_by_role("button", name="Restore version 1").click()
    drawer.get_by_role("button", name="Freeze").click()
    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_be_visible()
    expect(drawer).to_contain_text("Version 3")
    expect(table).to_contain_text("Lisbon")
    api.add("kim", "I live in Madrid now.")
    assert any("Lisbon" in fact for fact in api.facts("kim", "Where do I live?"))

    drawer.get_by_role("link", name="Recall").click()
    question = drawer.get_by_label("Does this question recall it?")
    question.fill("Where do I live?")
    question.press("Enter")
    expect(drawer.get_by_role("status")).to_contain_text("Yes")
    question.fill("Who won the 1998 World Cup?")
    question.press("Enter")
    expect(drawer.get_by_role("status")).to_contain_text("No")
    stopped = drawer.get_by_role("listitem").filter(has_text="Relativity").first
    expect(stopped).to_contain_text("0.45 is needed")

    expect(drawer.get_by_role("button", name="Edit")).to_be_disabled()
    signed_in.goto(form_address)
    expect(drawer.locator(".statement")).to_contain_text("Lisbon")
    expect(drawer.get_by_role("button", name="Edit")).to_have_attribute(
        "title", "Unfreeze the memory to edit it."
    )
