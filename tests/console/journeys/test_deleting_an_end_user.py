"""J5: an end user asks to be forgotten: nothing of them can be found, and nothing of others is missing."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant


def test_one_end_user_is_deleted_and_the_others_keep_everything(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    for user in ("kim", "kimberly"):
        api.add(user, "I live in Lisbon. I like green tea.")
    signed_in.goto(f"/p/{tenant.project_id}/users/")
    signed_in.get_by_role("table").get_by_role("link", name="kim", exact=True).click()

    signed_in.get_by_role("link", name="Delete end user…").click()
    dialog = signed_in.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Delete end user")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    dialog.get_by_label("to confirm").fill("ki")
    expect(button).to_be_disabled()
    dialog.get_by_label("to confirm").fill("kim")
    button.click()

    expect(signed_in.get_by_text(re.compile(r"^0 of \d+ memories can still be recalled"))).to_be_visible()
    signed_in.get_by_role("link", name="Back to the end users").click()
    table = signed_in.get_by_role("table")
    expect(table.get_by_role("link", name="kimberly", exact=True)).to_be_visible()
    expect(table.get_by_role("link", name="kim", exact=True)).to_have_count(0)
    assert api.facts("kim", "Where do I live?", relativity=0) == []
    assert any("Lisbon" in fact for fact in api.facts("kimberly", "Where do I live?"))
    assert api.listed("kimberly")["total"] == 1  # of facts
