"""J14: on a phone three files are sent by the picker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in
from tests.support.console.journeys import PATIENCE, visit
from tests.support.console.knowledge_pages import MEGABYTE, upload_of
from tests.support.documents.small_files import pdf
from tests.support.knowledge.knowledge import new_base

POLICY = pdf([[(18, "Travel Policy"), (11, "A hotel costs at most 900 CNY a night.")]])


@pytest.fixture
def phone(chromium_browser: Browser, console_url: str, tenant: Tenant) -> Iterator[Page]:
    screen = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    with visit(chromium_browser, console_url, **screen) as page:
        sign_in(page, tenant)
        yield page


def is_within_the_screen(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_on_a_phone_three_files_come_by_the_picker(
    phone: Page, tenant: Tenant, api: Api, tmp_path: Path
) -> None:
    base = new_base(api)
    travel, report, film = (tmp_path / name for name in ("travel.pdf", "report.docx", "film.pdf"))
    travel.write_bytes(POLICY)
    report.write_bytes(b"%PDF-1.4 not a docx")
    with film.open("wb") as empty:
        empty.truncate(101 * MEGABYTE)
    phone.goto(f"/p/{tenant.project_id}/knowledge/{base}/")

    with phone.expect_file_chooser() as chooser:
        phone.get_by_text("Choose files", exact=True).tap()
    chooser.value.set_files([travel, report, film])

    expect(upload_of(phone, "film.pdf")).to_contain_text("Too large: at most 100")
    expect(upload_of(phone, "report.docx")).to_contain_text("Save it again as .docx", timeout=PATIENCE)
    expect(phone.get_by_role("link", name="travel.pdf", exact=True)).to_be_visible(timeout=PATIENCE)
    expect(phone.get_by_text("Completed")).to_be_visible(timeout=PATIENCE)
    assert is_within_the_screen(phone)
