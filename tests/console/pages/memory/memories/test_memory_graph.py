"""One memory among its neighbours: what it came from, what it replaced, what replaced it."""

from __future__ import annotations

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.pages.memory.memories.graph import wrap
from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts


def load_graph(client: Client, tenant: Tenant, memory: Memory) -> str:
    path = f"/p/{tenant.project_id}/memories/{memory.pk}/?view=graph"
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(path, HTTP_HX_REQUEST="true")
    assert answer.status_code == 200
    assert len(asked) <= 25
    return answer.content.decode()


def relations(page: str) -> list[str]:
    """As the table says them, from which the drawing must not differ."""
    drawn = re.findall(r"<title>([^:<]+):", page)
    cells = re.findall(r'<td class="nowrap">(.*?)</td>', page)
    assert sorted(cells) == sorted(title for title in drawn if title != "This memory")
    return cells


def test_the_graph_links_sources_and_what_replaced_what(tenant: Tenant, stranger: Tenant, api: Api) -> None:
    api.add("kim", "I live in Beijing.")
    api.add("kim", "I moved to Shanghai.", conversation_id="later")
    with tenant_scope(tenant.project):
        rows = Memory.objects.within(MemCube.objects.within(tenant.project))
        older, newer = rows.get(text__contains="Beijing"), rows.get(text__contains="Shanghai")
    client = sign_in_owner(tenant)

    before, after = load_graph(client, tenant, older), load_graph(client, tenant, newer)

    assert relations(before) == ["Source", "Replaced by"]
    assert relations(after) == ["Source", "Replaced by it"]
    assert f"open={newer.pk}&amp;view=graph" in before
    assert "#message-" in after
    theirs = f"/p/{stranger.project_id}/memories/{older.pk}/?view=graph"
    assert sign_in_owner(stranger).get(theirs).status_code == 404


def test_a_memory_of_nothing_says_so(tenant: Tenant) -> None:
    [memory] = hold_facts(tenant, "kim", "The user lives in Lisbon.")

    page = load_graph(sign_in_owner(tenant), tenant, memory)

    assert "No neighbours" in page
    assert '<svg class="graph"' not in page


def test_texts_of_boxes_are_two_lines_in_any_language() -> None:
    assert wrap("The user lives in Shanghai, near the Bund.", 18) == ["The user lives in", "Shanghai, near…"]
    assert wrap("用户住在上海，靠近外滩，和姐姐一起生活。", 18) == [
        "用户住在上海，靠近",
        "外滩，和姐姐一起生…",
    ]
    assert [len(line) for line in wrap("x" * 100, 18)] == [16, 17]
    assert wrap("", 18) == []
