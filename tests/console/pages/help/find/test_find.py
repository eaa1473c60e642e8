"""The search box over a project, and keyboard shortcuts."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, Role
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import SETTING, as_setting
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in as sign_in_page
from tests.support.knowledge.knowledge import new_base
from tests.support.tenants import make_tenant
from tests.support.waiting import look_until

MOST = 25


@pytest.fixture(scope="module")
def anybody(stack: Stack) -> tuple[Client, Tenant]:
    """Who only looks."""
    tenant = make_tenant(stack)
    return sign_in_owner(tenant), tenant


def found(client: Client, tenant: Tenant, words: str) -> list[str]:
    """The addresses that the search box leads to."""
    answer = client.get(f"/p/{tenant.project_id}/find/", {"q": words}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return re.findall(r'<a class="menu-item" href="([^"]+)"', answer.content.decode())


def logged_request(tenant: Tenant) -> str:
    def look() -> RequestLog | None:
        with tenant_scope(tenant.project):
            row: RequestLog | None = RequestLog.objects.within(tenant.project).first()
        return row

    row = look_until(look, bool, otherwise="no row was written")
    assert row is not None
    return row.request_id


def test_each_kind_is_found_by_what_names_it(tenant: Tenant, api: Api) -> None:
    base = new_base(api, "Policies of the harbour", "What holds there.")
    api.add("kim@harbour", "I live in Lisbon near the old lighthouse.")
    client = sign_in_owner(tenant)
    place = f"/p/{tenant.project_id}"
    request_id = logged_request(tenant)

    assert found(client, tenant, "kim@har") == [
        reverse("console:user", args=[tenant.project_id, "kim@harbour"])
    ]
    assert found(client, tenant, request_id) == [f"{place}/logs/{request_id}/"]
    assert f"{place}/knowledge/{base}/" in found(client, tenant, "policies of")
    assert found(client, tenant, "Request logs") == [f"{place}/logs/"]
    assert "/docs/limits/" in found(client, tenant, "limits")
    memories = found(client, tenant, "lighthou")
    assert memories
    assert all(address.startswith(f"{place}/memories/?open=") for address in memories)
    assert found(client, tenant, memories[0].partition("=")[2]) == memories[:1]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "'",
        "\\",
        "a' | 'b",
        ":*",
        "!",
        "&",
        "<b>",
        "\0",
        "灯塔",
        "x" * 1000,
        "%",
        "_",
        "()",
        "👩‍👩‍👧",
        "it's",
    ],
)
def test_anything_may_be_typed(anybody: tuple[Client, Tenant], words: str) -> None:
    found(*anybody, words)


def test_nothing_of_another_account_is_found(tenant: Tenant, api: Api, stranger: Tenant) -> None:
    api.add("kim", "I live in Lisbon near the old lighthouse.")
    memory = found(sign_in_owner(tenant), tenant, "lighthouse")[0].partition("=")[2]
    elsewhere = sign_in_owner(stranger)

    for words in ("lighthouse", "kim", memory):
        assert found(elsewhere, stranger, words) == []
    assert elsewhere.get(f"/p/{tenant.project_id}/find/").status_code == 404


def test_viewers_who_see_metadata_only_find_pages_alone(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon near the old lighthouse.")
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    assert [address for address in found(viewer, tenant, "lighthouse") if "open=" in address]

    change_settings(tenant.project, SETTING, as_setting(metadata_only=True), get_owner(tenant))

    assert not [address for address in found(viewer, tenant, "lighthouse") if "open=" in address]


def test_it_asks_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/find/?q=kim"
    api.add("kim", "I have a dog.")
    client.get(path)
    with CaptureQueriesContext(connection) as few:
        client.get(path)
    for number in range(3):
        api.add(f"kim-{number}", "I live in Lisbon. I like green tea. My name is Kim.")
    with CaptureQueriesContext(connection) as many:
        client.get(path)

    assert len(many) <= min(len(few) + 1, MOST)


def test_the_box_opens_by_keys_and_arrows_move_through_its_links(
    page: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon near the old lighthouse.")
    sign_in_page(page, tenant)
    page.goto(f"/p/{tenant.project_id}/logs/")

    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Search this project")
    expect(dialog.get_by_role("link", name="Memories", exact=True)).to_be_visible()
    page.keyboard.type("kim")
    expect(dialog.get_by_role("heading", name="End users")).to_be_visible()
    expect(dialog.get_by_role("status")).to_contain_text("result")
    page.keyboard.press("ArrowUp")
    expect(dialog.get_by_role("link", name="kim").last).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_single_keys_lead_to_pages_and_rows_until_they_are_turned_off(
    page: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I have two cats. I live in Lisbon.")
    sign_in_page(page, tenant)
    page.goto(f"/p/{tenant.project_id}/logs/")

    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    row = page.locator("tbody tr").first
    page.wait_for_load_state()  # the page's keys are there by then
    page.keyboard.press("j")
    expect(row.locator(".row-link")).to_be_focused()
    page.keyboard.press("x")
    expect(row.get_by_role("checkbox")).to_be_checked()
    page.keyboard.press("/")
    expect(page.locator("main input[type=search]")).to_be_focused()
    page.keyboard.type("gl?")
    expect(page.locator("main input[type=search]")).to_have_value("gl?")
    page.locator("main input[type=search]").fill("")
    page.locator("h1").click()
    page.keyboard.press("?")
    help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    help_dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(help_dialog).to_be_hidden()


def test_single_keys_work_on_the_open_memory(page: Page, tenant: Tenant, api: Api) -> None:
    api.add("kim", "I have two cats. I live in Lisbon.")
    sign_in_page(page, tenant)
    page.goto(f"/p/{tenant.project_id}/memories/")
    links, drawer = page.locator("tbody .row-link"), page.locator("side-drawer")
    ids = page.locator("tbody tr").evaluate_all("all => all.map(row => row.dataset.id)")
    links.first.press("Enter")
    expect(drawer).to_have_attribute("data-id", ids[0])

    page.keyboard.press("]")
    expect(drawer).to_have_attribute("data-id", ids[1])
    page.keyboard.press("[")
    expect(drawer).to_have_attribute("data-id", ids[0])
    page.keyboard.press("[")  # there is none before it
    page.keyboard.press("a")
    expect(drawer.locator(".drawer-head")).to_contain_text("Archived")
    page.keyboard.press("a")
    expect(drawer.locator(".drawer-head")).to_contain_text("Activated")
    page.keyboard.press("e")
    expect(drawer.get_by_label("Value")).to_be_visible()
