"""Filters, orders, columns and views of the list of memories."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from memories.models import Conversation, MemCube, Memory, SavedView
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tenancy.people.members import remove_member
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import SETTING, as_setting
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.bulk import order_job
from tests.support.tenants import make_tenant

SAID = {
    "kim": "I live in Lisbon. I have two cats.",
    "lou": "I live in Oslo.",
}


@pytest.fixture(scope="module")
def tenant_with_memories(stack: Stack) -> Tenant:
    """A project whose memories stay as they are."""
    tenant, of_lou = make_tenant(stack), {"agent_id": "bot", "app_id": "web", "info": {"tier": "silver"}}
    of_kim = {"tags": ["home"], "info": {"tier": "gold", "trip": {"year": 2026}}}
    with tenant.api() as api:
        api.add("kim", SAID["kim"], conversation_id="c-1", **of_kim)
        api.add("lou", SAID["lou"], conversation_id="c-2", **of_lou)
        api.search("lou", "Where do I live?")
    return tenant


@pytest.fixture
def filled(tenant_with_memories: Tenant) -> Client:
    return sign_in_owner(tenant_with_memories)


@pytest.fixture
def owner(tenant: Tenant) -> Client:
    return sign_in_owner(tenant)


def listed(client: Client, tenant: Tenant, query: str = "") -> str:
    answer = client.get(f"/p/{tenant.project_id}/memories/{query}", HTTP_HX_REQUEST="true")
    assert answer.status_code == 200
    return answer.content.decode()


def rows(client: Client, tenant: Tenant, query: str = "") -> list[str]:
    return named_rows(listed(client, tenant, query))


def named_rows(page: str) -> list[str]:
    links = re.findall(r'<a class="row-link".*?>(.*?)</a>', page, re.DOTALL)
    words = (re.sub(r"<[^>]+>", " ", link) for link in links)
    return sorted(next(name for name in ("Lisbon", "cats", "Oslo") if name in text) for text in words)


FILTERS = [
    ("tag=home", ["Lisbon", "Oslo"]),
    ("tag=hom", []),
    ("info=tier", ["Lisbon", "Oslo", "cats"]),
    ("info=tier%3Dgold", ["Lisbon", "cats"]),
    ("info=trip.year%3D2026", ["Lisbon", "cats"]),
    ("info=trip.year%3D2025", []),
    ("info=tier%3DNaN", []),
    ("conversation=c-2", ["Oslo"]),
    ("conversation=c-3&q=Lisbon", []),
    ("agent=bot", ["Oslo"]),
    ("app=web&agent=bot", ["Oslo"]),
    ("confidence=90", ["Lisbon", "Oslo", "cats"]),
    ("confidence=below-50", []),
    ("conflicts=yes", []),
    ("recalls=never&subject=kim", ["Lisbon", "cats"]),
]


def test_each_filter_narrows_the_list(tenant_with_memories: Tenant, filled: Client) -> None:
    for query, expected in FILTERS:
        assert rows(filled, tenant_with_memories, f"?{query}") == expected, query


def test_two_values_of_one_state_are_in_conflict(tenant: Tenant, owner: Client, api: Api) -> None:
    api.add("kim", SAID["kim"])
    with tenant_scope(tenant.project):
        mine = Memory.objects.within(MemCube.objects.within(tenant.project))
        home = mine.get(text__contains="Lisbon")
        mine.filter(text__contains="cats").update(slot=home.slot)

    assert rows(owner, tenant, "?conflicts=yes") == ["Lisbon", "cats"]


def test_a_memory_and_its_task_and_conversation_are_found_by_their_ids(
    tenant_with_memories: Tenant, filled: Client
) -> None:
    with tenant_scope(tenant_with_memories.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant_with_memories.project)).get(
            text__contains="Oslo"
        )
        talk = Conversation.objects.within(tenant_with_memories.project).get(external_id="c-2")

    for query in (f"q={memory.pk}", f"task={memory.source_task}", f"conversation={talk.pk}"):
        assert rows(filled, tenant_with_memories, f"?{query}") == ["Oslo"]
    for query in (f"q={uuid4()}", f"task={uuid4()}", f"file={uuid4()}"):
        assert rows(filled, tenant_with_memories, f"?{query}") == []


def test_each_order_goes_through_all_pages(
    tenant_with_memories: Tenant, filled: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.ui.lists.sorting.PAGE_SIZE", 1)
    for sort in ("oldest", "updated", "stale", "confidence", "doubtful", "recalled"):
        address, seen = f"?sort={sort}", []

        for _ in range(3):
            page = listed(filled, tenant_with_memories, address)
            seen += named_rows(page)
            following = re.search(r'href="[^"]*(\?[^"]+)" rel="next"', page)
            address = following[1].replace("&amp;", "&") if following else ""

        assert sorted(seen) == ["Lisbon", "Oslo", "cats"], sort
        assert address == "", sort


def test_a_filter_that_is_not_valid_is_named_and_left_out(
    tenant_with_memories: Tenant, filled: Client
) -> None:
    for page in ("memories", "logs", "tasks", "conversations"):
        answer = filled.get(
            f"/p/{tenant_with_memories.project_id}/{page}/?range=yesteryear&after=x"
        ).content.decode()

        assert "These filters are not valid and were left out:" in answer, page
        assert "yesteryear" in answer, page
        assert "Nothing matches" not in answer, page


def test_an_info_filter_without_a_key_is_named_and_takes_no_memories_along(
    tenant_with_memories: Tenant, filled: Client
) -> None:
    page = listed(filled, tenant_with_memories, "?info=%3Dgold&subject=kim")
    answer = order_job(
        filled, tenant_with_memories, "delete", everything="yes", filter="info=%3Dgold&subject=kim"
    )

    assert "These filters are not valid and were left out:" in page
    assert "The filters of the list are no longer valid" in answer.headers.get("HX-Trigger", "")
    assert rows(filled, tenant_with_memories) == ["Lisbon", "Oslo", "cats"]


def test_a_viewer_who_sees_no_words_finds_nothing_by_tag_or_info(
    tenant_with_memories: Tenant, filled: Client
) -> None:
    change_settings(
        tenant_with_memories.project, SETTING, as_setting(metadata_only=True), get_owner(tenant_with_memories)
    )
    viewer = sign_in(add_member(tenant_with_memories.project.account, Role.VIEWER))

    counts = [
        listed(viewer, tenant_with_memories, query).count('class="row-link"')
        for query in ("", "?tag=hom", "?info=none")
    ]

    assert counts == [3, 3, 3]


def test_columns_and_density_are_kept_in_the_browser(tenant_with_memories: Tenant, filled: Client) -> None:
    kept = filled.get(
        f"/p/{tenant_with_memories.project_id}/memories/?layout=yes&density=compact&column=tags&column=agent&subject=lou"
    )
    page = listed(filled, tenant_with_memories, "?subject=lou")

    assert kept["Location"] == f"/p/{tenant_with_memories.project_id}/memories/?subject=lou"
    head = re.findall(r'<th scope="col".*?>(.*?)</th>', page, re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", cell).strip() for cell in head][1:] == ["Memory", "Tags", "Agent"]
    assert "table-compact" in page
    assert "agent=bot" in page
    filled.cookies["memories-layout"] = "nonsense|kind"
    assert "Confidence" in listed(filled, tenant_with_memories)


def test_views_are_saved_for_oneself_or_for_all(tenant: Tenant, owner: Client) -> None:
    path = f"/p/{tenant.project_id}/memories/views/"
    other = sign_in(add_member(tenant.project.account, Role.DEVELOPER))

    owner.post(path, {"name": "Gold", "filter": "info=tier%3Dgold&sort=confidence"})
    owner.post(path, {"name": "Cats", "filter": "q=cats", "shared": "yes"})
    owner.post(path, {"name": " ", "filter": "q=cats"})
    mine, theirs = (
        client.get(f"/p/{tenant.project_id}/memories/").content.decode() for client in (owner, other)
    )

    assert "?info=tier%3Dgold&amp;sort=confidence" in mine
    assert ("Gold" in theirs, "?q=cats" in theirs) == (False, True)
    (key,) = re.findall(r"views/([0-9a-f-]+)/delete/", theirs)
    assert (
        owner.post(f"{path}{re.findall(r'views/([0-9a-f-]+)/delete/', mine)[-1]}/delete/").status_code == 302
    )
    assert other.post(f"{path}{uuid4()}/delete/").status_code == 404
    assert key in mine


def test_who_leaves_takes_their_own_views_along_and_leaves_the_shared_ones(tenant: Tenant) -> None:
    path, account = f"/p/{tenant.project_id}/memories/views/", tenant.project.account
    leaving, staying = (add_member(account, Role.DEVELOPER) for _ in range(2))
    for member in (leaving, staying):
        client = sign_in(member)
        client.post(path, {"name": "Own", "filter": "q=cats"})
        client.post(path, {"name": f"Of {member.name}", "filter": "q=dogs", "shared": "yes"})

    remove_member(account, leaving, get_owner(tenant))

    with tenant_scope(tenant.project):
        views = {(view.name, view.member_id) for view in SavedView.objects.within(tenant.project)}
    assert views == {("Own", staying.pk), (f"Of {leaving.name}", None), (f"Of {staying.name}", None)}


def test_filters_keep_the_tab_and_the_order_that_were_chosen_beside_them(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I like green tea. I like jazz.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    signed_in.get_by_role("link", name=re.compile("^Preferences")).click()
    expect(signed_in).to_have_url(re.compile("tab=preferences"))
    signed_in.get_by_role("link", name="Confidence").click()
    expect(signed_in).to_have_url(re.compile("sort=confidence"))

    signed_in.get_by_placeholder("Search memories…").fill("tea")

    expect(signed_in.locator("tbody tr")).to_have_count(1)
    expect(signed_in).to_have_url(re.compile("q=tea.*tab=preferences|tab=preferences.*q=tea"))
    expect(signed_in).to_have_url(re.compile("sort=confidence"))
    signed_in.locator("tbody tr").hover()
    signed_in.get_by_role("link", name="Filter by kim").click()
    expect(signed_in).to_have_url(re.compile("subject=kim"))
    expect(signed_in).to_have_url(re.compile("q=tea"))


ODD = {
    "q": f"أعيش في لشبونة {'x' * 1_000}",
    "subject": "y" * 1_000,
    "tag": "z" * 1_000,
    "agent": "‮abc‬",
    "conversation": "🦁" * 100,
}
NULLS = {"q": "🦊🐻🐼" * 30, "subject": "🦊🐻🐼" * 30, "tag": "a\0b", "info": "a\0=b"}


def test_odd_values_keep_the_pages_whole(signed_in: Page, tenant: Tenant, api: Api, owner: Client) -> None:
    long = "The report of the year says that the pump in hall seven needs another gasket every ninth week. "
    api.add("🦊🐻🐼" * 30, f"I live in Haifa. אני גר בחיפה. {long * 40}", conversation_id="y" * 100)
    signed_in.set_viewport_size({"width": 390, "height": 800})

    for page in ("memories", "conversations", "users", "tasks", "logs", "memories/jobs"):
        place = f"/p/{tenant.project_id}/{page}/"
        assert owner.get(place, NULLS).status_code == 200, page
        for address in (place, f"{place}?{urlencode(ODD)}"):
            answer = signed_in.goto(address)
            assert answer is not None
            assert answer.status == 200, address
            assert signed_in.evaluate("document.documentElement.scrollWidth") <= 390, address


def test_a_view_is_saved_beside_a_page_with_a_broken_address(tenant: Tenant, owner: Client) -> None:
    place = f"/p/{tenant.project_id}/memories/"
    for page in ("http://[", "http://testserver/?" + "q=%ED%A0%80%00", "http://elsewhere/?q=cats"):
        headers = {"HX-Request": "true", "HX-Current-URL": page}

        answer = owner.post(f"{place}views/", {"name": f"Gold {page}", "filter": "q=gold"}, headers=headers)

        assert answer.status_code == 200, page
        assert f"Gold {page}" in html.unescape(owner.get(place).content.decode()), page
