"""One action on many memories, done by a task: exactly what the member saw, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from memories.jobs import outbox
from memories.jobs.outbox import LeaseLost, Unfinished
from memories.lifecycle.bulk.orders import BulkOrder, cancel_job, start_job, undo_job
from memories.lifecycle.bulk.receipts import note_erasures, prove_deletion
from memories.lifecycle.bulk.work import run_bulk_job
from memories.lifecycle.trash import purge_due
from memories.models import BulkJob, MemCube, Memory, Task
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.listing import MemoryQuery, find_memories
from memories.values import BulkAction, OwnerKind, Subject, TaskState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Project
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.bulk import get_job
from tests.support.tasks.crashes import SimulatedKill, dying_at
from tests.support.tasks.many_memories import write_facts
from tests.support.tasks.refine_tasks import KIM
from tests.support.tasks.trash import in_trash, wait_out

SAID = (
    "The user lives in Lisbon.",
    "The user has two cats.",
    "The user works as a nurse.",
    "The user likes green tea.",
)


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    yield sign_in_owner(tenant)
    connections.close_all()


def list_memories(tenant: Tenant) -> MemoryQuerySet:
    rows: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(tenant.project))
    return rows


def texts(tenant: Tenant, **wanted: Any) -> set[str]:
    with tenant_scope(tenant.project):
        return set(list_memories(tenant).filter(**wanted).values_list("text", flat=True))


def change(tenant: Tenant, word: str, **fields: Any) -> Memory:
    with tenant_scope(tenant.project):
        memory: Memory = list_memories(tenant).get(text__contains=word)
        list_memories(tenant).filter(pk=memory.pk).update(**fields)
        memory.refresh_from_db()
        return memory


def order(tenant: Tenant, action: BulkAction, tag: str = "", **wanted: Any) -> BulkJob:
    """A job whose task the stack's own worker does not find due."""
    project = tenant.project
    with transaction.atomic(), tenant_scope(project):
        chosen = find_memories(project, MemoryQuery(**wanted)).select_related(None)
        job = start_job(project, BulkOrder(action, chosen, timezone.now(), tag=tag), get_owner(tenant))
        hold_back(tenant, job)
    return job


def hold_back(tenant: Tenant, job: BulkJob) -> None:
    due_at = timezone.now() + timedelta(hours=1)
    Task.objects.within(tenant.project).filter(pk=job.task).update(due_at=due_at)


def take(key: Any) -> Task:
    row = Task.every.using(outbox.SWEEP).filter(pk=key)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine


def run(tenant: Tenant, job: BulkJob) -> BulkJob:
    run_bulk_job(take(get_job(tenant, job.pk).task))
    return get_job(tenant, job.pk)


def undo(tenant: Tenant, job: BulkJob) -> BulkJob:
    with transaction.atomic():
        assert undo_job(tenant.project, job.pk, get_owner(tenant))
        with tenant_scope(tenant.project):
            hold_back(tenant, get_job(tenant, job.pk))
    return run(tenant, job)


@pytest.mark.parametrize(
    ("action", "there"),
    [
        ("archive", {"status": "archived"}),
        ("freeze", {"status": "frozen"}),
        ("tag", {"tags__contains": ["trip"]}),
    ],
)
def test_each_action_is_done_and_undone(tenant: Tenant, action: str, there: dict[str, Any]) -> None:
    write_facts(tenant.project, KIM, *SAID)
    before = states(tenant)

    done = run(tenant, order(tenant, BulkAction(action), tag="trip"))
    assert done.counts == {"done": 4}
    assert len(texts(tenant, **there)) == 4
    undone = undo(tenant, done)

    assert (undone.state, undone.counts) == ("undone", {"undone": 4})
    assert states(tenant) == before


def test_a_restoring_is_undone_with_what_it_took_the_place_of(tenant: Tenant, api: Api) -> None:
    """Lisbon is archived, Oslo holds instead; restored, Lisbon takes the place of Oslo until that is undone."""
    api.add("kim", *SAID)
    put_away = run(tenant, order(tenant, BulkAction.ARCHIVE))
    assert put_away.counts == {"done": 4}
    api.add("kim", "I live in Oslo.")
    before, held = states(tenant), texts(tenant, valid_until=None, superseded_by=None, status="activated")

    restored = run(tenant, order(tenant, BulkAction.RESTORE, standing="archived"))
    assert restored.counts == {"done": 4}
    assert any("Lisbon" in text for text in texts(tenant, valid_until=None, status="activated"))
    assert not any("Oslo" in text for text in texts(tenant, valid_until=None, status="activated"))
    undone = undo(tenant, restored)

    assert (undone.state, undone.counts) == ("undone", {"undone": 4})
    assert states(tenant) == before
    assert texts(tenant, valid_until=None, superseded_by=None, status="activated") == held
    assert any("Oslo" in fact for fact in api.facts("kim", "Where do I live?"))


