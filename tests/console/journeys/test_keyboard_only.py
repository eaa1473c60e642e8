"""J11: the first three journeys with a keyboard and nothing else."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import Browser, Page, expect

from tests.support.accounts.people import PASSWORD, new_person
from tests.support.api_client import Api, Tenant
from tests.support.console.journeys import run_in_terminal, tab_to, visit
from tests.support.tasks.request_log import store_rows


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def skip_to_content(page: Page) -> None:
    """Past the navigation's stops, by the link that comes first."""
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    press(page, "Enter")


def test_by_keyboard_a_newcomer_signs_up_and_finds_the_first_memory(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/accounts/signup/")
    tab_to(page, page.get_by_label("E-mail"))
    page.keyboard.type(f"{uuid4().hex}@example.org")
    tab_to(page, page.get_by_label("Password", exact=True))
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    page.wait_for_url("**/quickstart/")
    expect(page.locator("snippet-key")).to_have_attribute("data-state", "done")

    skip_to_content(page)
    tab_to(page, page.locator("#add-curl").get_by_role("button", name="Copy"))
    press(page, "Enter")
    expect(page.locator("#add-curl").get_by_role("status")).to_have_text("Copied")
    run_in_terminal(page.evaluate("navigator.clipboard.readText()"))
    expect(page.get_by_role("status", name="Activity")).to_contain_text("Shanghai")

    press(page, "g", "m")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    page.wait_for_load_state()  # the page's keys are there by then
    press(page, "/")
    page.keyboard.type("Shanghai")
    expect(page).to_have_url(re.compile("q=Shanghai"))
    tab_to(page, page.get_by_label("Select this page"))
    press(page, "j", "Enter")
    expect(page.locator("#drawer").get_by_role("heading").first).to_be_attached()
    press(page, "Escape")
    expect(page.locator("side-drawer")).to_have_count(0)


def test_by_keyboard_an_owner_invites_somebody_who_accepts(
    signed_in: Page, tenant: Tenant, chromium_browser: Browser, console_url: str
) -> None:
    person = new_person()
    signed_in.goto(f"/a/{tenant.project.account_id}/members/")
    skip_to_content(signed_in)
    tab_to(signed_in, signed_in.get_by_role("link", name="Invite people"))
    press(signed_in, "Enter")
    dialog = signed_in.get_by_role("dialog")
    tab_to(signed_in, dialog.get_by_label("E-mail addresses"))
    signed_in.keyboard.type(person.email)
    tab_to(signed_in, dialog.get_by_label("Role"))
    signed_in.keyboard.type("Viewer")
    tab_to(signed_in, dialog.get_by_role("button", name="Send invitations"))
    press(signed_in, "Enter")
    link = signed_in.get_by_label(person.email, exact=True)
    expect(link).to_have_value(re.compile("/invite/"))

    with visit(chromium_browser, console_url) as theirs:
        theirs.goto(link.input_value().replace("127.0.0.1", "localhost"))
        tab_to(theirs, theirs.get_by_role("link", name="Sign in to accept"))
        press(theirs, "Enter")
        tab_to(theirs, theirs.get_by_label("E-mail"))
        theirs.keyboard.type(person.email)
        tab_to(theirs, theirs.get_by_label("Password", exact=True))
        theirs.keyboard.type(PASSWORD)
        press(theirs, "Enter")
        tab_to(theirs, theirs.get_by_role("button", name="Accept the invitation"))
        press(theirs, "Enter")
        expect(theirs.get_by_text("Welcome to")).to_be_visible()
        expect(theirs.get_by_role("button", name="New project")).to_be_disabled()


def test_by_keyboard_a_memory_is_found_edited_put_back_frozen_and_explained(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    api.add("lou", "I live in Oslo.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    table, drawer = signed_in.get_by_role("table"), signed_in.locator("#drawer")
    skip_to_content(signed_in)
    tab_to(signed_in, signed_in.get_by_placeholder("Subject ID"))
    signed_in.keyboard.type("kim")
    expect(table).not_to_contain_text("Oslo")
    tab_to(signed_in, signed_in.get_by_label("Select this page"))
    press(signed_in, "j", "Enter")
    expect(drawer.locator(".statement")).to_contain_text("Lisbon")

    press(signed_in, "e")
    tab_to(signed_in, drawer.get_by_label("Value"))
    press(signed_in, "Control+a")
    signed_in.keyboard.type("The user lives in Porto.")
    tab_to(signed_in, drawer.get_by_role("button", name="Save as a new version"))
    press(signed_in, "Enter")
    expect(drawer.locator(".statement")).to_have_text("The user lives in Porto.")

    tab_to(signed_in, drawer.get_by_role("link", name="History"))
    press(signed_in, "Enter")
    tab_to(signed_in, drawer.get_by_role("button", name="Restore version 1"))
    press(signed_in, "Enter")
    expect(table).to_contain_text("Lisbon")
    expect(drawer).to_contain_text("Version 3")
    press(signed_in, "f")
    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_be_visible()
    press(signed_in, "f")
    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_have_count(0)

    tab_to(signed_in, drawer.get_by_role("link", name="Recall"))
    press(signed_in, "Enter")
    tab_to(signed_in, drawer.get_by_label("Does this question recall it?"))
    signed_in.keyboard.type("Who won the 1998 World Cup?")
    press(signed_in, "Enter")
    expect(drawer.get_by_role("status")).to_contain_text("No")


def test_by_keyboard_one_goes_on_where_the_button_stood_that_was_pressed(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    signed_in.goto(f"/p/{tenant.project_id}/playground/")
    run = signed_in.get_by_role("button", name="Run search")
    skip_to_content(signed_in)
    tab_to(signed_in, run)
    press(signed_in, "Enter")
    expect(signed_in.get_by_label("End user").first).to_be_focused()  # which is missing
    signed_in.keyboard.type("kim")
    tab_to(signed_in, signed_in.get_by_label("Question"))
    signed_in.keyboard.type("Where do I live?")
    tab_to(signed_in, run)
    press(signed_in, "Enter")
    expect(signed_in.get_by_role("heading", name="Where the time went")).to_be_visible()
    expect(run).to_be_focused()

    store_rows(tenant, *({"request_id": f"row-{number}"} for number in range(60)))
    signed_in.goto(f"/p/{tenant.project_id}/logs/")
    signed_in.get_by_role("link", name="Older").press("Enter")  # some hundred stops behind the first row
    expect(signed_in).to_have_url(re.compile("after="))
    expect(signed_in.locator("#logs")).to_be_focused()  # there is no page behind it
    press(signed_in, "j")
    expect(signed_in.locator("#logs .row-link").first).to_be_focused()
