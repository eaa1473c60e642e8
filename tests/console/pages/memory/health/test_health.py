"""Memory health: what a project's memories repeat, contradict and lack, and what members do about it."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from memories.lifecycle.edit import Amendment, amend_memory, embed_wording
from memories.models import KeptPair, MemCube, Memory, MemorySource
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse import health as health_review
from tenancy.isolation.private_fields import MASK
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import SETTING, as_setting
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts


def sections(client: Client, tenant: Tenant) -> dict[str, list[str]]:
    """What the page lists, by its headings."""
    answer = client.get(f"/p/{tenant.project_id}/health/")
    assert answer.status_code == 200
    parts = re.split(r'<h2 id="\w+">', answer.content.decode())[1:]
    titles = [part.partition(" <span")[0] for part in parts]
    rows = [re.findall(r'class="row-link" href="[^"]+">(.*?)</a>', part) for part in parts]
    return {title: [html.unescape(row) for row in texts] for title, texts in zip(titles, rows, strict=True)}


def change(tenant: Tenant, word: str, **fields: object) -> None:
    with tenant_scope(tenant.project):
        assert memories(tenant).filter(text__contains=word).update(**fields) == 1


def memories(tenant: Tenant) -> MemoryQuerySet:
    return Memory.objects.within(MemCube.objects.within(tenant.project))


def test_a_new_project_has_nothing_to_review(tenant: Tenant) -> None:
    answer = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/health/")

    assert "This project has no memories yet." in answer.content.decode()


SAME = [
    ("The user has a penicillin allergy.", "The user is allergic to penicillin."),
    ("The user likes to drink green tea.", "The user likes green tea."),
    ("用户喜欢喝绿茶。", "用户爱喝绿茶。"),
    ("The user works as a nurse at Acme.", "The user is a nurse at Acme."),
]
DIFFERENT = [
    ("The user likes green tea.", "The user likes black tea."),
    ("The invoice of Acme is 180 EUR.", "The invoice of Acme is 185 EUR."),
    ("The user plays badminton on Tuesdays.", "The user plays badminton on Thursdays."),
    ("用户有两只猫。", "用户有两条狗。"),
]


def test_two_memories_that_say_the_same_are_listed_together_and_others_are_not(tenant: Tenant) -> None:
    for number, pair in enumerate(SAME + DIFFERENT):
        hold_facts(tenant, f"user-{number}", *pair)

    rows_by_title = sections(sign_in_owner(tenant), tenant)

    assert sorted(rows_by_title["Duplicates"]) == sorted(text for pair in SAME for text in pair)


def rewrite(tenant: Tenant, memory_id: str, text: str) -> None:
    amend_memory(tenant.project, Amendment(memory_id, text=text), embed_wording(text))


def two(tenant: Tenant, api: Api) -> tuple[str, str]:
    """The ids of two memories, the older one first."""
    api.add("kim", "I live in Porto. I keep bees.")
    with tenant_scope(tenant.project):
        first, second = memories(tenant).order_by("created_at", "pk")
    return str(first.pk), str(second.pk)


def two_of_one_state(tenant: Tenant, api: Api) -> tuple[str, str]:
    pair = two(tenant, api)
    with tenant_scope(tenant.project):
        slot = memories(tenant).get(text__contains="Porto").slot
    change(tenant, "bees", slot=slot)
    return pair


def two_alike(tenant: Tenant, api: Api) -> tuple[str, str]:
    first, second = two(tenant, api)
    rewrite(tenant, first, "I have two cats.")
    rewrite(tenant, second, "I have got two cats.")
    return first, second


def test_each_problem_has_its_place(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto. I keep bees. I play the oboe. I drive a tram.")
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    change(tenant, "bees", confidence=0.2)
    change(tenant, "oboe", expires_on=yesterday)
    with tenant_scope(tenant.project):
        tram = memories(tenant).get(text__contains="tram")
        MemorySource.objects.within([tram.pk]).delete()

    rows_by_title = sections(sign_in_owner(tenant), tenant)

    assert {title: len(rows) for title, rows in rows_by_title.items()} == {
        "Source deleted": 1,
        "Low confidence": 1,
        "Expired": 1,
    }
    assert "bees" in rows_by_title["Low confidence"][0]


def test_two_values_of_one_state_contradict_each_other(tenant: Tenant, api: Api) -> None:
    two_of_one_state(tenant, api)

    rows_by_title = sections(sign_in_owner(tenant), tenant)

    assert len(rows_by_title["Contradictions"]) == 2


def test_an_archived_duplicate_is_no_longer_listed(tenant: Tenant, api: Api) -> None:
    _, second = two_alike(tenant, api)
    client = sign_in_owner(tenant)
    assert "Duplicates" in sections(client, tenant)

    client.post(f"/p/{tenant.project_id}/memories/{second}/status/archive/")

    assert sections(client, tenant) == {}


def test_another_tenants_memories_are_not_reviewed(tenant: Tenant, stranger: Tenant) -> None:
    hold_facts(stranger, "kim", "The user keeps bees.", confidence=0.2)

    assert sections(sign_in_owner(tenant), tenant) == {}
    assert sign_in_owner(tenant).get(f"/p/{stranger.project_id}/health/").status_code == 404


def test_viewers_see_the_findings_and_no_buttons(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user keeps bees.", confidence=0.2)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    answer = viewer.get(f"/p/{tenant.project_id}/health/").content.decode()

    assert "bees" in answer
    assert ">Archive<" not in answer
    assert ">Delete<" not in answer


def test_vectors_of_another_embedder_do_not_hide_the_page(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Porto.", "The user has two cats.")
    client = sign_in_owner(tenant)

    for vector in ([1.0] * 10, [3e38] * 384, [0.0] * 384):
        change(tenant, "Porto", embedding=vector)

        assert client.get(f"/p/{tenant.project_id}/health/").status_code == 200, vector[:1]


def keep(client: Client, tenant: Tenant, kept_id: str, other: str, tail: str = "") -> int:
    return client.post(f"/p/{tenant.project_id}/health/keep/{kept_id}/{other}/{tail}").status_code


def test_a_pair_that_is_kept_is_not_listed_until_it_says_something_else(tenant: Tenant, api: Api) -> None:
    first, second = two_alike(tenant, api)
    client = sign_in_owner(tenant)
    assert "Duplicates" in sections(client, tenant)

    assert keep(client, tenant, second, first) == 302
    assert sections(client, tenant) == {}
    keep(client, tenant, first, second, "undo/")
    assert "Duplicates" in sections(client, tenant)
    keep(client, tenant, first, second)
    rewrite(tenant, second, "I got two cats.")

    assert "Duplicates" in sections(client, tenant)


def test_contradictions_are_kept_and_the_decision_is_deleted_with_a_memory(tenant: Tenant, api: Api) -> None:
    first, second = two_of_one_state(tenant, api)
    client = sign_in_owner(tenant)
    assert "Contradictions" in sections(client, tenant)

    keep(client, tenant, first, second)

    assert sections(client, tenant) == {}
    api.data("delete/memory", {"memory_ids": [first]})
    with tenant_scope(tenant.project):
        assert not KeptPair.objects.within(tenant.project).exists()


def test_pairs_of_others_are_not_kept(tenant: Tenant, stranger: Tenant, api: Api) -> None:
    first, second = two_alike(tenant, api)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    assert keep(viewer, tenant, first, second) == 403
    assert keep(sign_in_owner(stranger), tenant, first, second) == 404
    assert keep(sign_in_owner(stranger), stranger, first, second) == 404


def test_a_score_says_how_much_needs_review(tenant: Tenant, api: Api) -> None:
    two_alike(tenant, api)
    client = sign_in_owner(tenant)

    page = client.get(f"/p/{tenant.project_id}/health/").content.decode()

    assert "1 of 2 memories checked needs review." in page
    assert 'aria-label="50 / 100"' in page


def test_older_memories_are_checked_page_by_page(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    hold_facts(tenant, "kim", "The user keeps bees.", "The user plays the oboe.", "The user drives a tram.")
    change(tenant, "bees", confidence=0.2)
    monkeypatch.setattr(health_review, "MOST_REVIEWED", 2)
    client = sign_in_owner(tenant)
    page = client.get(f"/p/{tenant.project_id}/health/").content.decode()
    assert "bees" not in page
    (older,) = re.findall(r'href="([^"]+)">Check older memories', page)

    page = client.get(html.unescape(older)).content.decode()

    assert "bees" in page
    assert "Check older memories" not in page
    assert "Check the newest" in page


def test_a_pair_is_found_across_two_pages(tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The older one was created before all that the page looks at; the page of the older one does not list it again."""
    first, second = two_alike(tenant, api)
    hold_facts(tenant, "kim", "The user plays the oboe.")
    monkeypatch.setattr(health_review, "MOST_REVIEWED", 2)
    client = sign_in_owner(tenant)
    with tenant_scope(tenant.project):
        held = Memory.objects.of_project(tenant.project)
        held.filter(pk=first).update(created_at=datetime.now(UTC) - timedelta(days=9))

    page = client.get(f"/p/{tenant.project_id}/health/").content.decode()
    assert 'id="repeated"' in page
    assert f"/health/keep/{second}/{first}/" in page
    (older,) = re.findall(r'href="([^"]+)">Check older memories', page)
    assert 'id="repeated"' not in client.get(html.unescape(older)).content.decode()

    keep(client, tenant, first, second)
    assert 'id="repeated"' not in client.get(f"/p/{tenant.project_id}/health/").content.decode()


def test_who_may_not_read_words_is_told_the_same_findings(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto. I work as a nurse.")
    change(tenant, "Porto", slot="home", confidence=0.3, kind="fact")
    change(tenant, "nurse", slot="work", words="nurse", kind="fact")
    owner, viewer = sign_in_owner(tenant), sign_in(add_member(tenant.project.account, Role.VIEWER))

    known = sections(owner, tenant)
    change_settings(tenant.project, SETTING, as_setting(metadata_only=True), get_owner(tenant))

    assert {title: len(rows) for title, rows in known.items()} == {
        "Too little content": 1,
        "Low confidence": 1,
    }
    assert {title: set(rows) for title, rows in sections(viewer, tenant).items()} == dict.fromkeys(
        known, {MASK}
    )
