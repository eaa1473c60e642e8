"""The overview of a project: what it counts is what its lists show."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.models import MemCube, Memory
from memories.values import OwnerKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, Role
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import SETTING, as_setting
from tenancy.requests.recent_figures import load_recent_requests
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import look_until

MOST = 25
NEW_PAGE = "No request yet"


def load_page(client: Client, tenant: Tenant, query: str = "") -> str:
    answer = client.get(f"/p/{tenant.project_id}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def read_tile(page: str, name: str) -> dict[str, str]:
    """The texts of a tile by the names beside them; its main figure is "value"."""
    (tile,) = re.findall(rf'<li class="card tile-card" id="tile-{name}">(.*?)</li>', page, re.DOTALL)
    parts = re.findall(r"<dt>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>", tile, re.DOTALL)
    figures = re.findall(r'<p class="big">(.*?)</p>', tile)
    return {"value": html.unescape("".join(figures))} | {
        re.sub(r"<[^>]+>", "", key): html.unescape(value) for key, value in parts
    }


def find_link(page: str, part: str, title: str) -> str:
    """Where the link of this name leads, in the part of the page that begins with `part`."""
    match = re.search(rf'href="([^"]+)">{re.escape(title)}</a>', page[page.index(part) :])
    assert match, title
    return html.unescape(match[1])


def rows_in(client: Client, address: str) -> int:
    """How many entries a list of requests or memories shows."""
    listed = client.get(address).content.decode()
    return len(re.findall(r'<tr (?:id="log-|data-id=)', listed))


def log_requests(tenant: Tenant, count: int, **fields: object) -> None:
    """As many entries of the request log, one a minute until now."""
    now = timezone.now() - timedelta(seconds=5)
    made = {
        "account_id": tenant.project.account_id,
        "project": tenant.project,
        "endpoint": "search/memory",
        "method": "POST",
        "code": 0,
        "http_status": 200,
        "milliseconds": 20.0,
    } | fields
    with tenant_scope(tenant.project):
        RequestLog.objects.bulk_create(
            RequestLog(
                **made, request_id=f"made-{number}-{made['code']}", created_at=now - timedelta(minutes=number)
            )
            for number in range(count)
        )


def test_a_project_that_nobody_called_opens_with_the_quickstart(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for path in ("/home/", f"/p/{tenant.project_id}/start/"):
        assert client.get(path).headers["Location"] == f"/p/{tenant.project_id}/quickstart/"
    page = load_page(client, tenant)
    assert NEW_PAGE in page
    assert "tile-requests" not in page


def test_a_project_in_use_opens_with_its_overview(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 1, code=40002, http_status=400)

    for path in ("/home/", f"/p/{tenant.project_id}/start/"):
        assert client.get(path).headers["Location"] == f"/p/{tenant.project_id}/"
    assert NEW_PAGE not in load_page(client, tenant)


def test_each_figure_of_requests_is_the_number_of_rows_in_the_list_behind_it(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 7)
    log_requests(tenant, 4, endpoint="add/message")
    log_requests(tenant, 3, code=40002, http_status=400)
    log_requests(tenant, 2, code=50000, http_status=500)
    yesterday = timezone.now() - timedelta(hours=25)
    with tenant_scope(tenant.project):
        RequestLog.objects.within(tenant.project).filter(
            code=0, endpoint="add/message", request_id="made-3-0"
        ).update(created_at=yesterday)

    page = load_page(client, tenant)

    assert read_tile(page, "requests")["value"] == "15"
    assert rows_in(client, find_link(page, 'id="tile-requests"', "Requests, 24 h")) == 15
    failures = read_tile(page, "failures")
    assert failures["value"] == "33%"
    for name, count in (("Refused (4xx)", 3), ("Server error (5xx)", 2)):
        assert failures[name] == str(count)
        assert rows_in(client, find_link(page, 'id="tile-failures"', name)) == count
    searches = read_tile(page, "searches")
    assert searches["Searches"] == "12"
    assert rows_in(client, find_link(page, 'id="tile-searches"', "Searches")) == 12


def test_response_times_are_those_of_the_requests(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 98, milliseconds=10.0)
    log_requests(tenant, 1, milliseconds=400.0, code=40002, http_status=400)
    log_requests(tenant, 1, milliseconds=800.0, code=50000, http_status=500)

    with tenant_scope(tenant.project):
        figures = load_recent_requests([tenant.project.pk], timezone.now()).route("search/memory")

    assert (figures.count, figures.failed, figures.refused, figures.broken) == (100, 2, 1, 1)
    assert figures.median == pytest.approx(10, rel=0.05)
    assert figures.p95 == pytest.approx(10, rel=0.05)
    assert figures.p99 == pytest.approx(400, rel=0.05)
    row = re.search(r'<td class="mono">/search/memory</td>(.*?)</tr>', load_page(client, tenant), re.DOTALL)
    assert row
    assert re.findall(r'data-label="(?:Calls|Failed)">(.*?)<', row[1]) == ["100", "2"]


def test_a_busy_project_counts_its_newest_requests_and_says_so(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_requests(tenant, 30)
    now = timezone.now()

    with tenant_scope(tenant.project):
        recent = load_recent_requests([tenant.project.pk], now, most=20)
        whole = load_recent_requests([tenant.project.pk], now, most=31)

    assert (recent.is_cut, recent.total.count) == (True, 20)
    assert recent.first_at > now - timedelta(minutes=21)
    assert (whole.is_cut, whole.total.count) == (False, 30)


def test_memories_and_end_users_are_counted_as_their_lists_count_them(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon. I like green tea.")
    api.add("lou", "I have two cats.")

    page = load_page(client, tenant)

    tile = read_tile(page, "memories")
    for name in ("Facts", "Preferences", "Tool memories", "Skills"):
        address = find_link(page, 'id="tile-memories"', name)
        assert rows_in(client, address) == int(tile[name]), name
    assert int(tile["value"]) == rows_in(client, find_link(page, 'id="tile-memories"', "Memories")) > 0
    assert read_tile(page, "users")["value"] == "2"
    people = client.get(find_link(page, 'id="tile-users"', "End users")).content.decode()
    assert people.count('class="user-id"') == 2
    created = re.search(r'Created</a></dt>\s*<dd class="num">\s*(\d+)</dd>', page)
    assert created
    assert int(created[1]) == rows_in(client, find_link(page, 'id="changes"', "Created"))


def test_the_health_tile_is_the_score_of_its_page(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon. I keep bees. I play the oboe.")
    with tenant_scope(tenant.project):
        held = Memory.objects.within(MemCube.objects.within(tenant.project))
        assert held.filter(text__contains="bees").update(confidence=0.2) == 1

    address = f"/p/{tenant.project_id}/overview/health/"
    assert f'hx-get="{address}"' in load_page(client, tenant)
    tile = read_tile(client.get(address).content.decode(), "health")
    page = client.get(
        find_link(load_page(client, tenant), 'id="tile-health"', "Memory health")
    ).content.decode()

    assert tile == {"value": "67 / 100", "To review": "1"}
    assert '<p class="big num">67<' in page
    assert read_tile(load_page(client, tenant), "health") == tile  # kept


def test_changed_memories_change_the_health_tile(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 1)
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    client.get(f"/p/{tenant.project_id}/overview/health/")
    with tenant_scope(tenant.project):
        Memory.objects.within(MemCube.objects.within(tenant.project)).update(confidence=0.2)

    client.get(f"/p/{tenant.project_id}/health/")

    assert read_tile(load_page(client, tenant), "health")["value"] == "0 / 100"


def test_what_was_created_is_no_time_in_chinese(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    address = f"/p/{tenant.project_id}/"
    page = sign_in_owner(tenant).get(address, headers={"Accept-Language": "zh-Hans"}).content.decode()

    assert ">新建</a></dt>" in page
    assert "创建时间" not in page


def test_more_memories_than_are_counted_are_said_to_be_more(
    tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.retrieval.browse.project_totals.COUNTED", 2)
    api.add("kim", "I live in Lisbon. I like green tea. I have two cats. I work as a nurse.")

    tile = read_tile(load_page(sign_in_owner(tenant), tenant), "memories")

    assert tile["value"] == "more than 3"  # two of three facts, and one preference
    assert tile["Facts"].startswith("≥ ")


def test_what_was_corrected_and_deleted_today_is_named(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon.")
    api.add("kim", "I moved to Oslo. I live in Oslo now.")

    page = load_page(client, tenant)

    changes = page[page.index('id="changes"') :]
    assert "Lisbon" in changes
    (address,) = re.findall(r'href="([^"]+\?open=[^"]+)">[^<]*Lisbon', changes)
    assert "Lisbon" in client.get(html.unescape(address)).content.decode()
    change_settings(tenant.project, SETTING, as_setting(metadata_only=True), get_owner(tenant))
    to_viewers = load_page(sign_in(add_member(tenant.project.account, Role.VIEWER)), tenant)
    assert "Lisbon" not in to_viewers  # who see metadata only
    assert "?open=" in to_viewers
    memory = address.rpartition("=")[2]
    answer = client.post(f"/p/{tenant.project_id}/memories/{memory}/delete/", {"confirmed": "yes"})
    assert answer.status_code == 302
    assert re.search(r'Moved to the trash</a></dt>\s*<dd class="num">\s*1</dd>', load_page(client, tenant))


def test_the_latest_failures_lead_to_their_log_entries(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 9, code=40002, http_status=400)

    page = load_page(client, tenant)

    failures = page[page.index('id="failures"') : page.index('id="changes"')]
    addresses = re.findall(r'href="([^"]+/logs/[^"]+/)"', failures)
    assert [address.split("/")[-2] for address in addresses] == [
        f"made-{number}-40002" for number in range(5)
    ]
    assert client.get(addresses[0]).status_code == 200


def test_the_chart_is_stacked_by_endpoint_or_by_code(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    log_requests(tenant, 5)
    log_requests(tenant, 2, endpoint="add/message", code=40002, http_status=400)

    by_api, by_code = load_page(client, tenant), load_page(client, tenant, "?by=code")

    def legend(page: str) -> list[tuple[str, str]]:
        return re.findall(r'aria-hidden="true"></span>(.*?) <span class="num muted">(\d+)<', page)

    assert legend(by_api) == [("/search/memory", "5"), ("/add/message", "2")]
    assert legend(by_code) == [("OK", "5"), ("Code 40002", "2")]
    assert legend(load_page(client, tenant, "?by=nonsense")) == legend(by_api)


def test_quota_shows_the_fullest_meters(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=4)
    api.search("kim", "Where do I live?")
    client = sign_in_owner(tenant)

    page = look_until(lambda: load_page(client, tenant), lambda page: NEW_PAGE not in page)

    assert read_tile(page, "quota")["Searches"] == "1 / 4"


def test_nobody_sees_the_figures_of_another_account(tenant: Tenant, stranger: Tenant) -> None:
    log_requests(stranger, 3)
    client = sign_in_owner(tenant)

    assert client.get(f"/p/{stranger.project_id}/").status_code == 404
    assert client.get(f"/p/{stranger.project_id}/start/").status_code == 404
    with tenant_scope(tenant.project):
        assert load_recent_requests([stranger.project.pk], timezone.now()).groups == []


def test_the_page_asks_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon.")
    client.get(f"/p/{tenant.project_id}/")

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            load_page(client, tenant)
        return len(queries)

    few = asked()
    log_requests(tenant, 300)
    log_requests(tenant, 30, code=50000, http_status=500)
    api.add("kim", "I have two cats. I moved to Oslo. I work as a nurse. I like green tea.")
    with tenant_scope(tenant.project):
        MemCube.objects.bulk_create(
            MemCube(
                account_id=tenant.project.account_id,
                project=tenant.project,
                owner_kind=OwnerKind.END_USER,
                owner_id=f"user {number}",
            )
            for number in range(50)
        )

    assert asked() <= min(few + 2, MOST)


def test_figures_refresh_by_themselves_and_hover_names_the_hour(signed_in: Page, tenant: Tenant) -> None:
    log_requests(tenant, 2)
    signed_in.clock.install()
    signed_in.goto(f"/p/{tenant.project_id}/")
    tile = signed_in.locator("#tile-requests .big")
    expect(tile).to_have_text("2")
    signed_in.get_by_text("View as table").first.click()

    log_requests(tenant, 3, endpoint="add/message")
    signed_in.clock.run_for(11_000)

    expect(tile).to_have_text("5")
    expect(signed_in.get_by_role("table", name="Requests by hour")).to_be_visible()
    plot = signed_in.get_by_role("img", name=re.compile("Requests by hour"))
    plot.press("ArrowLeft")
    tip = signed_in.locator(".chart-tip")
    expect(tip).to_contain_text("UTC")
    expect(tip).to_contain_text("In all")
    plot.press("Escape")
    expect(tip).to_be_hidden()


def test_labels_of_the_chart_have_one_size_at_every_width(signed_in: Page, tenant: Tenant) -> None:
    log_requests(tenant, 2)
    sizes = set()
    for width in (390, 1280, 1920):
        signed_in.set_viewport_size({"width": width, "height": 900})
        signed_in.goto(f"/p/{tenant.project_id}/")
        label = signed_in.locator(".chart-axis span").first
        sizes.add(
            label.evaluate("(one) => getComputedStyle(one).fontSize + one.getBoundingClientRect().height")
        )

    assert len(sizes) == 1
