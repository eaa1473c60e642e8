"""Members change many memories at once from the list, watch, cancel, undo, and keep the receipt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.bulk import get_job, list_jobs, order_job, run_job, wait_for_job
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import wait_until

HTMX = {"HX-Request": "true"}


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    yield sign_in_owner(tenant)
    connections.close_all()


def held(tenant: Tenant) -> list[Memory]:
    with tenant_scope(tenant.project):
        return list(Memory.objects.within(MemCube.objects.within(tenant.project)).order_by("pk"))


def load_page(client: Client, tenant: Tenant, path: str) -> str:
    answer = client.get(f"/p/{tenant.project_id}/memories/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_all_that_match_are_tagged_watched_and_undone(signed_in: Page, tenant: Tenant) -> None:
    hold_facts(
        tenant, "kim", *(f"The user {does}." for does in ("lives in Lisbon", "has two cats", "likes tea"))
    )
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/?subject=kim")
    signed_in.get_by_label("Select this page").check()
    signed_in.get_by_role("button", name="Add tag…").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Tag").fill("trip")
    dialog.get_by_role("button", name="Tag 3 memories").click()

    expect(signed_in.locator("#jobs")).to_contain_text("3 memories tagged")
    assert {"trip" in memory.tags for memory in held(tenant) if "Oslo" not in memory.text} == {True}
    assert not any("trip" in memory.tags for memory in held(tenant) if "Oslo" in memory.text)
    signed_in.locator("#jobs").get_by_role("button", name="Undo").click()
    expect(signed_in.locator("#jobs")).to_contain_text("Undone")
    assert not any("trip" in memory.tags for memory in held(tenant))


def test_what_was_unticked_after_selecting_all_stays(tenant: Tenant, owner: Client) -> None:
    hold_facts(
        tenant, "kim", *(f"The user {does}." for does in ("lives in Lisbon", "has two cats", "likes tea"))
    )
    spared = next(memory for memory in held(tenant) if "cats" in memory.text)
    chosen = {"everything": "yes", "filter": "subject=kim", "excluded": [str(spared.pk)]}

    asked = owner.post(f"/p/{tenant.project_id}/memories/bulk/delete/", chosen, headers=HTMX).content.decode()
    fields = dict(re.findall(r'name="(everything|filter|count|cutoff|excluded)" value="([^"]*)"', asked))
    job = run_job(owner, tenant, "delete", **fields)

    assert "Delete 2 memories?" in asked
    assert (job.total, held(tenant)) == (2, [spared])


def test_a_filter_that_is_not_valid_makes_no_job(tenant: Tenant, owner: Client) -> None:
    """Without it more would match than the member saw."""
    hold_facts(tenant, "kim", "The user lives in Lisbon.")

    for filter in ("owner=nobody", "subject=kim&range=soon", "confidence=7", "task=x"):
        answer = order_job(owner, tenant, "delete", everything="yes", filter=filter)

        assert "no longer valid" in json.loads(answer["HX-Trigger"])["toast"]["text"], filter
        assert (list_jobs(tenant), len(held(tenant))) == ([], 1), filter


def test_large_deletions_ask_for_the_number_and_larger_ones_for_an_admin(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.pages.memory.bulk.order.TYPED_ABOVE", 1)
    monkeypatch.setattr("console.pages.memory.bulk.order.MANY", 2)
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    developer, admin, viewer = (
        sign_in(add_member(tenant.project.account, role))
        for role in (Role.DEVELOPER, Role.ADMIN, Role.VIEWER)
    )

    assert order_job(developer, tenant, "delete", everything="yes", typed="3").status_code == 422
    assert order_job(viewer, tenant, "archive", everything="yes").status_code == 403
    hold_facts(tenant, "kim", "The user works as a nurse.")
    assert order_job(developer, tenant, "delete", everything="yes", typed="3").status_code == 403
    assert order_job(admin, tenant, "delete", everything="yes", typed="3").status_code == 200
    assert wait_for_job(tenant, list_jobs(tenant)[0].pk).counts == {"done": 3}


def test_the_dialog_says_what_is_chosen_and_what_is_spared(tenant: Tenant, api: Api, owner: Client) -> None:
    api.add("kim", "I live in Lisbon. I like green tea.")
    frozen = held(tenant)[0]
    owner.post(f"/p/{tenant.project_id}/memories/{frozen.pk}/status/freeze/")

    body = {"everything": "yes"}
    asked = owner.post(f"/p/{tenant.project_id}/memories/bulk/delete/", body, headers=HTMX).content.decode()
    again = owner.post(f"/p/{tenant.project_id}/memories/bulk/untag/", body, headers=HTMX).content.decode()

    assert "Delete 1 memory?" in asked
    assert "1 frozen memory is skipped." in asked
    assert re.search(r'<option value="[^"]+"></option>', again)
    assert order_job(owner, tenant, "tag", everything="yes", tag=" ").status_code == 422
    assert owner.post(f"/p/{tenant.project_id}/memories/bulk/explode/", body).status_code == 404


def test_all_that_match_go_and_the_receipt_proves_it_and_is_a_file(tenant: Tenant, owner: Client) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    keys = {str(memory.pk) for memory in held(tenant)}
    hold_facts(tenant, "lou", "The user lives in Oslo.")

    job = run_job(owner, tenant, "delete", everything="yes", filter="q=the+user&subject=kim")
    assert (job.total, job.counts, job.filter) == (2, {"done": 2}, {"q": "the user", "subject": "kim"})
    assert ["Oslo" in memory.text for memory in held(tenant)] == [True]
    page = load_page(owner, tenant, f"jobs/{job.pk}/")
    lines = load_page(owner, tenant, f"jobs/{job.pk}/file/?format=csv").splitlines()
    record = json.loads(load_page(owner, tenant, f"jobs/{job.pk}/file/?format=json"))

    assert "0 of 2 memories can still be recalled" in page
    assert "2 of 2 are in the trash." in page
    assert f"/p/{tenant.project_id}/memories/?q=the+user&amp;subject=kim" in page
    assert {line.split(",")[0] for line in lines[1:]} == keys
    assert record["proof"]["memories_still_recallable"] == 0
    assert {item["outcome"] for item in record["items"]} == {"done"}
    assert "2 memories deleted" in load_page(owner, tenant, "jobs/")


def test_a_project_without_a_trash_has_the_proof_of_erasure_at_once(tenant: Tenant, owner: Client) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    owner.post(f"/p/{tenant.project_id}/settings/trash/", {"trash-days": "0"})

    job = run_job(owner, tenant, "delete", everything="yes")

    assert job.erased_at is not None
    assert "0 of 2 are stored" in load_page(owner, tenant, f"jobs/{job.pk}/")
    answer = owner.post(f"/p/{tenant.project_id}/memories/jobs/{job.pk}/undo/", headers=HTMX)
    assert "cannot be undone" in answer["HX-Trigger"]


def test_an_end_users_name_leaves_receipts_and_views_with_them(
    tenant: Tenant, api: Api, owner: Client
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    job = run_job(owner, tenant, "freeze", everything="yes", filter="subject=kim")
    owner.post(f"/p/{tenant.project_id}/memories/views/", {"name": "Kim", "filter": "subject=kim"})

    api.data("delete/memory", {"user_id": "kim"})

    assert get_job(tenant, job.pk).filter == {}
    assert "No saved view yet" in load_page(owner, tenant, "")


def test_the_progress_says_once_that_a_job_is_over_and_to_others_that_the_list_changed(
    tenant: Tenant, owner: Client
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    job = run_job(owner, tenant, "archive", everything="yes")
    path = f"/p/{tenant.project_id}/memories/jobs/progress/"

    # A page saw it running; another looks for the first time; a third saw something else running.
    for seen in (f"{job.pk}:open", "", f"{uuid4()}:open"):
        first: Any = owner.get(f"{path}?seen={seen}", headers=HTMX)
        events = json.loads(first["HX-Trigger"])
        assert "memory-changed" in events
        assert events["toast"]["text"] == "1 memory archived."
        assert events["toast"]["undo"].endswith(f"/jobs/{job.pk}/undo/")
    (address,) = re.findall(r'hx-get="([^"]+)"', first.content.decode())
    second: Any = owner.get(address, headers=HTMX)
    assert "HX-Trigger" not in second
    assert "1 memory archived" in second.content.decode()
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    answer: Any = viewer.get(f"{path}?seen={job.pk}:open", headers=HTMX)
    assert json.loads(answer["HX-Trigger"]) == {"memory-changed": {"target": "body"}}


def test_a_far_moment_is_no_fault_and_one_in_the_future_is_now(owner: Client, tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")

    for cutoff, jobs in (
        ("0001-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59Z", 0),
        ("9999-12-31T23:59:59Z", 1),
    ):
        answer = order_job(owner, tenant, "archive", everything="yes", filter="", cutoff=cutoff)

        assert answer.status_code == 200, cutoff
        assert len(list_jobs(tenant)) == jobs, cutoff
    assert list_jobs(tenant)[0].cutoff <= timezone.now()


def test_what_a_filter_matches_since_the_dialog_is_asked_about_again(
    owner: Client, tenant: Tenant, api: Api
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    hold_facts(tenant, "lou", "The user lives in Oslo.")
    api.search("kim", "Where do I live?")
    path = f"/p/{tenant.project_id}/memories/bulk/delete/"
    sent = {"everything": "yes", "filter": "recalls=ever"}
    wait_until(lambda: b"Delete 1 memory" in owner.post(path, sent, headers=HTMX).content)
    asked = owner.post(path, sent, headers=HTMX).content.decode()
    fields = dict(re.findall(r'name="(count|cutoff|filter|everything)" value="([^"]*)"', asked))
    api.search("lou", "Where do I live?")
    wait_until(lambda: b"Delete 2 memories" in owner.post(path, sent, headers=HTMX).content)

    answer = owner.post(path, {**fields, "confirmed": "yes"}, headers=HTMX)

    assert answer.status_code == 422
    assert "The number does not match." in answer.content.decode()
    assert list_jobs(tenant) == []
