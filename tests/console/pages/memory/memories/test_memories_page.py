"""A developer looks at, searches and deletes memories."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Request, Route, expect

from console.http.realtime.event_marks import event_marks
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import wait_until


def open_memories(page: Page, tenant: Tenant, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/memories/{query}")
    expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()


def test_a_new_memory_is_announced_on_the_open_page(signed_in: Page, tenant: Tenant, api: Api) -> None:
    open_memories(signed_in, tenant)
    expect(signed_in.get_by_text("Live", exact=True)).to_be_visible()

    api.add("kim", "I live in Lisbon.")

    expect(signed_in.get_by_role("link", name=re.compile("new memor"))).to_be_visible()


def test_a_memory_that_came_before_the_page_could_listen_is_announced(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    before = event_marks.mark(tenant.project_id)

    def remember_meanwhile(route: Route) -> None:
        api.add("kim", "I live in Lisbon.")
        wait_until(lambda: event_marks.mark(tenant.project_id) != before)
        route.continue_()

    signed_in.route("**/htmx-ext-ws*", remember_meanwhile)
    open_memories(signed_in, tenant)

    expect(signed_in.get_by_role("link", name=re.compile("new memor"))).to_be_visible()


def test_a_page_to_which_nothing_happened_is_not_read_twice(signed_in: Page, tenant: Tenant) -> None:
    asked: list[str] = []

    def hear(request: Request) -> None:
        if "hx-request" in request.headers:
            asked.append(request.url)

    signed_in.on("request", hear)
    open_memories(signed_in, tenant)
    expect(signed_in.locator("live-dot")).to_have_attribute("data-last-event", "")
    signed_in.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    signed_in.remove_listener("request", hear)

    assert asked == []


def test_filters_narrow_the_list_and_chosen_ones_are_deleted_after_a_second_question(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I like green tea.")
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    open_memories(signed_in, tenant)
    table = signed_in.get_by_role("table")

    signed_in.get_by_placeholder("Subject ID").fill("kim")
    expect(table.get_by_text("Oslo")).to_have_count(0)
    signed_in.get_by_role("link", name=re.compile("^Preferences")).click()

    expect(table).to_contain_text("green tea")
    expect(table).not_to_contain_text("Lisbon")
    expect(signed_in).to_have_url(re.compile("kim"))

    signed_in.get_by_label("Select this page").check()
    signed_in.get_by_role("button", name="Delete…").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name=re.compile("^Delete")).click()

    expect(signed_in.get_by_role("row")).to_have_count(0)
    left = api.listed("kim")
    assert (len(left["memory_detail_list"]), left["preference_detail_list"]) == (1, [])


def test_another_tab_of_the_drawer_keeps_filters_and_focus(signed_in: Page, tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    open_memories(signed_in, tenant, "?subject=kim&q=live")
    table, drawer = signed_in.get_by_role("table"), signed_in.locator("#drawer")
    row = table.locator("tbody").get_by_role("link").first
    row.press("Enter")
    sources = drawer.get_by_role("link", name="Sources")

    sources.press("Enter")

    expect(drawer.get_by_role("link", name="Sources")).to_have_attribute("aria-current", "page")
    expect(drawer.get_by_role("link", name="Sources")).to_be_focused()
    expect(signed_in).to_have_url(re.compile(r"subject=kim&q=live&open=[0-9a-f-]+&view=sources$"))
    signed_in.reload()
    expect(drawer.get_by_role("link", name="Sources")).to_have_attribute("aria-current", "page")
    expect(table).not_to_contain_text("Oslo")
    expect(signed_in.get_by_placeholder("Subject ID")).to_have_value("kim")


def test_a_closed_drawer_gives_the_focus_back_to_the_row_whatever_was_looked_at(
    signed_in: Page, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    open_memories(signed_in, tenant, "?subject=kim")
    drawer = signed_in.locator("#drawer")
    signed_in.locator("tbody").get_by_role("link").first.press("Enter")
    for name in ("History", "JSON", "Content"):
        drawer.get_by_role("link", name=name).press("Enter")
        expect(drawer.get_by_role("link", name=name)).to_be_focused()

    signed_in.keyboard.press("Escape")

    expect(drawer.locator("side-drawer")).to_have_count(0)
    expect(signed_in.locator("tbody").get_by_role("link").first).to_be_focused()
    expect(signed_in).to_have_url(re.compile(r"\?subject=kim$"))


PRESS_HISTORY_AT_ONCE = """() => {
  window.isSamePage = true;
  new MutationObserver((changes, observer) => {
    const tab = [...document.querySelectorAll("#drawer nav a")].find((link) => link.textContent.includes("History"));
    if (!tab) return;
    observer.disconnect();
    tab.focus();
    tab.click();
  }).observe(document.querySelector("#drawer"), { childList: true, subtree: true });
}"""


def test_a_tab_that_is_pressed_the_moment_the_drawer_is_there_has_the_focus(
    signed_in: Page, tenant: Tenant
) -> None:
    """Instead of a whole new page, which begins without the focus, because the link was no part of htmx's yet."""
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    open_memories(signed_in, tenant)
    signed_in.evaluate(PRESS_HISTORY_AT_ONCE)

    signed_in.locator("tbody").get_by_role("link").first.press("Enter")

    history = signed_in.locator("#drawer").get_by_role("link", name="History")
    expect(history).to_have_attribute("aria-current", "page")
    expect(history).to_be_focused()
    assert signed_in.evaluate("window.isSamePage")


