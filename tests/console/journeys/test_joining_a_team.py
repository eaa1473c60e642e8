"""J2: an owner invites somebody, who accepts and may do what their role says."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.support.accounts.people import new_person
from tests.support.api_client import Tenant
from tests.support.console.journeys import visit
from tests.support.console.sign_in_forms import fill_in_login
from tests.support.tasks.many_memories import hold_facts


def test_an_invited_viewer_comes_in_reads_everything_and_changes_nothing(
    signed_in: Page, tenant: Tenant, chromium_browser: Browser, console_url: str
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    person = new_person()
    members = f"/a/{tenant.project.account_id}/members/"
    signed_in.goto(members)
    signed_in.get_by_role("link", name="Invite people").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("E-mail addresses").fill(person.email)
    dialog.get_by_label("Role").select_option("viewer")
    dialog.get_by_role("button", name="Send invitations").click()
    link = signed_in.get_by_label(person.email, exact=True)
    expect(link).to_have_value(re.compile("/invite/"))
    expect(signed_in.get_by_role("row").filter(has_text=person.email)).to_contain_text("Viewer")

    with visit(chromium_browser, console_url) as theirs:
        theirs.goto(link.input_value().replace("127.0.0.1", "localhost"))
        theirs.get_by_role("link", name="Sign in to accept").click()
        fill_in_login(theirs, person.email)
        theirs.get_by_role("button", name="Accept the invitation").click()
        expect(theirs.get_by_text("Welcome to")).to_be_visible()
        expect(theirs.get_by_role("button", name="New project")).to_be_disabled()
        theirs.goto(f"/p/{tenant.project_id}/api-keys/")
        expect(theirs.get_by_role("button", name="Create key").first).to_be_disabled()
        theirs.goto(f"/p/{tenant.project_id}/memories/")
        theirs.get_by_role("table").get_by_role("link").filter(has_text="Lisbon").click()
        expect(theirs.locator("#drawer").get_by_role("button", name="Edit")).to_be_disabled()
        expect(theirs.locator("#drawer").get_by_role("button", name="Delete")).to_be_disabled()

    signed_in.goto(members)
    expect(signed_in.get_by_role("table", name="Members of this account")).to_contain_text(person.email)
    expect(signed_in.get_by_role("table", name="Open invitations")).to_have_count(0)
