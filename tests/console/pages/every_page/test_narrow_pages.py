"""The project switcher is called what it shows, on the narrowest phone too."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant

NARROW = 320


def test_the_project_switcher_is_called_what_it_shows(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/quickstart/")
    button = signed_in.locator(".switcher")
    shown = button.locator(".clip").all_inner_texts()

    assert shown[1] == tenant.project.name
    expect(button).to_have_accessible_name(
        re.compile(r"^Switch project\b.*" + r"\s+".join(map(re.escape, shown)))
    )
    button.press("Enter")
    expect(signed_in.get_by_placeholder("Find a project…")).to_be_visible()


def test_a_phone_names_the_account_where_no_project_is_open(signed_in: Page, tenant: Tenant) -> None:
    signed_in.set_viewport_size({"width": NARROW, "height": 640})
    signed_in.goto(f"/a/{tenant.project.account_id}/usage/")

    expect(signed_in.locator(".switcher .clip")).to_be_visible()
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= NARROW
