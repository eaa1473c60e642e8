"""J14: on a phone a wrong memory is corrected and protected, and three files are sent by the picker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in, wait_until_still
from tests.support.console.journeys import visit
from tests.support.console.knowledge_pages import MEGABYTE, locate_upload
from tests.support.documents.small_files import pdf
from tests.support.knowledge.knowledge import new_base
from tests.support.tasks.many_memories import hold_facts

POLICY = pdf([[(18, "Travel Policy"), (11, "A hotel costs at most 900 CNY a night.")]])
# Whether nothing lies over the middle of a link.
IS_FREE = """(link => {
    const box = link.getBoundingClientRect();
    return link.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
})"""


@pytest.fixture
def phone(chromium_browser: Browser, console_url: str, tenant: Tenant) -> Iterator[Page]:
    screen = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    with visit(chromium_browser, console_url, **screen) as page:
        sign_in(page, tenant)
        yield page


def is_within_the_screen(page: Page) -> bool:
    wait_until_still(page)
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def covers_the_screen(page: Page) -> bool:
    """Return whether the open memory takes the whole width, and its head is not under anything."""
    wait_until_still(page)
    return bool(
        page.locator("#drawer .drawer-head").evaluate(
            """head => {
                const box = head.getBoundingClientRect();
                const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                return box.left <= 1 && box.right >= innerWidth - 1 && head.contains(middle);
            }"""
        )
    )


def test_on_a_phone_a_memory_is_found_edited_put_back_frozen_and_explained(
    phone: Page, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user works as a nurse.")
    phone.goto(f"/p/{tenant.project_id}/memories/")
    table, drawer = phone.get_by_role("table"), phone.locator("#drawer")

    phone.get_by_role("searchbox", name="Search memories").fill("Lisbon")
    expect(table).not_to_contain_text("nurse")
    assert is_within_the_screen(phone)
    table.get_by_role("link").filter(has_text="Lisbon").tap()
    expect(drawer.locator(".statement")).to_contain_text("Lisbon")
    assert covers_the_screen(phone)
    drawer.get_by_role("link", name="Edit").tap()
    drawer.get_by_label("Value").fill("The user lives in Porto.")
    drawer.get_by_role("button", name="Save as a new version").tap()
    expect(drawer.locator(".statement")).to_have_text("The user lives in Porto.")

    history = drawer.get_by_role("link", name="History")
    expect(phone.locator(".toast")).to_be_visible()
    wait_until_still(phone)
    assert history.evaluate(IS_FREE), "what was done is said over the tabs"
    history.tap()
    drawer.get_by_role("button", name="Restore version 1").tap()
    expect(drawer).to_contain_text("Version 3")
    drawer.get_by_role("button", name="Freeze").tap()
    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_be_visible()
    assert is_within_the_screen(phone)

    drawer.get_by_role("link", name="Recall").tap()
    question = drawer.get_by_label("Does this question recall it?")
    question.fill("Who won the 1998 World Cup?")
    question.press("Enter")
    expect(drawer.get_by_role("status")).to_contain_text("No")
    assert is_within_the_screen(phone)

    drawer.get_by_role("link", name="Close").tap()
    expect(drawer.locator(".statement")).to_have_count(0)
    expect(table).to_contain_text("Lisbon")


def test_on_a_phone_the_links_to_other_settings_stay_in_sight(phone: Page, tenant: Tenant) -> None:
    links = phone.get_by_role("navigation", name="Sections").get_by_role("link")
    for section in ("search", "lifecycle", "privacy"):
        phone.goto("/healthz")  # an address that differs in its fragment alone is not loaded again
        phone.goto(f"/p/{tenant.project_id}/settings/#{section}")
        expect(phone.locator(f"#{section}")).to_be_visible()

        phone.wait_for_function("window.scrollY === 0")
        wait_until_still(phone)
        assert links.evaluate_all(f"links => links.every({IS_FREE})"), section
        assert is_within_the_screen(phone), section


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

    expect(locate_upload(phone, "film.pdf")).to_contain_text("Too large: at most 100")
    expect(locate_upload(phone, "report.docx")).to_contain_text("Save it again as .docx")
    expect(phone.get_by_role("link", name="travel.pdf", exact=True)).to_be_visible()
    expect(phone.get_by_text("Completed")).to_be_visible()
    assert is_within_the_screen(phone)
