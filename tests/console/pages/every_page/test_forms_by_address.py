"""Forms that the console opens as dialogs are pages of their own too: by address, after a reload, in a new tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.api_client import Tenant
from tests.support.console.acts import Scene
from tests.support.console.addresses import addresses
from tests.support.console.browser import sign_in
from tests.support.console.journeys import visit

TARGET = re.compile(r'hx-target="#([^"]+)"')
ID = re.compile(r'\sid="([^"]+)"')


def test_what_a_page_swaps_is_on_it(tenant: Tenant) -> None:
    """htmx sends no request from a form or a link whose target is not on the page."""
    scene = Scene(tenant)
    for has in (scene.with_key, scene.with_member, scene.with_invitation, scene.with_memory, scene.with_base):
        has()
    for has in (scene.with_skill, scene.with_space, scene.with_session):
        has()
    owner = scene.client()

    known = scene.known | {"subject_id": "kim", "kind": "user", "move": "archive"}
    opened, missing = set(), []
    for address in addresses():
        ids = {
            name: known[name] for name, kind in address.parameters.items() if name in known and kind != "int"
        }
        path = address.path(**ids)
        if address.name.endswith(("download", "export")):
            continue  # no pages
        answer = owner.get(path)
        html = b"".join(answer).decode(errors="replace")
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        opened.add(address.name)
        missing += [(path, target) for target in set(TARGET.findall(html)) - set(ID.findall(html))]

    assert {"api_key_new", "api_key_rotate", "memory_edit", "invitation_new", "skill_delete"} <= opened
    assert missing == []


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_keys_are_made_and_changed_and_people_invited_on_pages_of_their_own(
    chromium_browser: Browser, console_url: str, tenant: Tenant, has_scripts: bool
) -> None:
    scene = Scene(tenant)
    scene.with_key()
    other = scene.known["key_id"]
    scene.with_key()
    keys = f"/p/{tenant.project_id}/api-keys"
    with visit(chromium_browser, console_url, java_script_enabled=has_scripts) as page:
        sign_in(page, tenant)

        page.goto(f"{keys}/new/")
        page.get_by_label("Name").fill("laptop")
        press(page, "Create key")
        expect_new_key(page)

        page.goto(f"{keys}/{scene.known['key_id']}/rotate/")
        press(page, "Rotate key")
        expect_new_key(page)

        page.goto(f"{keys}/{scene.known['key_id']}/leaked/")
        press(page, "Revoke and replace key")
        expect_new_key(page)

        page.goto(f"/a/{scene.account.pk}/invitations/new/")
        page.get_by_label("E-mail addresses").fill("lou@example.org")
        press(page, "Send invitations")
        expect(page.get_by_role("heading", name="Members", exact=True)).to_be_visible()
        expect(page.locator("#members")).to_contain_text("lou@example.org")

        page.goto(f"{keys}/{other}/")
        page.get_by_label("Name").fill("frontend")
        press(page, "Save")
        expect(page.locator("#keys")).to_contain_text("frontend")


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()


def expect_new_key(page: Page) -> None:
    """Shown this once, above the list of keys."""
    expect(page.get_by_role("heading", name="API keys", exact=True)).to_be_visible()
    expect(page.get_by_text("It is shown only once.")).to_be_visible()
