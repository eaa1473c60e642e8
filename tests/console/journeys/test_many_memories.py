"""J4: all that match are deleted at once, the job is stopped half-way, its receipt read, and all of it undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from playwright.sync_api import Page, expect

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.tasks.bulk import list_jobs, wait_for_job
from tests.support.tasks.many_memories import many_facts
from tests.support.waiting import look_until, wait_until_somebody_waits

# Three batches of the job: held in the first, it may begin the second before the cancellation that waits has its turn.
MANY = 484
# Behind somebody who waits for what this transaction has locked.
QUEUED = """
SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) && ARRAY(
    SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))
"""


@contextmanager
def worker_held_at(tenant: Tenant, text: str) -> Iterator[None]:
    """The job comes as far as this memory and waits, until the block is left."""
    with transaction.atomic(), tenant_scope(tenant.project):
        Memory.objects.within(MemCube.objects.within(tenant.project)).select_for_update().get(text=text)
        yield


def queued() -> int:
    with connection.cursor() as cursor:
        cursor.execute(QUEUED)
        return int(cursor.fetchone()[0])


def test_all_that_match_are_deleted_stopped_half_way_and_undone(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    many_facts(tenant, "kim", MANY)
    api.add("lou", "I live in Oslo.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/?subject=kim")
    signed_in.get_by_label("Select this page").check()
    signed_in.get_by_role("button", name=f"Select all {MANY} matching").click()
    selection = signed_in.get_by_role("region", name="Selection")
    expect(selection).to_contain_text(f"{MANY} selected")
    first = signed_in.get_by_role("row").nth(1).get_by_role("checkbox")
    first.uncheck()
    signed_in.get_by_role("link", name="Older").click()
    expect(signed_in.get_by_role("link", name="Back to the newest")).to_be_visible()
    expect(selection).to_contain_text(f"{MANY - 1} selected")
    signed_in.get_by_role("link", name="Back to the newest").click()
    expect(first).not_to_be_checked()
    first.check()
    expect(selection).to_contain_text(f"{MANY} selected")
    signed_in.get_by_role("button", name="Delete…").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog).to_contain_text(f"and {MANY - 5} more")

    api.add("kim", "I live in Lisbon.")  # after the dialog was opened
    dialog.get_by_label("to confirm").fill(str(MANY))
    progress = signed_in.locator("#jobs")
    with worker_held_at(tenant, "The user keeps item 100."):
        dialog.get_by_role("button", name=f"Delete {MANY} memories").click()
        wait_until_somebody_waits()
        expect(progress.get_by_role("progressbar")).to_be_visible()
        progress.get_by_role("button", name="Cancel").click()
        look_until(queued, bool, otherwise="the member's order does not wait for the job")

    expect(progress).to_contain_text("Cancelled")
    job = wait_for_job(tenant, list_jobs(tenant)[0].pk)
    done = job.counts["done"]
    assert job.total == MANY
    assert 200 <= done < MANY

    progress.get_by_role("link").first.click()
    receipt = signed_in.locator("#job")
    expect(receipt).to_contain_text(f"0 of {done} memories can still be recalled")
    expect(receipt.get_by_role("row").filter(has_text="Not reached")).to_contain_text(f"{MANY - done}")
    with signed_in.expect_download() as started:
        receipt.get_by_role("link", name="CSV").click()
    assert len(started.value.path().read_text().splitlines()) == MANY + 1

    receipt.get_by_role("button", name="Undo").click()
    expect(receipt).to_contain_text("Undone")
    expect(receipt.get_by_role("button", name="Undo")).to_have_count(0)
    assert wait_for_job(tenant, job.pk).state == "undone"
    assert api.listed("kim")["total"] == MANY + 1
    assert api.facts("lou", "Where do I live?")
