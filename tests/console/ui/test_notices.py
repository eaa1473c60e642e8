"""Notices say what was done, and their Undo reverts it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, Request, expect

from tests.support.api_client import Api, Tenant

# A browser without a clipboard for scripts, as on a page that came over plain HTTP from another machine.
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
REFUSES_ALL = f"{NO_CLIPBOARD}; document.execCommand = () => false"


def find_notices(page: Page, text: str) -> Locator:
    return page.get_by_role("status", name="Notices").locator(".toast").filter(has_text=text)


def delete_memory(page: Page, word: str) -> None:
    page.get_by_role("row").filter(has_text=word).get_by_role("link").first.click()
    drawer = page.locator("#drawer .drawer")
    expect(drawer).to_contain_text(word)
    drawer.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete 1 memory").click()
    expect(page.get_by_role("row").filter(has_text=word)).to_have_count(0)


def test_undo_by_keyboard_brings_back_the_memory_it_belongs_to_and_a_double_click_another(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    """Who undoes by keyboard goes on in the page; a button that is clicked twice does its work once."""
    api.add("kim", "I live in Lisbon. I have two cats.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    delete_memory(signed_in, "Lisbon")
    delete_memory(signed_in, "cats")
    expect(find_notices(signed_in, "1 memory deleted.")).to_have_count(2)

    find_notices(signed_in, "1 memory deleted.").last.get_by_role("button", name="Undo").press("Enter")

    expect(signed_in.get_by_role("main")).to_be_focused()
    expect(signed_in.get_by_role("row").filter(has_text="cats")).to_be_visible()
    expect(signed_in.get_by_role("row").filter(has_text="Lisbon")).to_have_count(0)
    signed_in.goto(f"/p/{tenant.project_id}/memories/trash/")
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            sent.append(request.url)

    signed_in.on("request", note)

    row = signed_in.get_by_role("row").filter(has_text="Lisbon")
    row.get_by_role("button", name="Restore").dblclick()

    expect(find_notices(signed_in, "1 memory restored.")).to_be_visible()
    expect(row).to_have_count(0)
    signed_in.remove_listener("request", note)
    assert len(sent) == 1


def test_a_notice_stays_while_the_keyboard_is_in_it_and_back_leads_to_the_list(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.")
    signed_in.clock.install()
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    delete_memory(signed_in, "Lisbon")
    notice = find_notices(signed_in, "1 memory deleted.")
    notice.get_by_role("button", name="Undo").focus()

    signed_in.clock.fast_forward("01:00")

    expect(notice.get_by_role("button", name="Undo")).to_be_focused()
    signed_in.get_by_role("main").focus()
    signed_in.clock.fast_forward("01:00")
    expect(notice).to_have_count(0)

    signed_in.go_back()

    expect(signed_in).to_have_url(re.compile(r"\?open="))
    expect(signed_in.get_by_role("row").filter(has_text="cats")).to_be_visible()
    expect(find_notices(signed_in, "This memory is no longer there.")).to_be_visible()


def test_a_key_is_copied_where_scripts_have_no_clipboard(signed_in: Page, tenant: Tenant) -> None:
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(f"/p/{tenant.project_id}/api-keys/new/")
    signed_in.get_by_label("Name").fill("backend")
    signed_in.get_by_role("button", name="Create key").click()
    field = signed_in.get_by_role("textbox", name="backend")
    expect(field).to_be_visible()
    read_clipboard = signed_in.evaluate_handle("() => navigator.clipboard")
    signed_in.evaluate(NO_CLIPBOARD)

    signed_in.locator(".key-field").get_by_role("button", name=re.compile("^Copy")).click()

    expect(signed_in.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert read_clipboard.evaluate("clipboard => clipboard.readText()") == field.input_value()


def test_a_copy_that_the_browser_refuses_is_not_said_to_be_done(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/quickstart/")
    signed_in.evaluate(REFUSES_ALL)

    signed_in.get_by_role("main").get_by_role("button", name=re.compile("^Copy")).first.click()

    expect(signed_in.get_by_role("status").filter(has_text="Not copied.")).to_be_visible()
