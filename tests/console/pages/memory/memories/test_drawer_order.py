"""What the drawer and the list show does not depend on the order in which answers come."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from memories.lifecycle.edit import Amendment, amend_memory, embed_wording
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import LIMIT


def corrected_memory(page: Page, tenant: Tenant) -> Locator:
    """The open drawer of a memory with an earlier version, on its history."""
    [memory] = hold_facts(tenant, "kim", "The user lives in Lisbon.")
    text = "The user lives in Porto."
    amend_memory(tenant.project, Amendment(str(memory.pk), text=text), embed_wording(text))
    page.goto(f"/p/{tenant.project_id}/memories/?open={memory.pk}&view=history")
    drawer = page.locator("#drawer")
    expect(page.get_by_role("table")).to_contain_text("Porto")
    expect(drawer.get_by_role("button", name="Restore version 1")).to_be_visible()
    return drawer


class Held:
    """The first request to an address waits, with the answer that it got at once, or unsent."""

    def __init__(self, page: Page, address: str, *, is_answered: bool) -> None:
        self.page = page
        self.waiting: list[tuple[Route, Any]] = []
        self.is_answered = is_answered
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        if self.waiting:
            route.continue_()
        else:
            self.waiting.append((route, route.fetch() if self.is_answered else None))

    def release(self) -> None:
        # What is fetched may still be on its way: the browser's events come while it is waited for.
        deadline = time.monotonic() + LIMIT
        while not self.waiting and time.monotonic() < deadline:
            self.page.wait_for_function("true")
        ((route, answer),) = self.waiting
        if answer is None:
            route.continue_()
        else:
            route.fulfill(response=answer)


def test_a_change_answered_after_its_button_was_replaced_is_shown(signed_in: Page, tenant: Tenant) -> None:
    drawer = corrected_memory(signed_in, tenant)
    held = Held(signed_in, "**/status/freeze/", is_answered=False)
    with signed_in.expect_request("**/status/freeze/"):
        drawer.get_by_role("button", name="Freeze").click()
    drawer.get_by_role("link", name="Content").click()
    expect(drawer.locator(".statement")).to_contain_text("Porto")

    held.release()

    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_be_visible()
    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text("Frozen.")


def test_changes_that_are_pressed_one_after_the_other_happen_in_that_order(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    drawer = corrected_memory(signed_in, tenant)
    held = Held(signed_in, "**/versions/1/**", is_answered=False)
    with signed_in.expect_request("**/versions/1/**"):
        drawer.get_by_role("button", name="Restore version 1").click()
    drawer.get_by_role("button", name="Freeze").click()

    held.release()

    expect(drawer.locator(".drawer-head").get_by_text("Frozen")).to_be_visible()
    expect(drawer).to_contain_text("Version 4")
    assert api.listed("kim")["memory_detail_list"][0]["memory_value"] == "The user lives in Lisbon."


def test_another_tab_that_was_pressed_before_a_change_was_answered_shows_the_change(
    signed_in: Page, tenant: Tenant
) -> None:
    drawer = corrected_memory(signed_in, tenant)
    held = Held(signed_in, "**/versions/1/**", is_answered=False)
    with signed_in.expect_request("**/versions/1/**"):
        drawer.get_by_role("button", name="Restore version 1").click()
    drawer.get_by_role("link", name="Content").click()
    expect(drawer.locator(".statement")).to_contain_text("Porto")

    held.release()

    expect(drawer.locator(".statement")).to_contain_text("Lisbon")
    expect(drawer.get_by_role("link", name="Content")).to_have_attribute("aria-current", "page")


def test_a_tab_read_before_a_change_and_answered_after_it_is_read_again(
    signed_in: Page, tenant: Tenant
) -> None:
    drawer = corrected_memory(signed_in, tenant)
    held = Held(signed_in, "**/?view=content", is_answered=True)
    with signed_in.expect_request("**/?view=content"):
        drawer.get_by_role("link", name="Content").click()
    drawer.get_by_role("button", name="Restore version 1").click()
    expect(signed_in.get_by_role("table")).to_contain_text("Lisbon")

    held.release()

    expect(drawer.locator(".statement")).to_contain_text("Lisbon")
    expect(drawer.get_by_role("link", name="Content")).to_have_attribute("aria-current", "page")


def test_a_tab_that_is_pressed_before_the_saved_text_is_answered_shows_it(
    signed_in: Page, tenant: Tenant
) -> None:
    drawer = corrected_memory(signed_in, tenant)
    drawer.get_by_role("link", name="Edit").click()
    drawer.get_by_label("Value").fill("The user lives in Faro.")
    held = Held(signed_in, "**/edit/", is_answered=False)
    with signed_in.expect_request("**/edit/"):
        drawer.get_by_role("button", name="Save as a new version").click()
    drawer.get_by_role("link", name="Content").click()
    expect(drawer.locator(".statement")).to_contain_text("Porto")

    held.release()

    expect(drawer.locator(".statement")).to_contain_text("Faro")


def test_a_list_that_changes_again_while_it_is_read_is_read_once_more(
    signed_in: Page, tenant: Tenant
) -> None:
    drawer, table = corrected_memory(signed_in, tenant), signed_in.get_by_role("table")
    held = Held(signed_in, "**/memories/?open=*", is_answered=True)
    with signed_in.expect_request("**/memories/?open=*"):
        drawer.get_by_role("button", name="Freeze").click()
    drawer.get_by_role("button", name="Unfreeze").click()
    expect(drawer.get_by_role("button", name="Freeze", exact=True)).to_be_visible()

    held.release()

    expect(table).to_be_visible()
    expect(table).not_to_contain_text("Frozen")
    with signed_in.expect_request("**/memories/?open=*"):  # and the list goes on to hear of changes
        drawer.get_by_role("button", name="Freeze", exact=True).click()
    expect(table).to_contain_text("Frozen")


def test_what_is_typed_into_the_form_outlives_a_change(signed_in: Page, tenant: Tenant) -> None:
    drawer = corrected_memory(signed_in, tenant)
    drawer.get_by_role("button", name="Restore version 1").click()
    undo = signed_in.get_by_role("status", name="Notices").get_by_role("button", name="Undo").last
    expect(undo).to_be_visible()
    drawer.get_by_role("link", name="Edit").click()
    drawer.get_by_label("Title").fill("Home")
    undo.click()
    expect(signed_in.get_by_role("table")).to_contain_text("Porto")

    expect(drawer.get_by_label("Title")).to_have_value("Home")
