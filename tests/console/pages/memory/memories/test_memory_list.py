"""The list of memories: one line each, orders, a conversation's own, counts that stop."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from memories.models import Memory
from memories.retrieval.browse.listing import MemoryQuery, counts_by_kind, find_memories
from memories.retrieval.browse.recalls import RecallingRequest, list_recent_recalls
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import wait_until


def load_list(client: Client, tenant: Tenant, query: str = "") -> str:
    answer = client.get(f"/p/{tenant.project_id}/memories/{query}", HTTP_HX_REQUEST="true")
    assert answer.status_code == 200
    return answer.content.decode()


def read_rows(page: str) -> list[str]:
    links = re.findall(r'<a class="row-link".*?>(.*?)</a>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", link).split()) for link in links]


def held(tenant: Tenant) -> list[Memory]:
    with tenant_scope(tenant.project):
        return list(find_memories(tenant.project, MemoryQuery()))


def update(api: Api, memory: Memory, **changes: Any) -> None:
    api.data("update/memory", {"memory_id": str(memory.pk), **changes})


def test_a_row_says_everything_once(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    (memory,) = held(tenant)
    client = sign_in_owner(tenant)
    update(api, memory, title="Lisbon")

    plain = load_list(client, tenant)
    update(api, memory, title="Home address")
    titled = load_list(client, tenant)

    assert read_rows(plain) == ["The user lives in Lisbon."]
    assert read_rows(titled) == ["Home address The user lives in Lisbon."]
    assert "Activated" not in plain.partition("<tbody>")[2]


def test_the_last_update_orders_the_list_and_its_pages(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    client = sign_in_owner(tenant)
    older = next(memory for memory in held(tenant) if "Lisbon" in memory.text)
    update(api, older, tags=["home"])

    newest, updated = load_list(client, tenant), load_list(client, tenant, "?sort=updated")

    assert "cats" in read_rows(newest)[0]
    assert "Lisbon" in read_rows(updated)[0]
    assert "last updated first" in updated
    cursor = f"{older.updated_at.isoformat()}~{older.pk}".replace("+", "%2B")
    assert len(read_rows(load_list(client, tenant, f"?sort=updated&after={cursor}"))) <= 1
    assert read_rows(load_list(client, tenant, "?sort=made-up")) == read_rows(newest)


def test_a_conversation_narrows_the_list_and_is_taken_out_again(
    tenant: Tenant, stranger: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.", conversation_id="first")
    api.add("kim", "I have two cats.", conversation_id="second")
    client = sign_in_owner(tenant)
    memory = next(memory for memory in held(tenant) if "Lisbon" in memory.text)

    page = load_list(client, tenant, f"?conversation={memory.conversation_id}")

    assert read_rows(page) == ["User residence The user lives in Lisbon."]
    assert 'Conversation</span> <bdi class="clip">first</bdi>' in page
    assert read_rows(load_list(client, tenant, "?conversation=first")) == read_rows(page)
    assert read_rows(load_list(client, tenant, "?conversation=nonsense")) == []
    assert (
        read_rows(load_list(sign_in_owner(stranger), stranger, f"?conversation={memory.conversation_id}"))
        == []
    )


def test_counts_are_exact_up_to_a_bound(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon. I have two cats. I work as a nurse. I like green tea.")

    with tenant_scope(tenant.project):
        rows = find_memories(tenant.project, MemoryQuery())
        exact, bounded = (counts_by_kind(tenant.project, rows, most) for most in (100, 1))
        none = counts_by_kind(tenant.project, rows.none(), 100)

    assert exact == {"fact": 3, "preference": 1}
    assert none == {}
    assert (bounded["fact"], bounded["preference"], bounded["skill"]) == (2, 1, 0)


def test_a_search_for_words_counts_up_to_a_bound_of_its_own(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_facts(tenant, "kim", *(f"The user {does}." for does in ("lives in Lisbon", "has two cats", "works")))
    client = sign_in_owner(tenant)
    monkeypatch.setattr("console.pages.memory.memories.listing.memories.COUNTED_IN_TEXT", 2)

    assert "more than 2 in all" in load_list(client, tenant, "?q=user")
    assert len(read_rows(load_list(client, tenant, "?q=user"))) == 3
    assert "1 in all" in load_list(client, tenant, "?q=lisbon")
    assert "3 in all" in load_list(client, tenant)


def test_a_search_for_words_keeps_to_its_tab_and_order(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I like green tea. I have two green cats. I live in Lisbon.")
    client = sign_in_owner(tenant)

    rows = read_rows(load_list(client, tenant, "?q=GREEN"))
    tea = read_rows(load_list(client, tenant, "?q=green&tab=preferences"))

    assert len(rows) == 2
    assert read_rows(load_list(client, tenant, "?q=green&sort=oldest")) == rows[::-1]
    assert len(tea) == 1
    assert tea[0] in rows
    assert read_rows(load_list(client, tenant, "?q=green&tab=skills")) == []
    assert read_rows(load_list(client, tenant, "?q=purple")) == []


BEGINS, INSIDE = "Found where a word of the text begins like this.", "No word begins like this."


def test_words_are_found_where_a_word_begins_and_inside_words_on_request(tenant: Tenant) -> None:
    facts = ("has an artist friend", "works in a smart home shop", "lives in Lisbon")
    hold_facts(tenant, "kim", *(f"The user {does}." for does in facts))
    client = sign_in_owner(tenant)

    page = load_list(client, tenant, "?q=Art")
    more = load_list(client, tenant, "?q=Art&inside=yes")

    assert BEGINS in page
    assert 'href="/p/' in page
    assert "inside=yes" in page
    assert [("artist" in row, "smart" in row) for row in read_rows(page)] == [(True, False)]
    assert len(read_rows(more)) == 2
    assert BEGINS not in more


def test_what_no_word_begins_with_is_found_inside_words_and_in_titles(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", title="Home address")
    (memory,) = held(tenant)
    client = sign_in_owner(tenant)

    for words in ("isbo", "in Lisbon.", "home addr", str(memory.pk)):
        page = load_list(client, tenant, f"?q={words}")
        assert len(read_rows(page)) == 1
        assert (INSIDE in page) == (words in {"isbo", "home addr"})
    nothing = load_list(client, tenant, "?q=Oslo")
    assert read_rows(nothing) == []
    assert INSIDE not in nothing
    chosen = 'name="filter" value="q=isbo&amp;inside=yes"'  # what bulk jobs are about
    assert chosen in load_list(client, tenant, "?q=isbo")


def test_chinese_words_are_found_wherever_they_stand(tenant: Tenant, api: Api) -> None:
    api.add("kim", "我每天练习小提琴。")
    client = sign_in_owner(tenant)

    for words, is_found in (
        ("小提琴", True),
        ("提琴", True),
        ("琴", True),
        ("每天练习小提", True),
        ("钢琴", False),
    ):
        assert bool(read_rows(load_list(client, tenant, f"?q={words}"))) == is_found, words


def test_rows_are_of_one_height_and_the_source_is_marked(signed_in: Page, tenant: Tenant, api: Api) -> None:
    long = "I keep a list of every book that I have ever read in the last forty years in a green notebook."
    api.add("kim", f"I live in Lisbon. {long}")
    signed_in.set_viewport_size({"width": 1920, "height": 900})
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    rows = signed_in.locator("tbody tr")
    expect(rows).not_to_have_count(0)

    heights = {round(row.bounding_box()["height"]) for row in rows.all()}  # type: ignore[index]
    table = signed_in.get_by_role("table").bounding_box()
    assert heights <= {40, 41}
    assert table is not None
    assert table["width"] > 1600

    rows.filter(has_text="Lisbon").get_by_role("link").first.click()
    drawer = signed_in.locator("#drawer .drawer")
    drawer.get_by_role("link", name=re.compile("^Sources")).click()
    expect(drawer.locator("mark")).to_have_text("I live in Lisbon.")


def test_the_recall_tab_lists_the_searches_that_returned_it(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    api.search("kim", "Where do I live?")
    api.search("kim", "Which pets do I have?", relativity=0.9)
    home = next(memory for memory in held(tenant) if "Lisbon" in memory.text)
    client = sign_in_owner(tenant)
    wait_until(lambda: load_recalls(tenant, home))

    with CaptureQueriesContext(connection) as asked:
        page = client.get(f"/p/{tenant.project_id}/memories/{home.pk}/?view=recall", HTTP_HX_REQUEST="true")

    (recall,) = load_recalls(tenant, home)
    assert (recall.query, recall.rank) == ("Where do I live?", 1)
    assert recall.score is not None
    assert recall.score > 0.4
    assert f"/logs/{recall.request_id}/" in page.content.decode()
    assert len(asked) <= 25


def load_recalls(tenant: Tenant, memory: Memory) -> list[RecallingRequest]:
    with tenant_scope(tenant.project):
        return list_recent_recalls(tenant.project, memory)
