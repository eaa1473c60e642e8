"""Every page in both themes, both languages and three widths: complete, readable, nothing sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.api_client import Api, Tenant
from tests.console.conftest import Watch, sign_in
from tests.knowledge import new_base, upload, wait_for_files
from tests.small_files import locked_pdf

PUBLIC = ["/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
OF_PROJECT = ["quickstart/", "api-keys/", "memories/", "knowledge/", "settings/", "logs/"]
OF_BASE = ["", "?tab=skills", "?tab=memories", "?tab=corrections", "?tab=projects", "?tab=settings"]
POLICY = b"# Limits\n\nThe purchase limit for office software is 800 CNY.\n"
WIDTHS = [320, 390, 1280]


def look(page: Page, path: str) -> None:
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200
    assert page.locator("h1").count() == 1
    assert page.title()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        sideways = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert sideways <= 0, f"{path} scrolls {sideways}px sideways at {width}px"


@pytest.mark.parametrize("path", PUBLIC)
def test_public_pages_stand_at_every_width(page: Page, path: str) -> None:
    look(page, path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_project_pages_stand_empty_and_full(
    chromium_browser: Browser, console_url: str, tenant: Tenant, api: Api, scheme: str, language: str
) -> None:
    context = chromium_browser.new_context(base_url=console_url, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    watch = Watch(page, console_url)
    sign_in(page, tenant)
    context.set_extra_http_headers({"Accept-Language": language})
    paths = [f"/p/{tenant.project_id}/{name}" for name in OF_PROJECT] + [f"/a/{tenant.project.account_id}/"]

    for path in paths:
        look(page, path)
    base = new_base(api, "Policies of all departments", "What holds for everybody, wherever they work.")
    paths += [f"/p/{tenant.project_id}/knowledge/{base}/{tab}" for tab in OF_BASE]
    for path in paths[-len(OF_BASE) :]:
        look(page, path)
    api.add("kim", "I live in Lisbon. I like green tea.", {"role": "assistant", "content": "Noted."})
    api.search("kim", "Where do I live?")
    upload(api, base, {"A_name_without_any_place_to_break_it_in_two.md": POLICY, "secret.pdf": locked_pdf()})
    files = wait_for_files(api, base)
    paths += [f"/p/{tenant.project_id}/knowledge/{base}/files/{file['id']}/" for file in files]
    for path in paths:
        look(page, path)

    context.close()
    assert watch.troubles == []