def test_undoing_a_restoring_leaves_alone_what_changed_since(tenant: Tenant, api: Api) -> None:
    api.add("kim", *SAID)
    run(tenant, order(tenant, BulkAction.ARCHIVE))
    api.add("kim", "I live in Oslo.")
    restored = run(tenant, order(tenant, BulkAction.RESTORE, standing="archived"))
    oslo = change(tenant, "Oslo", version=F("version") + 1)
    change(tenant, "two cats", version=F("version") + 1)

    undone = undo(tenant, restored)

    assert undone.counts == {"undone": 3, "kept": 1}
    assert change(tenant, "Oslo").valid_until == oslo.valid_until is not None
    assert texts(tenant, text__contains="two cats", status="activated")


def states(tenant: Tenant) -> list[tuple[Any, ...]]:
    with tenant_scope(tenant.project):
        return list(list_memories(tenant).order_by("pk").values_list("pk", "text", "status", "tags"))


def test_what_arrives_or_changes_after_the_order_is_left_alone(tenant: Tenant, api: Api) -> None:
    write_facts(tenant.project, KIM, *SAID)
    job = order(tenant, BulkAction.DELETE)

    write_facts(tenant.project, KIM, "The user has a boat.")
    cats = change(tenant, "cats")
    api.data("update/memory", {"memory_id": str(cats.pk), "tags": ["pets"]})
    done = run(tenant, job)

    assert texts(tenant) == {"The user has two cats.", "The user has a boat."}
    assert done.counts == {"done": 3, "changed": 1}


def test_a_memory_that_was_dated_back_after_the_order_is_left_alone(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, *SAID[:2])
    with transaction.atomic(), tenant_scope(tenant.project):
        chosen = find_memories(tenant.project, MemoryQuery()).select_related(None)
        wanted = BulkOrder(BulkAction.DELETE, chosen, timezone.now())
    write_facts(tenant.project, KIM, "The user has a boat.")
    change(tenant, "boat", created_at=timezone.now() - timedelta(days=900))

    with tenant_scope(tenant.project):
        assert {memory.text for memory in wanted.memories} == {
            "The user lives in Lisbon.",
            "The user has two cats.",
        }


def test_what_a_deleted_memory_had_replaced_is_not_deleted_after_it(tenant: Tenant, api: Api) -> None:
    """It holds again once its successor is gone, and so matches the filter that it did not match before."""
    api.add("kim", "I live in Beijing.")
    api.add("kim", "I moved to Shanghai.")

    run(tenant, order(tenant, BulkAction.DELETE))

    (held,) = api.listed("kim")["memory_detail_list"]
    assert "Beijing" in held["memory_value"]


def test_frozen_memories_are_spared(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, *SAID)
    change(tenant, "cats", status="frozen")

    assert run(tenant, order(tenant, BulkAction.DELETE)).counts == {"done": 3, "frozen": 1}
    assert texts(tenant) == {"The user has two cats."}


