"""Pages that strangers see first fit the narrowest phone, and the project switcher is called what it shows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.support.api_client import Tenant
from tests.support.console.browser import new_profile, sign_in

NARROW = 320
PUBLIC = ["/", "/pricing/", "/docs/", "/docs/limits/"]


def too_wide(page: Page) -> list[int]:
    """How wide each page is that has to be scrolled sideways."""
    widths = []
    for path in PUBLIC:
        page.goto(path)
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
    return [width for width in widths if width > NARROW]


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_landing_and_pricing_fit_the_narrowest_phone(
    chromium_browser: Browser, console_url: str, tenant: Tenant, language: str
) -> None:
    narrow: ViewportSize = {"width": NARROW, "height": 640}
    context = new_profile(chromium_browser, console_url, viewport=narrow, locale=language)
    page = context.new_page()

    as_stranger = too_wide(page)
    sign_in(page, tenant)
    as_member = too_wide(page)

    context.close()
    assert (as_stranger, as_member) == ([], [])


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
