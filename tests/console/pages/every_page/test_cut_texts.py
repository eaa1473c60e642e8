"""On a laptop nothing is cut off that people choose from or copy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.support.api_client import Tenant
from tests.support.console.browser import new_profile, sign_in

LAPTOP: ViewportSize = {"width": 1280, "height": 800}
CUT_CHOICES = """() => [...document.querySelectorAll("select")].filter((one) => one.checkVisibility()).filter((one) => {
    const style = getComputedStyle(one), pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const width = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return [...one.options].some((option) => pen.measureText(option.text).width > width);
}).map((one) => one.name)"""
WIDER_THAN_SHOWN = (
    "found => found.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
)


def count_cut(page: Page, places: str) -> list[str]:
    return page.locator(places).evaluate_all(WIDER_THAN_SHOWN)


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_filters_tabs_and_the_code_to_copy_are_whole(
    chromium_browser: Browser, console_url: str, tenant: Tenant, language: str
) -> None:
    with new_profile(chromium_browser, console_url, viewport=LAPTOP, locale=language) as profile:
        page = profile.new_page()
        sign_in(page, tenant)

        page.goto(f"/p/{tenant.project_id}/memories/")
        page.locator(".more-filters summary").click()
        assert page.evaluate(CUT_CHOICES) == []

        page.goto(f"/p/{tenant.project_id}/quickstart/")
        page.locator("code-tabs[data-ready]").last.wait_for()
        assert count_cut(page, "code-tabs [role=tablist]") == []
        assert count_cut(page, "#prompt") == []
