"""The timeline of an end user, and what was remembered of them on a date."""

from __future__ import annotations

import html
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from memories.lifecycle.edit import Amendment, amend_memory, embed_wording
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.browse.as_of import DateComparison, compare_with_today
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in
from tests.support.tasks.many_memories import hold_facts
from tests.support.tenants import make_tenant

DAY = timedelta(days=1)


def load_page(client: Client, tenant: Tenant, query: str) -> str:
    answer = client.get(f"/p/{tenant.project_id}/users/kim/{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def move_back(tenant: Tenant, days: int) -> None:
    """All that there is now was there so many days before."""
    with tenant_scope(tenant.project), seeing_trash():
        cubes = MemCube.objects.within(tenant.project)
        memories = Memory.objects.within(cubes)
        keys = list(memories.values_list("pk", flat=True))
        for row in memories.only("pk", "created_at"):
            Memory.objects.within(cubes).filter(pk=row.pk).update(created_at=row.created_at - days * DAY)
        for version in MemoryVersion.objects.within(keys):
            earlier = version.created_at - days * DAY
            MemoryVersion.objects.within(keys).filter(pk=version.pk).update(created_at=earlier)
        for cube in cubes:
            MemCube.objects.within(tenant.project).filter(pk=cube.pk).update(
                created_at=cube.created_at - days * DAY
            )


def compared(tenant: Tenant, days_ago: float) -> DateComparison:
    at: datetime = timezone.now() - days_ago * DAY
    with tenant_scope(tenant.project):
        return compare_with_today(MemCube.objects.within(tenant.project).get(owner_id="kim"), at)


def texts(memories: list[Any]) -> list[str]:
    return [memory.text for memory in memories]


@pytest.fixture(scope="module")
def moved(stack: Stack) -> Tenant:
    """Kim lives in Lisbon for ten days, then in Porto, likes tea since today. Each test only looks."""
    tenant = make_tenant(stack)
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon. I have two cats.")
        move_back(tenant, 5)
        api.add("kim", "I moved to Porto.", conversation_id="later")
        move_back(tenant, 5)
        api.add("kim", "I like green tea.", conversation_id="today")
    return tenant


def test_a_date_shows_what_held_then_and_what_became_of_it(moved: Tenant) -> None:
    before, first, second, now = (compared(moved, days) for days in (11, 7, 2, -1))

    assert before == DateComparison(new=before.new)
    assert len(before.new) == 3
    assert texts(first.gone) == ["The user lives in Lisbon."]
    assert first.gone[0].memory.superseded_by is not None
    assert "Porto" in first.gone[0].memory.superseded_by.text
    assert texts(first.same) == ["The user has two cats."]
    assert len(first.new) == 2
    assert not second.gone
    assert len(second.same) == 2
    assert texts(second.new) == ["The user likes green tea."]
    assert (now.gone, now.new, now.changed, len(now.same)) == ([], [], [], 3)


def test_a_wording_that_changed_shows_both(tenant: Tenant) -> None:
    [fact] = hold_facts(tenant, "kim", "The user has two cats.")
    move_back(tenant, 5)
    text = "The user has three cats."
    amend_memory(tenant.project, Amendment(str(fact.pk), text=text), embed_wording(text))

    (then,) = compared(tenant, 2).changed

    assert (then.text, then.memory.text) == ("The user has two cats.", "The user has three cats.")
    day = (timezone.now() - 2 * DAY).date().isoformat()
    page = load_page(sign_in_owner(tenant), tenant, f"?tab=as-of&date={day}")
    assert "<del> two</del><ins> three</ins>" in page
    assert "1 fact or preference held then." in page


def test_what_lies_in_the_trash_since_held_then_and_is_in_the_timeline(tenant: Tenant) -> None:
    [fact] = hold_facts(tenant, "kim", "The user lives in Lisbon.")
    move_back(tenant, 5)
    client = sign_in_owner(tenant)
    client.post(f"/p/{tenant.project_id}/memories/{fact.pk}/delete/", {"confirmed": "yes"})

    assert texts(compared(tenant, 2).gone) == ["The user lives in Lisbon."]
    page = load_page(client, tenant, "?tab=timeline")
    assert re.findall(r'timeline-entry timeline-(\w+)"', page) == ["deleted", "appeared"]
    assert f"/memories/{fact.pk}/" not in page

    client.post(f"/p/{tenant.project_id}/memories/trash/restore/", {"ids": [fact.pk]})

    assert texts(compared(tenant, 2).same) == ["The user lives in Lisbon."]
    page = load_page(client, tenant, "?tab=timeline")
    assert re.findall(r'timeline-entry timeline-(\w+)"', page) == ["restored", "deleted", "appeared"]


def test_archived_ones_held_before_they_were_archived(tenant: Tenant) -> None:
    _, memory = hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    move_back(tenant, 5)
    client = sign_in_owner(tenant)
    client.post(f"/p/{tenant.project_id}/memories/{memory.pk}/status/archive/", {"confirmed": "yes"})
    move_back(tenant, 5)

    assert texts(compared(tenant, 7).gone) == ["The user has two cats."]
    assert not compared(tenant, 2).gone
    page = load_page(client, tenant, "?tab=timeline")
    assert re.findall(r'timeline-entry timeline-(\w+)"', page) == ["status", "appeared", "appeared"]
    assert "@" in page.partition("timeline-status")[2].partition("</li>")[0]  # by whom


def test_the_timeline_tells_what_replaced_what(moved: Tenant) -> None:
    page = load_page(sign_in_owner(moved), moved, "?tab=timeline")

    names = re.findall(r'timeline-entry timeline-(\w+)"', page)
    assert sorted(names) == ["appeared"] * 4 + ["replaced"]
    replaced = page.partition("timeline-replaced")[2].partition("</li>")[0]
    assert "The user lives in Lisbon." in replaced
    assert "Porto" in replaced
    assert "Replaced by a later statement" in replaced


def test_what_feedback_corrects_is_replaced_in_the_timeline(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Rome.")
    text = "I live in Milan, not in Rome."
    task = api.data("add/feedback", {"user_id": "kim", "conversation_id": "talk", "feedback_content": text})
    api.wait_until_done(task["task_id"])

    page = load_page(sign_in_owner(tenant), tenant, "?tab=timeline")

    assert sorted(re.findall(r'timeline-entry timeline-(\w+)"', page)) == ["appeared", "appeared", "replaced"]
    assert "Milan" in page.partition("timeline-replaced")[2].partition("</li>")[0]


def test_the_timeline_holds_every_event_once_page_by_page(
    moved: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.retrieval.browse.timeline.PAGE", 2)
    client, query, kinds = sign_in_owner(moved), "?tab=timeline", []

    while query:
        page = load_page(client, moved, query)
        kinds += re.findall(r'timeline-entry timeline-(\w+)"', page)
        following = re.search(r'href="[^"]*(\?[^"]+)" rel="next"', page)
        query = following[1] if following else ""

    assert sorted(kinds) == ["appeared"] * 4 + ["replaced"]


def test_both_say_where_older_memories_are_left_out(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    client, notice = sign_in_owner(tenant), "Only the newest memories of each kind are looked at."
    assert not any(notice in load_page(client, tenant, f"?tab={tab}") for tab in ("timeline", "as-of"))
    monkeypatch.setattr("memories.retrieval.browse.timeline.MOST", 1)
    monkeypatch.setattr("memories.retrieval.browse.as_of.MOST", 1)

    pages = [load_page(client, tenant, f"?tab={tab}") for tab in ("timeline", "as-of")]

    assert all(notice in page for page in pages)


def test_dates_that_are_none_are_named_and_others_are_brought_near(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    client, far = sign_in_owner(tenant), ("0001-01-01", "9999-12-31")

    for date in ("x", "2026-13-40", "1", "%00", "2026-11-25T10:00", *far):
        page = load_page(client, tenant, f"?tab=as-of&date={date}")

        assert ("That is not a date" in page) == (date not in far), date


def test_without_anything_both_say_so(tenant: Tenant) -> None:
    project = tenant.project
    with tenant_scope(project):
        MemCube.objects.create(
            account_id=project.account_id, project=project, owner_kind="end_user", owner_id="kim"
        )
    client = sign_in_owner(tenant)

    assert "Nothing has happened yet" in load_page(client, tenant, "?tab=timeline")
    assert "0 facts and preferences held then." in load_page(client, tenant, "?tab=as-of")


def test_the_parts_ask_no_more_for_many_memories_than_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon. I have two cats.")
    api.add("kim", "I moved to Porto.", conversation_id="later")
    queries = ["?tab=timeline", "?tab=as-of"]
    client.get(f"/p/{tenant.project_id}/users/kim/")

    def asked(query: str) -> int:
        with CaptureQueriesContext(connection) as sql_queries:
            load_page(client, tenant, query)
        return len(sql_queries)

    few = [asked(query) for query in queries]
    cities = ("Rome", "Oslo", "Bonn", "Kyiv")
    api.add("kim", *(f"I moved to {city}. I like the jazz of {city}." for city in cities))

    for query, before in zip(queries, few, strict=True):
        assert asked(query) <= min(before + 1, 25), query


def test_in_a_browser_the_slider_moves_the_date(page: Page, moved: Tenant) -> None:
    sign_in(page, moved)
    page.goto(f"/p/{moved.project_id}/users/kim/?tab=as-of")
    slider = page.get_by_role("slider", name="Day")
    expect(slider).to_be_visible()

    slider.focus()
    page.keyboard.press("Home")

    expect(page.get_by_text("2 facts and preferences held then.")).to_be_visible()
    expect(slider).to_be_focused()
    day = (timezone.now() - 10 * DAY).date().isoformat()
    expect(page.locator("#as-of-date")).to_have_value(day)
    expect(page).to_have_url(re.compile(f"date={day}"))