def answer_at_last(page: Page, held: list[Route]) -> None:
    """Lets the one request that was held go on, until htmx has done with its answer, which it may drop."""
    done = "new Promise((done) => document.body.addEventListener('htmx:beforeSwap', () => done(), { once: true }))"
    page.evaluate(f"() => {{ window.isAnswered = {done}; }}")
    (route,) = held
    route.continue_()
    page.evaluate("window.isAnswered")


def test_an_answer_that_comes_after_the_drawer_was_closed_does_not_open_it_again(
    signed_in: Page, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    open_memories(signed_in, tenant, "?subject=kim")
    held: list[Route] = []
    signed_in.route("**/?view=history", lambda route: held.append(route))
    row = signed_in.locator("tbody").get_by_role("link").first
    row.press("Enter")
    with signed_in.expect_request("**/?view=history"):
        signed_in.locator("#drawer").get_by_role("link", name="History").press("Enter")

    signed_in.keyboard.press("Escape")
    answer_at_last(signed_in, held)

    expect(signed_in.locator("side-drawer")).to_have_count(0)
    expect(row).to_be_focused()
    expect(signed_in).to_have_url(re.compile(r"\?subject=kim$"))


def test_of_two_tabs_the_one_that_was_pressed_last_is_shown_though_the_other_is_answered_later(
    signed_in: Page, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    open_memories(signed_in, tenant)
    held: list[Route] = []
    signed_in.route("**/?view=history", lambda route: held.append(route))
    drawer = signed_in.locator("#drawer")
    signed_in.locator("tbody").get_by_role("link").first.press("Enter")
    with signed_in.expect_request("**/?view=history"):
        drawer.get_by_role("link", name="History").press("Enter")
    drawer.get_by_role("link", name="JSON").press("Enter")
    expect(drawer.get_by_role("link", name="JSON")).to_have_attribute("aria-current", "page")

    answer_at_last(signed_in, held)

    expect(drawer.get_by_role("link", name="JSON")).to_have_attribute("aria-current", "page")
    expect(drawer.get_by_role("link", name="JSON")).to_be_focused()
    expect(signed_in).to_have_url(re.compile(r"view=json$"))


def test_a_tab_keeps_the_filter_that_was_set_after_the_drawer_had_been_opened(
    signed_in: Page, tenant: Tenant
) -> None:
    [memory] = hold_facts(tenant, "kim", "The user lives in Lisbon.")
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    open_memories(signed_in, tenant, f"?open={memory.pk}")
    signed_in.get_by_placeholder("Subject ID").fill("kim")
    expect(signed_in).to_have_url(re.compile("subject=kim"))

    signed_in.locator("#drawer").get_by_role("link", name="History").press("Enter")

    expect(signed_in).to_have_url(re.compile(rf"\?subject=kim&open={memory.pk}&view=history$"))