def test_a_job_that_dies_at_any_statement_is_done_once(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.lifecycle.bulk.work.BATCH", 1)
    write_facts(tenant.project, KIM, *SAID)
    write_facts(tenant.project, Subject(OwnerKind.END_USER, "lou"), "The user lives in Oslo.")
    job = order(tenant, BulkAction.TAG, tag="trip")
    statement = deaths = 0

    while get_job(tenant, job.pk).state != "completed":
        statement += 3
        with dying_at(statement):
            try:
                run_bulk_job(take(job.task))
            except (SimulatedKill, Unfinished):
                deaths += 1

    assert deaths > 5
    assert get_job(tenant, job.pk).counts == {"done": 5}
    with tenant_scope(tenant.project):
        rows = list_memories(tenant).values_list("tags", "version")
        assert {(tags.count("trip"), version) for tags, version in rows} == {(1, 2)}


def test_a_worker_whose_claim_is_over_writes_nothing(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, *SAID)
    job = order(tenant, BulkAction.DELETE)
    late = take(job.task)
    take(job.task)

    with pytest.raises(LeaseLost):
        run_bulk_job(late)

    assert len(texts(tenant)) == 4
    assert get_job(tenant, job.pk).counts == {}


def test_a_cancelled_job_stops_between_two_batches_and_is_undone(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.lifecycle.bulk.work.BATCH", 1)
    monkeypatch.setattr("memories.lifecycle.bulk.work.SECONDS", 0)
    write_facts(tenant.project, KIM, *SAID)
    job = order(tenant, BulkAction.DELETE)
    with pytest.raises(Unfinished):
        run_bulk_job(take(job.task))

    assert cancel_job(tenant.project, job.pk, get_owner(tenant))
    run_bulk_job(take(job.task))
    assert not cancel_job(tenant.project, job.pk, get_owner(tenant))

    assert (get_job(tenant, job.pk).state, len(in_trash(tenant))) == ("cancelled", 1)
    monkeypatch.setattr("memories.lifecycle.bulk.work.SECONDS", 5)
    undone = undo(tenant, job)
    assert (undone.counts, len(in_trash(tenant)), len(texts(tenant))) == ({"undone": 1}, 0, 4)


def test_undoing_leaves_alone_what_changed_since(tenant: Tenant, api: Api, owner: Client) -> None:
    write_facts(tenant.project, KIM, *SAID)
    done = run(tenant, order(tenant, BulkAction.TAG, tag="trip"))
    cats = change(tenant, "cats")
    api.data("update/memory", {"memory_id": str(cats.pk), "tags": ["trip", "pets"]})

    undone = undo(tenant, done)

    assert undone.counts == {"undone": 3, "kept": 1}
    assert change(tenant, "cats").tags == ["trip", "pets"]


def test_undoing_a_deletion_leaves_what_was_deleted_again_by_hand(tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, *SAID[:2])
    cats = change(tenant, "cats")
    done = run(tenant, order(tenant, BulkAction.DELETE))
    path = f"/p/{tenant.project_id}/memories/"
    owner.post(f"{path}trash/restore/", {"ids": [str(cats.pk)]})
    owner.post(f"{path}{cats.pk}/delete/", {"confirmed": "yes"})

    undone = undo(tenant, done)

    assert undone.counts == {"undone": 1, "kept": 1}
    assert texts(tenant) == {"The user lives in Lisbon."}


def test_a_deletion_proves_that_nothing_is_recalled_and_later_that_nothing_is_stored(
    tenant: Tenant, api: Api
) -> None:
    write_facts(tenant.project, KIM, *SAID)
    done = run(tenant, order(tenant, BulkAction.DELETE))
    only = Project.objects.filter(pk=tenant.project_id)

    with tenant_scope(tenant.project):
        at_once = prove_deletion(tenant.project, done)
    assert (at_once.done, at_once.recallable, at_once.stored) == (4, 0, 4)
    assert api.facts("kim", "Where do I live?", relativity=0) == []
    assert done.erased_at is None

    wait_out(tenant, days=7)
    purge_due(only)
    with tenant_scope(tenant.project):
        BulkJob.objects.within(tenant.project).update(restorable_until=timezone.now())
        assert prove_deletion(tenant.project, done).stored == 0
    note_erasures(only)
    assert get_job(tenant, done.pk).erased_at is not None


def test_only_those_who_ordered_and_the_worker_are_in_the_audit_log(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, *SAID)
    run(tenant, order(tenant, BulkAction.ARCHIVE))

    with tenant_scope(tenant.project.account):
        entries = AuditEvent.objects.within(tenant.project.account).filter(action__startswith="memories.")
        rows = [
            (entry.action, entry.actor_kind, entry.detail.get("count"))
            for entry in entries.order_by("number")
        ]
    assert rows == [("memories.archived", "member", 4), ("memories.job_completed", "worker", None)]


def test_a_stranger_has_no_part_in_a_job(tenant: Tenant, stranger: Tenant) -> None:
    write_facts(tenant.project, KIM, *SAID)
    job = order(tenant, BulkAction.DELETE)

    assert not cancel_job(stranger.project, job.pk, get_owner(stranger))
    assert not undo_job(stranger.project, job.pk, get_owner(stranger))
    theirs = sign_in_owner(stranger)
    for path in ("", "file/?format=csv"):
        assert theirs.get(f"/p/{stranger.project_id}/memories/jobs/{job.pk}/{path}").status_code == 404
