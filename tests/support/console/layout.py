"""Checks of a page at every width."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import Page

from tests.support.console.axe import Axe

# The landing page alone has a rule for phones narrower than others.
WIDTHS = [320, 390, 1280]
NARROWEST = [320]
NARROWEST_AND_WIDE = [320, 1280]
# A theme does not move letters, so each is looked at in one of the languages.
THEMES: dict[str, Literal["light", "dark"]] = {"en": "light", "zh-Hans": "dark"}
# English words are the wider ones, and Chinese ones break anywhere: what could be too wide is so on a phone.
WIDTHS_OF = {"en": NARROWEST_AND_WIDE, "zh-Hans": NARROWEST}


def look(page: Page, path: str, widths: list[int], axe: Axe | None = None) -> None:
    """With axe, where the page is widest, which shows most."""
    answer = page.goto(path)
    # None where the fragment alone differs, which shows another part of the page.
    assert answer.status == 200 if answer else "#" in path, path
    headings, title = page.evaluate("[document.querySelectorAll('h1').length, document.title]")
    assert headings == 1
    assert title
    # From the width that the last page left: to draw a page anew costs as much as to open it.
    is_narrow = page.viewport_size is not None and page.viewport_size["width"] == widths[0]
    for width in widths if is_narrow else reversed(widths):
        page.set_viewport_size({"width": width, "height": 800})
        sideways = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert sideways <= 0, f"{path} scrolls {sideways}px sideways at {width}px"
        if axe and width == widths[-1]:
            axe.look(page)


def look_at_all(
    page: Page, language: str, paths: list[str], widths: list[int] | None = None, axe: Axe | None = None
) -> None:
    page.set_extra_http_headers({"Accept-Language": language})
    if axe is None:
        page.emulate_media(color_scheme=THEMES[language])
    for path in paths:
        look(page, path, widths or WIDTHS_OF[language], axe)
    assert page.locator("html").get_attribute("lang") == language.lower()
