"""The settings of a project in the browser: one panel at a time, one bar that saves."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant
from tests.support.waiting import look_until


def test_changes_in_several_sections_are_saved_or_discarded_by_one_bar(
    signed_in: Page, tenant: Tenant
) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/settings/#trash")
    bar = signed_in.get_by_role("region", name="Unsaved changes")
    expect(signed_in.get_by_label("Relativity")).to_be_hidden()
    expect(bar).to_be_hidden()
    expect(signed_in.get_by_role("button", name="Save", exact=True)).to_have_count(0)

    signed_in.get_by_label("Keep deleted memories for").fill("3")
    signed_in.get_by_label("Keep messages for").fill("5")
    expect(bar).to_contain_text("Retention, Trash")
    bar.get_by_role("button", name="Save changes").click()

    expect(signed_in.get_by_text("0, or at least 7").first).to_be_visible()
    expect(bar).not_to_contain_text("Trash")
    look_until(
        lambda: tenant.project.settings.get("trash", {}).get("days"),
        lambda days: days == 3,
        otherwise="not saved",
    )

    signed_in.get_by_label("Keep messages for").fill("30")
    bar.get_by_role("button", name="Save changes").click()
    expect(bar).to_be_hidden()
    assert tenant.project.settings["retention"]["message_days"] == 30

    # A wrong field of another panel is shown.
    signed_in.goto(f"/p/{tenant.project_id}/settings/")
    signed_in.get_by_label("Relativity").fill("7")
    signed_in.get_by_role("link", name="Privacy").click()
    expect(signed_in.get_by_label("Relativity")).to_be_hidden()

    bar.get_by_role("button", name="Save changes").click()
    expect(signed_in.get_by_label("Relativity")).to_be_focused()

    bar.get_by_role("button", name="Discard").click()
    expect(signed_in.get_by_label("Relativity")).to_have_value("")
    expect(bar).to_be_hidden()
